package dev.gleaner.lab.hprof;

import dev.gleaner.heap.Heap;
import dev.gleaner.lab.workload.JvmBaseline;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import dev.gleaner.lab.workload.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The object graph of a real program, from a heap dump of its JVM.
 *
 * <p>Loads it with {@link DumpLoader}; then
 *
 * <ol>
 *   <li>five full collections of the graph, held by its roots, the first of which reclaims what the
 *       dump had of garbage;
 *   <li>a tenth of the roots dropped, and a collection;
 *   <li>references cut, one for every hundred elements, where random walks come by, and a
 *       collection;
 *   <li>the graph changed where random walks come by, and a collection.
 * </ol>
 *
 * <p>The checksum is the number of elements and references loaded and of changes made.
 */
public final class HeapDump implements Workload {
  /** The parameter with the file's path. */
  public static final String FILE = "file";

  private static final int COLLECTIONS = 5;
  private static final int ROOTS_ONE_IN = 10;
  private static final int ELEMENTS_A_CUT = 100;
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
    new HprofReader(file).check();
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public long run(Run run) {
    Heap heap = run.openHeap();
    long start = System.nanoTime();
    DumpLoader.Loaded loaded =
        new DumpLoader(file(run.parameters()), heap, done -> run.progress(0.6 * done)).load();
    count(run, "objects_in_dump", loaded.objects());
    count(run, "elements_loaded", loaded.elements());
    count(run, "references_loaded", loaded.references());
    count(run, "references_to_nothing", loaded.unresolved());
    run.extra("roots", loaded.roots().length);
    run.extra("load_ms", (System.nanoTime() - start) / 1e6);
    if (loaded.elements() != loaded.objects()) {
      throw new IllegalStateException(
          "%d elements for %d objects".formatted(loaded.elements(), loaded.objects()));
    }
    for (int i = 1; i <= COLLECTIONS; i++) {
      collect(run, heap, "collection_%d".formatted(i));
      if (i == 1) {
        count(run, "elements_reachable", heap.statistics().liveElements());
        run.measure();
      }
      run.progress(0.6 + 0.05 * i);
    }
    long seed = run.parameters().number("seed");
    GraphMutator mutator = new GraphMutator(heap.thread(), loaded.roots(), seed);
    run.extra("roots_dropped", mutator.dropRoots(ROOTS_ONE_IN));
    reclaim(run, heap, "after_roots_dropped");
    long cut = mutator.cut(loaded.elements() / ELEMENTS_A_CUT);
    count(run, "references_cut", cut);
    reclaim(run, heap, "after_references_cut");
    start = System.nanoTime();
    long changes = mutator.mutate(run.parameters().number("mutations"));
    count(run, "mutations", changes);
    run.extra(
        "mutation_ns_each", changes == 0 ? 0 : (double) (System.nanoTime() - start) / changes);
    reclaim(run, heap, "after_mutations");
    mutator.dropAllRoots();
    return loaded.elements() + loaded.references() + cut + changes;
  }

  private static void count(Run run, String name, long value) {
    run.extra(name, (double) value);
  }

  private static void reclaim(Run run, Heap heap, String when) {
    long before = heap.statistics().reclaimedElements();
    collect(run, heap, "collection_" + when);
    count(run, "reclaimed_" + when, heap.statistics().reclaimedElements() - before);
  }

  private static void collect(Run run, Heap heap, String name) {
    long start = System.nanoTime();
    heap.collect();
    run.extra(name + "_ms", (System.nanoTime() - start) / 1e6);
  }

  @Override
  public @Nullable JvmBaseline baseline() {
    return null;
  }
}
