package dev.gleaner.heap;

import dev.gleaner.inspect.Describer;
import dev.gleaner.inspect.Inspector;
import dev.gleaner.inspect.LeakFinder;
import dev.gleaner.inspect.PageMap;
import dev.gleaner.inspect.Verifier;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.snapshot.SnapshotWriter;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.Collector;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * What looks at a heap as a whole: checks, walks over all elements, paths to roots, leaks,
 * snapshots. It allocates nothing in the heap and collects nothing; its time is that of a
 * collection, or more.
 */
public final class HeapInspection {
  private static final long NEVER = -1;

  private final Heap heap;
  private final Mutator mutator;
  private final HeapParts context;
  private final Memory memory;
  private final Collector collector;
  private final Driver driver;
  private long leaked;

  /** When that was counted: after so many collections. */
  private long leakedAt = NEVER;

  HeapInspection(
      Heap heap, Mutator mutator, HeapParts context, Collector collector, Driver driver) {
    this.heap = heap;
    this.mutator = mutator;
    this.context = context;
    this.memory = context.memory();
    this.collector = collector;
    this.driver = driver;
  }

  /** Whether cycles are never reclaimed, so that what no root leads to has leaked. */
  boolean leaks() {
    return heap.traits().has(Capability.PROMPT) && !heap.traits().has(Capability.CYCLES);
  }

  /** Elements that have leaked, as far as that is known. */
  long leakedElements() {
    return leaks() && leakedAt == driver.collections ? leaked : collector.leakedElements();
  }

  /**
   * Checks every element, reference, table and figure; answers what is wrong, nothing if all is
   * well.
   *
   * @return what is wrong, a text each
   */
  public List<String> verify() {
    mutator.checkLook();
    mutator.flush();
    return new Verifier(context, collector).run();
  }

  /**
   * Finds the elements that no root leads to and that this collector does not reclaim: cycles, and
   * what they hold, under reference counting alone. Under a collector that reclaims cycles what it
   * finds is garbage that has not been collected yet.
   *
   * @return how many they are, their bytes, and a sample
   */
  public LeakReport findLeaks() {
    mutator.checkLook();
    mutator.flush();
    try (LeakFinder finder = new LeakFinder(context, collector)) {
      List<String> sample = mutator.observers.tell(finder::sample);
      LeakReport report = new LeakReport(finder.elements(), finder.bytes(), sample);
      leaked = report.elements();
      leakedAt = driver.collections;
      return report;
    }
  }

  /**
   * How an element is reached: a step a text, from a root to the element in a slot of the frame.
   *
   * @param slot of the current frame
   * @return the steps; empty if nothing but that slot leads to the element
   */
  public List<String> pathToRoot(int slot) {
    mutator.checkLook();
    long element = mutator.reference(slot);
    mutator.flush();
    return mutator.observers.tell(
        () -> new Inspector(context).path(element, mutator.slotOffset(slot)));
  }

  /**
   * Describes what a slot holds, for people who look for a fault. Of an element: its kind, place,
   * size and header, its space and pages, its count, its mark or generation as far as the collector
   * has one, its finalizer, and where each of its words leads. A reference that leads to no element
   * is said to do so.
   *
   * <p>Works on a heap that is {@linkplain dev.gleaner.refusal.HeapBrokenException broken}, too, as
   * {@link #frames}, {@link #whatIsAt} and {@link #pageMap} do. The texts are bounded, and not
   * meant to be parsed.
   *
   * @param slot of the current frame
   * @return a line or more; the first says what the slot holds
   * @throws HeapUsageException if there is no such slot
   */
  public String describe(int slot) {
    mutator.checkWitness();
    long value = memory.get(mutator.slotOffset(slot));
    return mutator.observers.tell(() -> describer().describe(value));
  }

  /**
   * Shows the frames of all threads with their slots: the running thread first, of each thread the
   * current frame first.
   *
   * @return a line or more for each thread
   */
  public String frames() {
    mutator.checkWitness();
    return mutator.observers.tell(() -> describer().frames());
  }

