package dev.gleaner.heap;

import dev.gleaner.inspect.Frames;
import dev.gleaner.inspect.Verifier;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.spi.Collector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a heap is sound after an operation was broken off: the Java stack or the JVM's
 * memory was exhausted, or a user's allocation function threw.
 *
 * <pre>
 *   sound --- an Error leaves an operation ---> in doubt --- next call: nothing wrong ---> sound
 *     |                                            '-------- something is wrong --------.
 *     '--- anything leaves a collection, a slice, freeing, or a user's free ----------> broken
 * </pre>
 *
 * <p>The check takes no time of sound operations. Each operation first tests whether the Java
 * thread is the heap's owner. A heap in doubt, or broken, has no owner, so its calls go where wrong
 * threads are refused. If an Error leaves an operation, a handler sets the owner to null. The
 * handler calls nothing, as the stack may be at its end.
 *
 * <p>The next call checks the heap, when the stack is less deep. The verifier checks the elements,
 * and this class checks the running threads. If the check itself overflows the stack, the heap
 * stays in doubt.
 */
final class Soundness {
  private final Registers registers;
  private final HeapParts context;
  private final Collector collector;

  /** The exception or error that broke the heap; null if the heap is not broken. */
  private @Nullable Throwable damage;

  Soundness(Registers registers, HeapParts context, Collector collector) {
    this.registers = registers;
    this.context = context;
    this.collector = collector;
  }

  /** Breaks the heap, and keeps the first exception or error that did so. */
  void breakBy(Throwable e) {
    if (damage == null) {
      damage = e;
    }
    registers.owner = null;
  }

  boolean isBroken() {
    return damage != null;
  }

  /**
   * Checks whether a heap in doubt is sound.
   *
   * @return the exception or error that broke the heap; null if the heap is sound
   */
  @Nullable Throwable check() {
    if (damage == null) {
      context.weak().forgetIndex();
      context.tables().weak().forgetIndex();
      try {
        List<String> wrong = violations();
        if (!wrong.isEmpty()) {
          damage = new IllegalStateException("left in the midst of an operation: " + wrong.get(0));
        }
      } catch (RuntimeException e) { // the check read a wrong place
        damage = e;
      }
    }
    return damage;
  }

  private List<String> violations() {
    List<String> wrong = new ArrayList<>();
    if (context.section().isEntered()) {
      wrong.add("a change was broken off");
    } else {
      checkRunning(wrong);
    }
    if (wrong.isEmpty()) {
      registers.reloadCalls();
      registers.flush();
      wrong.addAll(new Verifier(context, collector).run());
    }
    return wrong;
  }

  /** Checks the running threads: each waits for the next, and the last one is the main thread. */
  private void checkRunning(List<String> wrong) {
    Memory mem = context.memory();
    if (registers.stackStart != ThreadLayout.stackStart(mem, registers.current)
        || !Frames.areWhole(
            mem,
            registers.stackStart,
            registers.base,
            registers.size,
            registers.top,
            registers.stackEnd)) {
      wrong.add("the frames of the running thread do not lead to its bottom");
    } else {
      registers.depth = Frames.count(mem, registers.base); // may lag by a frame after an Error
    }
    long[] running = new long[1];
    collector.forEachElement(e -> {
      if (Layout.kind(mem.get(e)) == Layout.THREAD) {
        long state = Values.raw(mem.get(e + ThreadLayout.STATE));
        running[0] += state;
        if (state == 0 && mem.get(e + ThreadLayout.RESUMER) != Values.NULL) {
          wrong.add("a thread that does not run has a resumer");
        }
      }
    });
    long t = registers.current;
    for (; t != registers.main && running[0] > 0; running[0]--) {
      t = mem.get(t + ThreadLayout.RESUMER);
      if (!Values.isReference(t)) {
        break;
      }
    }
    if (t != registers.main || running[0] != 1) {
      wrong.add("the running threads do not lead to the main one");
    }
  }
}
