package dev.gleaner.kit.oracle;

import dev.gleaner.heap.Mutator;
import dev.gleaner.kit.oracle.ShadowThread.Frame;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Steps on several slots at once: results, tail calls, frames of another size, ranges. */
record RangeOperations(Twin twin) {
  private static final int MOST = 12;

  List<Operation> all() {
    return List.of(
        new Operation("leave with results", 5, this::leaveWithResults).unsayable().amongCalls(8),
        new Operation("tail call", 4, this::tailCall).unsayable().amongCalls(5),
        new Operation("resize frame", 4, this::resizeFrame).unsayable().amongCalls(2),
        new Operation("leave to a depth", 1, this::leaveTo).unsayable(),
        new Operation("move", 4, this::move).unsayable(),
        new Operation("store range", 5, twin.onSlotted(this::storeRange)).unsayable(),
        new Operation("load range", 5, twin.onSlotted(this::loadRange)).unsayable(),
        new Operation("peek", 3, this::peek).unsayable());
  }

  /** Some slots of a frame that programs use. */
  record Range(int first, int count) {
    static Range of(Frame frame, Dice dice) {
      int count = dice.below(Math.min(MOST, frame.scratch()) + 1);
      return new Range(dice.below(frame.scratch() - count + 1), count);
    }

    List<Object> in(Frame frame) {
      return new ArrayList<>(frame.slots.subList(first, first + count));
    }
  }

  /**
   * Where values land in a frame.
   *
   * @param wanted at the end of the frame all of them
   */
  record Landing(Frame frame, int d, int wanted) {
    private static final int LARGEST = 300;

    static Landing in(Frame frame, Dice dice) {
      if (dice.chance(20) && frame.slots.size() < LARGEST) {
        return new Landing(frame, frame.slots.size(), Mutator.ALL);
      }
      Range range = Range.of(frame, dice);
      return new Landing(frame, range.first, range.count);
    }

    boolean grows() {
      return wanted < 0;
    }

    /** Answers how many land. */
    int land(List<Object> values) {
      if (grows()) {
        frame.slots.addAll(values);
        return values.size();
      }
      for (int i = 0; i < wanted; i++) {
        frame.slots.set(d + i, i < values.size() ? values.get(i) : Special.UNDEFINED);
      }
      return Math.min(wanted, values.size());
    }
  }

  static void expectLanded(int landed, int expected) {
    if (landed != expected) {
      throw new AssertionError(landed + " values landed, expected " + expected);
    }
  }

  private void leaveWithResults(Dice dice) {
    List<Frame> frames = twin.shadow.thread().frames;
    if (frames.size() <= 2) {
      return;
    }
    Frame frame = frames.getLast();
    Range results = Range.of(frame, dice);
    Landing landing = Landing.in(frames.get(frames.size() - 2), dice);
    twin.cannotSay("leave with " + results + ", " + landing.d + ", " + landing.wanted);
    removeLast(frames);
    int expected = landing.land(results.in(frame));
    expectLanded(twin.t.leave(results.first, results.count, landing.d, landing.wanted), expected);
  }

  private void removeLast(List<Frame> frames) {
    Script.Block block = frames.removeLast().block;
    if (block != null) {
      twin.script.close(block);
    }
  }

  /** In a frame that is large enough, so that memory cannot be refused. */
  private void tailCall(Dice dice) {
    List<Frame> frames = twin.shadow.thread().frames;
    Frame frame = frames.getLast();
    Range arguments = Range.of(frame, dice);
    int least = arguments.count + ShadowThread.SCRATCH + 1;
    if (frames.size() <= 2 || least > frame.slots.size()) {
      return;
    }
    int slots = dice.between(least, frame.slots.size());
    twin.cannotSay("tail call of " + slots + " slots with " + arguments);
    Frame next = new Frame(slots, frame.block);
    List<Object> passed = arguments.in(frame);
    for (int i = 0; i < passed.size(); i++) {
      next.slots.set(i, passed.get(i));
    }
    frames.set(frames.size() - 1, next);
    twin.t.tailCall(slots, arguments.first, arguments.count);
  }

