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
 * Whether a heap can be trusted after something went wrong in the midst of an operation: the Java
 * stack or the JVM's memory ended, or a user's allocation function threw.
 *
 * <pre>
 *   sound --- an Error leaves an operation ---> in doubt --- next call: nothing wrong ---> sound
 *     |                                            '-------- something is wrong --------.
 *     '--- anything leaves a collection, a slice, freeing, or a user's free ----------> broken
 * </pre>
 *
 * <p>Operations pay nothing for it. Each of them asks first whether the Java thread is the heap's
 * owner; a heap that is in doubt or broken has none, so the question is answered where a wrong
 * thread is refused. An operation that is left by an Error takes the owner away: its handler writes
 * a field and calls nothing, for which there may be no stack. Whether the heap is sound is found
 * out by the next call, when the stack is not as deep: by the verifier, and for the running threads
 * here. If even that overflows, the heap stays in doubt.
 */
final class Soundness {
  private final Mutator mutator;
  private final HeapParts context;
  private final Collector collector;

  /** What was thrown in the midst of a change after which nothing can be trusted. */
  private @Nullable Throwable damage;

  Soundness(Mutator mutator, HeapParts context, Collector collector) {
    this.mutator = mutator;
    this.context = context;
    this.collector = collector;
  }

  /** Notes what broke the heap; the first is kept. */
  void breakBy(Throwable e) {
    if (damage == null) {
      damage = e;
    }
    mutator.owner = null;
  }

  boolean isBroken() {
    return damage != null;
  }

  /**
   * Finds out whether a heap that is in doubt is sound.
   *
   * @return what broke it, or null
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
      } catch (RuntimeException e) { // what is checked is not where it is looked for
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
      mutator.reloadCalls();
      mutator.flush();
      wrong.addAll(new Verifier(context, collector).run());
    }
    return wrong;
  }

  /** The threads that run are those that wait for one another, down to the main one. */
  private void checkRunning(List<String> wrong) {
    Memory mem = context.memory();
    if (mutator.stackStart != ThreadLayout.stackStart(mem, mutator.current)
        || !Frames.areWhole(
            mem, mutator.stackStart, mutator.base, mutator.size, mutator.top, mutator.stackEnd)) {
      wrong.add("the frames of the running thread do not lead to its bottom");
    } else {
      mutator.depth = Frames.count(mem, mutator.base); // one may be entered, or left, uncounted
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
    long t = mutator.current;
    for (; t != mutator.main && running[0] > 0; running[0]--) {
      t = mem.get(t + ThreadLayout.RESUMER);
      if (!Values.isReference(t)) {
        break;
      }
    }
    if (t != mutator.main || running[0] != 1) {
      wrong.add("the running threads do not lead to the main one");
    }
  }
}