  /**
   * Says what lies at an offset of the heap's memory, such as a message or a {@linkplain #verify
   * violation} names: a header or a word of an element, a table or stack of one, a free cell, a
   * block, pages, or nothing.
   *
   * @param offset in bytes
   * @return a line
   * @throws HeapUsageException if the offset is negative
   */
  public String whatIsAt(long offset) {
    mutator.checkWitness();
    if (offset < 0) {
      throw new HeapUsageException("negative offset: " + offset);
    }
    return mutator.observers.tell(() -> describer().whatIsAt(offset));
  }

  /**
   * Draws what each page of the heap's memory is used for. In a large heap a character stands for
   * several pages; the map has 64 lines at most, and a legend.
   *
   * @return the map
   */
  public String pageMap() {
    mutator.checkWitness();
    return mutator.observers.tell(() -> new PageMap(context).text());
  }

  private Describer describer() {
    return new Describer(context, collector, mutator.running());
  }

  /**
   * Names who knows what the code of functions is called, by its number ({@link
   * Mutator#setFunctionCode}): {@code f:12}, say. It is asked only when something is shown; what it
   * throws goes through to whoever asked for that.
   *
   * @param names answers null for what has no name; must not use the heap; null for nobody
   */
  @API(status = API.Status.EXPERIMENTAL, since = "0.1")
  public void setFunctionNames(@Nullable IntFunction<@Nullable String> names) {
    mutator.check();
    context.sorts().setCodes(names);
  }

  /**
   * Says what the elements of a kind are called that have no sort of their own ({@link
   * Mutator#setSort}), as in {@code lua.table} for all objects.
   *
   * @param kind of records, objects, functions, threads or natives
   * @param name as {@link Heap#sort} takes it
   * @throws HeapUsageException if it is another kind, or no such name, or one too many
   */
  @API(status = API.Status.EXPERIMENTAL, since = "0.1")
  public void nameKind(Kind kind, String name) {
    mutator.check();
    Objects.requireNonNull(name, "name");
    int number =
        switch (kind) {
          case RECORD -> Layout.RECORD;
          case OBJECT -> Layout.OBJECT;
          case FUNCTION -> Layout.FUNCTION;
          case THREAD -> Layout.THREAD;
          case NATIVE -> Layout.NATIVE;
          default -> throw new HeapUsageException(kind + ": elements of that kind have no sort");
        };
    context.sorts().setOfKind(number, context.sorts().number(name));
  }

  /**
   * Calls back for every element, strings included.
   *
   * @param visitor must not use the heap
   */
  public void forEachElement(ElementVisitor visitor) {
    mutator.checkLook();
    mutator.flush();
    mutator.observers.tell(() ->
        collector.forEachElement(e -> {
          long h = memory.get(e);
          visitor.element(
              Layout.kindOf(Layout.kind(h)), (Layout.payloadWords(memory, e, h) + 1) << 3);
        }));
  }

  /**
   * Writes what the heap holds as a heap dump in the format HPROF, which VisualVM and Eclipse MAT
   * open; docs/snapshots.md says what is shown as what. Allocates nothing in the heap, collects
   * nothing, and works at the limit; garbage that is not found yet is in it.
   *
   * @param to is flushed and stays open; must not use the heap
   * @throws IOException if the stream fails; the heap is as before
   */
  @API(status = API.Status.EXPERIMENTAL, since = "0.1")
  public void writeSnapshot(OutputStream to) throws IOException {
    mutator.checkLook();
    Objects.requireNonNull(to, "to");
    mutator.flush();
    boolean _ =
        mutator.observers.tell(() -> {
          new SnapshotWriter(context, collector, heap.snapshotRoots(), to)
              .write(System.currentTimeMillis());
          return true;
        });
  }

  /** {@return whose it is; for any Java thread} */
  @Override
  public String toString() {
    return "inspection of " + heap;
  }
}
