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
 * Tools that look at a heap as a whole: checks, walks over all elements, paths to roots, leaks,
 * snapshots. The tools allocate nothing in the heap and collect nothing. Most of them take as long
 * as a collection, or longer.
 */
public final class HeapInspection {
  private static final long NEVER = -1;

  private final HeapCore core;
  private final Registers registers;
  private final Observers observers;
  private final HeapParts context;
  private final Memory memory;
  private final Collector collector;
  private final Driver driver;
  private long leaked;

  /** The number of collections at the time of the last count of leaks. */
  private long leakedAt = NEVER;

  HeapInspection(HeapCore core) {
    this.core = core;
    this.registers = core.registers();
    this.observers = registers.ownership.observers;
    this.context = core.context();
    this.memory = context.memory();
    this.collector = core.collector();
    this.driver = core.driver();
  }

  /** Whether the collector never reclaims cycles: an unreachable cycle has leaked then. */
  boolean leaks() {
    return core.traits().has(Capability.PROMPT) && !core.traits().has(Capability.CYCLES);
  }

  /** Returns the number of leaked elements, as far as it is known. */
  long leakedElements() {
    return leaks() && leakedAt == driver.collections ? leaked : collector.leakedElements();
  }

  /**
   * Checks every element, reference, table and figure.
   *
   * @return a text for each violation; empty if there is none
   */
  public List<String> verify() {
    registers.ownership.checkLook();
    registers.flush();
    return new Verifier(context, collector).run();
  }

  /**
   * Finds the elements that no root leads to. Under reference counting alone these are cycles, with
   * the elements that they hold: the collector never reclaims them. Under a collector that reclaims
   * cycles these elements are garbage that is not collected yet.
   *
   * @return the number of these elements, their bytes, and a sample
   */
  public LeakReport findLeaks() {
    registers.ownership.checkLook();
    registers.flush();
    try (LeakFinder finder = new LeakFinder(context, collector)) {
      List<String> sample = observers.tell(finder::sample);
      LeakReport report = new LeakReport(finder.elements(), finder.bytes(), sample);
      leaked = report.elements();
      leakedAt = driver.collections;
      return report;
    }
  }

  /**
   * Finds a path from a root to the element in a slot.
   *
   * @param slot a slot of the current frame
   * @return a text for each step; empty if only that slot leads to the element
   */
  public List<String> pathToRoot(int slot) {
    registers.ownership.checkLook();
    long element = registers.reference(slot);
    registers.flush();
    return observers.tell(() -> new Inspector(context).path(element, registers.slot(slot)));
  }

  /**
   * Describes the value in a slot, for people who look for a fault. The text about an element has
   * its kind, place, size and header; its space and pages; its count, mark and generation if the
   * collector has them; its finalizer; and the target of each of its words. The text marks a
   * reference that leads to no element.
   *
   * <p>This method, {@link #frames}, {@link #whatIsAt} and {@link #pageMap} also work on a
   * {@linkplain dev.gleaner.refusal.HeapBrokenException broken} heap. Their texts are bounded, and
   * are for people, not for programs.
   *
   * @param slot a slot of the current frame
   * @return one or more lines; the first line describes the value
   * @throws HeapUsageException if there is no such slot
   */
  public String describe(int slot) {
    registers.ownership.checkWitness();
    long value = memory.get(registers.slot(slot));
    return observers.tell(() -> describer().describe(value));
  }

  /**
   * Shows the frames of all threads with their slots. The running thread comes first. The current
   * frame of each thread comes first.
   *
   * @return one or more lines for each thread
   */
  public String frames() {
    registers.ownership.checkWitness();
    return observers.tell(() -> describer().frames());
  }

  /**
   * Says what lies at an offset of the heap's memory: a header or a word of an element, a table or
   * a stack of an element, a free cell, a block, pages, or nothing. Messages and {@linkplain
   * #verify violations} name such offsets.
   *
   * @param offset in bytes
   * @return one line
   * @throws HeapUsageException if the offset is negative
   */
  public String whatIsAt(long offset) {
    registers.ownership.checkWitness();
    if (offset < 0) {
      throw new HeapUsageException("negative offset: " + offset);
    }
    return observers.tell(() -> describer().whatIsAt(offset));
  }

  /**
   * Draws a map of the heap's pages and their use. In a large heap a character stands for several
   * pages. The map has at most 64 lines, and a legend.
   *
   * @return the map
   */
  public String pageMap() {
    registers.ownership.checkWitness();
    return observers.tell(() -> new PageMap(context).text());
  }

  private Describer describer() {
    return new Describer(context, collector, registers.running());
  }

  /**
   * Sets the function that names the code of heap functions, such as {@code f:12} for a number of
   * {@link Mutator#setFunctionCode}. The heap calls {@code names} only to show something. If {@code
   * names} throws, the caller who asked for the text gets the exception.
   *
   * @param names returns a name, or null if the code has none; must not use the heap; null for no
   *     names
   */
  @API(status = API.Status.EXPERIMENTAL, since = "0.1")
  public void setFunctionNames(@Nullable IntFunction<@Nullable String> names) {
    registers.check();
    context.sorts().setCodes(names);
  }

  /**
   * Names all elements of a kind that have no own sort ({@link Mutator#setSort}), such as {@code
   * lua.table} for all objects.
   *
   * @param kind records, objects, functions, threads or natives
   * @param name a name as for {@link Heap#sort}
   * @throws HeapUsageException if {@code kind} is another kind, if {@code name} is no such name, or
   *     if there are too many names
   */
  @API(status = API.Status.EXPERIMENTAL, since = "0.1")
  public void nameKind(Kind kind, String name) {
    registers.check();
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
   * Calls a visitor for every element, strings included.
   *
   * @param visitor must not change the heap
   */
  public void forEachElement(ElementVisitor visitor) {
    registers.ownership.checkLook();
    registers.flush();
    observers.tell(() ->
        collector.forEachElement(e -> {
          long h = memory.get(e);
          visitor.element(
              Layout.kindOf(Layout.kind(h)), (Layout.payloadWords(memory, e, h) + 1) << 3);
        }));
  }

  /**
   * Writes a heap dump in the format HPROF, which VisualVM and Eclipse MAT open; docs/snapshots.md
   * describes the dump. The method allocates nothing in the heap, collects nothing, and works at
   * the limit. The dump includes garbage that is not found yet.
   *
   * @param to is flushed and stays open; must not change the heap
   * @throws IOException if the stream fails; the heap is as before
   */
  @API(status = API.Status.EXPERIMENTAL, since = "0.1")
  public void writeSnapshot(OutputStream to) throws IOException {
    registers.ownership.checkLook();
    Objects.requireNonNull(to, "to");
    registers.flush();
    boolean _ =
        observers.tell(() -> {
          new SnapshotWriter(context, collector, registers.snapshotRoots(core.globals().all()), to)
              .write(System.currentTimeMillis());
          return true;
        });
  }

  /** {@return a text with the name of the heap, for any Java thread} */
  @Override
  public String toString() {
    return "inspection of " + core.owner();
  }
}
