package dev.gleaner.collector.framestack;

import static dev.gleaner.frame.FrameBuffer.GENERATION_SHIFT;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.mark.OffsetSet;
import dev.gleaner.memory.Memory;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks the frames: ranges of generations, every owned element on one list, no reference to what
 * is younger, neither from an element nor from a slot.
 */
final class FrameVerifier {
  private final Memory memory;
  private final YoungFrames young;
  private final OwningFrames owners;
  private final Cycle cycle;
  private final OffsetSet listed = new OffsetSet();
  private @Nullable String violation;

  FrameVerifier(Memory memory, YoungFrames young, OwningFrames owners, Cycle cycle) {
    this.memory = memory;
    this.young = young;
    this.owners = owners;
    this.cycle = cycle;
  }

  @Nullable String run(Consumer<OffsetVisitor> collected) {
    int free = FrameBuffer.OLD + 1;
    for (int i = 0; i < owners.count(); i++) {
      OwningFrame f = owners.get(i);
      check(
          free <= f.first && f.first <= f.generation && f.generation < f.next - 1,
          "frame " + i + " has generations " + f.first + ", " + f.generation + ", " + f.next);
      free = f.next;
      check(i == 0 || owners.get(i - 1).base < f.base, "frame " + i + " lies below its caller");
      f.survivors.forEach(e -> {
        list(e, f);
        check(
            generation(e) <= f.generation,
            () -> "survivor " + e + " has generation " + generation(e));
      });
      f.fresh.forEach(e -> list(e, f));
    }
    cycle.forEachCandidate(e -> list(e, owners.last()));
    collected.accept(this::checkCollected);
    young.forEach(this::checkYoung);
    checkSlots();
    return violation;
  }

  private void list(long e, OwningFrame f) {
    check(listed.add(e), () -> "element " + e + " is on two lists");
    check(
        generation(e) < f.next, () -> "element " + e + " is younger than the frame that lists it");
  }

  private void checkCollected(long e) {
    long g = generation(e);
    check(g != 0, () -> "element " + e + " has no generation");
    check(
        g == FrameBuffer.OLD || listed.contains(e),
        () -> "element " + e + " of generation " + g + " is on no list");
    Scanner.forEachPlace(
        memory,
        e,
        place -> {
          long v = memory.get(place);
          if (!Values.isReference(v)) {
            return;
          }
          if (isThread(e)) {
            check(
                !young.isMainThread() || e == young.thread() || generation(v) == FrameBuffer.OLD,
                () -> "thread " + e + " holds " + v + " of generation " + generation(v));
          } else {
            check(
                !young.contains(v)
                    && (cycle.isMarking() || generation(v) <= g || isAbandoned(g, generation(v))),
                () ->
                    "element %s of generation %s refers to %s of %s"
                        .formatted(e, g, v, generation(v)));
          }
        });
  }

  /** Whether two generations are of the same frame, whose cycle was abandoned. */
  private boolean isAbandoned(long g, long other) {
    OwningFrame f = g == FrameBuffer.OLD ? null : owners.owner((int) g);
    return f != null && f.abandoned && other < f.next;
  }

  /** While a thread runs its slots may hold anything; else what no frame owns. */
  private boolean isThread(long e) {
    return Layout.kind(memory.get(e)) == Layout.THREAD;
  }

  private void checkYoung(long e) {
    Scanner.forEachPlace(
        memory,
        e,
        place -> {
          long v = memory.get(place);
          if (Values.isReference(v) && young.contains(v)) {
            check(
                young.index(v) <= young.index(e),
                () -> "record " + e + " of a frame refers to " + v + " of a younger one");
          }
        });
  }

  /** A frame's slots hold no record of a frame that it called. */
  private void checkSlots() {
    // As the thread says: a collection may just have moved the stack.
    long from = ThreadLayout.stackStart(memory, young.thread());
    long words = Values.raw(memory.get(young.thread() + ThreadLayout.TOP));
    for (int i = 0; i < words; i++) {
      long v = memory.get(from + ((long) i << 3));
      if (Values.isReference(v) && young.contains(v)) {
        int frame = young.index(v);
        int slot = i;
        check(
            frame >= 0 && (long) i << 3 >= young.base(frame),
            () -> "slot " + slot + " of the value stack holds " + v + " of a younger frame");
      }
    }
  }

  private long generation(long e) {
    return memory.get(e) >>> GENERATION_SHIFT;
  }

  private void check(boolean holds, String text) {
    check(holds, () -> text);
  }

  /** There are many elements: the text is made where it is wanted. */
  private void check(boolean holds, Supplier<String> text) {
    if (!holds && violation == null) {
      violation = text.get();
    }
  }
}