  private void resizeFrame(Dice dice) {
    Frame frame = twin.frame();
    int size = frame.slots.size();
    int least = least(frame);
    int slots = dice.between(least, Math.max(least, Math.min(size + 20, 300)));
    twin.cannotSay("resize the frame of " + size + " slots to " + slots);
    if (slots >= size) {
      twin.t.resizeFrame(slots);
      frame.slots.addAll(Collections.nCopies(slots - size, Special.UNDEFINED));
    } else {
      frame.slots.subList(slots, size).clear();
      twin.t.resizeFrame(slots);
    }
  }

  private static int least(Frame frame) {
    int least = frame.entered; // a catcher's slot stays, or nothing can be raised there
    for (ShadowThread.Call call : frame.calls) {
      least = Math.max(least, call.slot() + 1);
    }
    return least;
  }

  /** Lets a frame have as few slots as it can; answers whether it is as it was entered. */
  boolean shrinkFrame() {
    Frame frame = twin.frame();
    int slots = least(frame);
    if (frame.slots.size() > slots) {
      twin.cannotSay("resize the frame to " + slots);
      frame.slots.subList(slots, frame.slots.size()).clear();
      twin.t.resizeFrame(slots);
    }
    return slots == frame.entered;
  }

  private void leaveTo(Dice dice) {
    List<Frame> frames = twin.shadow.thread().frames;
    int bottom = twin.isInFinalizer() ? 2 : 1; // a finalizer's frame is its bottom frame
    int deepest = frames.size() - bottom;
    if (deepest < 2) {
      return;
    }
    int depth = dice.between(1, deepest);
    twin.cannotSay("leave to depth " + depth + " of " + deepest);
    while (frames.size() - bottom > depth) {
      removeLast(frames);
    }
    twin.t.leaveTo(depth);
    if (twin.t.frameDepth() != depth) {
      throw new AssertionError("depth " + twin.t.frameDepth() + ", expected " + depth);
    }
  }

  private void move(Dice dice) {
    Frame frame = twin.frame();
    Range from = Range.of(frame, dice);
    int d = dice.below(frame.scratch() - from.count + 1);
    twin.cannotSay("move " + from + " to " + d);
    List<Object> values = from.in(frame);
    for (int i = 0; i < values.size(); i++) {
      frame.slots.set(d + i, values.get(i));
    }
    twin.t.move(d, from.first, from.count);
  }

  private void storeRange(Dice dice, int r) {
    ShadowElement e = twin.element(r);
    Range from = Range.of(twin.frame(), dice);
    int count = Math.min(from.count, e.slots.length);
    int i = dice.below(e.slots.length - count + 1);
    twin.cannotSay(
        "store " + count + " slots from " + from.first + " on into " + twin.name(r) + "." + i);
    for (int k = 0; k < count; k++) {
      e.slots[i + k] = twin.get(from.first + k);
    }
    twin.t.storeRange(r, i, from.first, count);
  }

  /** A slot of any frame of the thread. */
  private void peek(Dice dice) {
    List<Frame> frames = twin.shadow.thread().frames;
    int level = dice.below(frames.size());
    List<Object> slots = frames.get(frames.size() - 1 - level).slots;
    if (slots.isEmpty()) {
      return;
    }
    int s = dice.below(slots.size());
    int d = twin.slot(dice);
    twin.cannotSay(twin.name(d) + " = slot " + s + " of " + level + " frames out");
    if (twin.t.frameSize(level) != slots.size()) {
      throw new AssertionError(
          "frame " + level + " has " + twin.t.frameSize(level) + " slots, not " + slots.size());
    }
    twin.set(d, slots.get(s));
    twin.t.peek(d, level, s);
  }

  private void loadRange(Dice dice, int r) {
    ShadowElement e = twin.element(r);
    Range to = Range.of(twin.frame(), dice);
    int count = Math.min(to.count, e.slots.length);
    int i = dice.below(e.slots.length - count + 1);
    twin.cannotSay(
        "load " + count + " slots from " + to.first + " on from " + twin.name(r) + "." + i);
    for (int k = 0; k < count; k++) {
      twin.set(to.first + k, e.slots[i + k]);
    }
    twin.t.loadRange(to.first, r, i, count);
  }
}
