package dev.gleaner.lab.hprof;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import dev.gleaner.lab.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The object graph of a real program, from a heap dump of its JVM.
 *
 * <p>Loads it with {@link DumpLoader}; then
 *
 * <ol>
 *   <li>five full collections of the graph, held by its roots, the first of which reclaims what the
 *       dump had of garbage;
 *   <li>a mutation phase, at one place for every five elements or as many as are asked for, and a
 *       collection;
 *   <li>a reference cut in one of a hundred elements, and a collection;
 *   <li>a tenth of the roots dropped, and a collection;
 *   <li>all roots dropped, and a collection.
 * </ol>
 *
 * <p>Where to change and to cut is known from a sample of the elements, one of a hundred: held by
 * weak references in the first collection, and then by an array until references were cut. The
 * checksum is the number of elements and references loaded.
 */
public final class HeapDump implements Workload {
  /** The parameter with the file's path. */
  public static final String FILE = "file";

  private static final int COLLECTIONS = 5;
  private static final int ROOTS_ONE_IN = 10;
  private static final int SAMPLE_ONE_IN = 100;
  private static final int ELEMENTS_A_MUTATION = 5;
  private static final long LEAST_HEAP = 256L << 20;
  private static final long LEAST_JVM_HEAP = 2L << 30;

  @Override
  public String name() {
    return "heap-dump";
  }

  @Override
  public String summary() {
    return "the object graph of a JVM's heap dump: full collections, roots dropped, references"
        + " changed";
  }

  @Override
  public Map<String, String> defaults() {
    Map<String, String> defaults = new LinkedHashMap<>();
    defaults.put(FILE, "");
    defaults.put("mutations", "1_000_000");
    defaults.put("seed", "42");
    return defaults;
  }

  /**
   * Four times the file: elements take little more than their objects do in it, beside the index.
   */
  @Override
  public long heapMemory(Parameters parameters) {
    return LEAST_HEAP + 4 * size(parameters);
  }

  /** An object takes 16 bytes in the map of numbers, and seldom less than 24 in the file. */
  @Override
  public long jvmMemory(Parameters parameters) {
    return Math.max(LEAST_JVM_HEAP, size(parameters) / 4 * 3);
  }

  private static Path file(Parameters parameters) {
    String text = parameters.text(FILE);
    if (text.isEmpty()) {
      throw new IllegalArgumentException("workload heap-dump: file = FILE.hprof is needed");
    }
    return Path.of(text);
  }

  private static long size(Parameters parameters) {
    Path file = file(parameters);
    try {
      new HprofReader(file).check();
      return Files.size(file);
    } catch (HprofException | IOException e) {
      throw new IllegalArgumentException("workload heap-dump: " + e.getMessage(), e);
    }
  }

  @Override
  public long run(Run run) {
    Heap heap = run.openHeap();
    SplittableRandom random = new SplittableRandom(run.parameters().number("seed"));
    DumpLoader.Loaded loaded = load(run, heap, random);
    collect(run, heap, "collection_1");
    count(run, "elements_reachable", heap.statistics().liveElements());
    run.measure();
    GraphMutator mutator = new GraphMutator(heap, loaded.sample(), random);
    for (int i = 2; i <= COLLECTIONS; i++) {
      collect(run, heap, "collection_" + i);
      run.progress(0.6 + 0.05 * i);
    }
    long start = System.nanoTime();
    long places =
        Math.min(run.parameters().number("mutations"), loaded.elements() / ELEMENTS_A_MUTATION);
    long changes = mutator.mutate(places);
    count(run, "mutations", changes);
    run.extra("ns_per_mutation", changes == 0 ? 0 : (double) (System.nanoTime() - start) / changes);
    reclaim(run, heap, "mutations");
    count(run, "references_cut", mutator.cut());
    mutator.close();
    reclaim(run, heap, "cut");
    run.progress(0.95);
    count(run, "roots_dropped", drop(loaded.roots(), ROOTS_ONE_IN, random));
    reclaim(run, heap, "roots_dropped");
    run.beforeDropping();
    drop(loaded.roots(), 1, random);
    reclaim(run, heap, "all_roots_dropped");
    return loaded.elements() + loaded.references();
  }

  private static DumpLoader.Loaded load(Run run, Heap heap, SplittableRandom random) {
    long start = System.nanoTime();
    DumpLoader loader =
        new DumpLoader(file(run.parameters()), heap, done -> run.progress(0.6 * done));
    DumpLoader.Loaded loaded = loader.load(SAMPLE_ONE_IN, random);
    run.extra("load_ms", (System.nanoTime() - start) / 1e6);
    count(run, "objects_in_dump", loaded.objects());
    count(run, "elements_loaded", loaded.elements());
    count(run, "references_loaded", loaded.references());
    count(run, "references_to_nothing", loaded.unresolved());
    count(run, "roots", loaded.roots().length);
    if (loaded.elements() != loaded.objects()) {
      throw new IllegalStateException(
          "%d elements for %d objects".formatted(loaded.elements(), loaded.objects()));
    }
    return loaded;
  }

  /** Drops one root in so many, at random, and returns how many that were. */
  private static int drop(GlobalRef[] roots, int oneIn, SplittableRandom random) {
    int dropped = 0;
    for (GlobalRef root : roots) {
      if (random.nextInt(oneIn) == 0) {
        root.close();
        dropped++;
      }
    }
    return dropped;
  }

  private static void count(Run run, String name, long value) {
    run.extra(name, (double) value);
  }

  private static void reclaim(Run run, Heap heap, String when) {
    long before = heap.statistics().reclaimedElements();
    collect(run, heap, "collection_after_" + when);
    count(run, "reclaimed_after_" + when, heap.statistics().reclaimedElements() - before);
  }

  private static void collect(Run run, Heap heap, String name) {
    long start = System.nanoTime();
    heap.collect();
    run.extra(name + "_ms", (System.nanoTime() - start) / 1e6);
  }
}
