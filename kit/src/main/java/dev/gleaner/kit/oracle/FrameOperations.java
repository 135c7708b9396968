package dev.gleaner.kit.oracle;

import dev.gleaner.kit.oracle.Script.Scope;
import dev.gleaner.kit.oracle.ShadowThread.Call;
import dev.gleaner.kit.oracle.ShadowThread.Frame;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/** Frames, calls, catchers. */
record FrameOperations(Twin twin) {
  private static final int DEEPEST = 12;
  static final int MOST_CALLS = 40;

  List<Operation> all() {
    return List.of(
        new Operation("enter", 8, this::enter).amongCalls(12),
        new Operation("enter with arguments", 4, this::enterWithArguments).amongCalls(10),
        new Operation("leave", 6, this::leave).amongCalls(12),
        new Operation("leave with a result", 6, this::leaveWithResult).amongCalls(10),
        new Operation("compact", 4, this::compact).amongCalls(2),
        new Operation("wipe", 2, this::wipe),
        new Operation("call", 4, this::call).unsayable().amongCalls(4),
        new Operation("push catcher", 4, this::pushCatcher).unsayable(),
        new Operation("pop catcher", 2, this::popCatcher).unsayable(),
        new Operation("raise", 3, this::raise).unsayable());
  }

  static int frameSize(Dice dice) {
    return dice.chance(95) ? dice.between(8, 14) : dice.between(20, 150);
  }

  private void enter(Dice dice) {
    int n = frameSize(dice);
    if (canEnter()) {
      enter(n);
    }
  }

  void enter(int n) {
    twin.shadow.finalizers.beginOperation();
    twin.script.note("enter " + n);
    twin.t.enter(n);
    add(n);
  }

  /** Adds a frame to the model, and its block to the script. */
  Frame add(int slots) {
    Frame frame = new Frame(slots, twin.script.open(Scope.FRAME, "frame"));
    twin.shadow.thread().frames.add(frame);
    return frame;
  }

  private void enterWithArguments(Dice dice) {
    int n = frameSize(dice);
    int args = dice.below(n - ShadowThread.SCRATCH);
    int size = twin.frame().slots.size();
    int first = dice.below(size);
    if (!canEnter()) {
      return;
    }
    if (twin.sayable || dice.chance(50)) {
      enter(n, first, Math.min(args, size - first));
    } else {
      enterMoving(n, first, Math.min(args, Math.max(0, twin.frame().scratch() - first)));
    }
  }

  /** Enters a frame to which slots of the caller's move. */
  void enterMoving(int n, int first, int args) {
    Frame caller = twin.frame();
    twin.cannotSay("enter " + n + ", " + args + " moved from " + first);
    twin.t.enterMoving(n, first, args);
    Frame frame = add(n);
    for (int i = 0; i < args; i++) {
      frame.slots.set(i, caller.slots.set(first + i, Special.UNDEFINED));
    }
  }

  boolean canEnter() {
    return twin.shadow.thread().depth() < DEEPEST;
  }

  /**
   * Enters a frame with slots of the caller's as arguments. In the script they go through globals:
   * a block sees no locals but its own.
   */
  void enter(int n, int first, int args) {
    Frame caller = twin.frame();
    twin.shadow.finalizers.beginOperation();
    twin.script.note("enter " + n + ", " + args + " from " + first);
    twin.t.enter(n, first, args);
    List<Object> passed = caller.slots.subList(first, first + args);
    for (int i = 0; i < args; i++) {
      if (passed.get(i) != Special.UNDEFINED) {
        twin.say("set @a" + i + " " + twin.value(first + i));
      }
    }
    Frame frame = add(n);
    for (int i = 0; i < args; i++) {
      frame.slots.set(i, passed.get(i));
      if (passed.get(i) != Special.UNDEFINED) {
        twin.say("set " + twin.name(i) + " @a" + i);
        twin.say("drop @a" + i);
      }
    }
  }

  private void leave(Dice dice) {
    if (twin.shadow.thread().depth() >= 2) {
      leave();
    }
  }

  void leave() {
    remove();
    twin.t.leave();
  }

  /** Removes the model's frame, and ends its block. */
  private void remove() {
    twin.shadow.finalizers.beginOperation();
    Frame frame = twin.shadow.thread().frames.removeLast();
    if (frame.block != null) {
      twin.script.close(frame.block);
    }
  }

  private void leaveWithResult(Dice dice) {
    ShadowThread thread = twin.shadow.thread();
    if (thread.depth() < 2) {
      return;
    }
    int s = twin.slot(dice);
    Frame caller = thread.frames.get(thread.frames.size() - 2);
    int d = Twin.slotOf(caller, dice);
    twin.say("return " + twin.value(s));
    Frame frame = twin.frame();
    if (frame.block != null) {
      frame.block.setHeader("frame " + caller.name(d));
    }
    caller.slots.set(d, twin.get(s));
    remove();
    twin.t.leave(s, d);
  }

  private void compact(Dice dice) {
    int[] keep = new int[dice.below(4)];
    for (int i = 0; i < keep.length; i++) {
      keep[i] = twin.slot(dice);
    }
    IntPredicate kept = i -> Arrays.stream(keep).anyMatch(k -> k == i);
    if (twin.frame().is(Scope.FRAME) && !twin.inMainFrame()) { // there are blocks among the locals
      twin.say("tail" + twin.frame().namesInUse(0, kept));
    } else {
      sayDrop(twin.frame().namesInUse(0, kept.negate()));
    }
    for (int i = 0; i < twin.frame().slots.size(); i++) {
      if (!kept.test(i)) {
        twin.set(i, Special.UNDEFINED);
      }
    }
    switch (keep.length) {
      case 0 -> twin.t.compact();
      case 1 -> twin.t.compact(keep[0]);
      case 2 -> twin.t.compact(keep[0], keep[1]);
      default -> twin.t.compact(keep);
    }
  }

  private void sayDrop(String names) {
    if (!names.isEmpty()) {
      twin.say("drop" + names);
    }
  }

  private void wipe(Dice dice) {
    wipe(dice.below(twin.frame().slots.size() + 1));
  }

  void wipe(int from) {
    sayDrop(twin.frame().namesInUse(from, i -> true));
    for (int i = from; i < twin.frame().slots.size(); i++) {
      twin.set(i, Special.UNDEFINED);
    }
    twin.t.wipe(from);
  }

  private void call(Dice dice) {
    int f = twin.find(dice, Kind.FUNCTION);
    int n = frameSize(dice);
    ShadowThread thread = twin.shadow.thread();
    if (f >= 0 && canEnter() && thread.calls() < MOST_CALLS) {
      call(f, n);
    }
  }

  /** Calls the function in a slot. */
  void call(int f, int n) {
    ShadowElement function = twin.element(f);
    twin.cannotSay("a call of " + twin.name(f));
    twin.t.call(n, f);
    add(n).calls.add(new Call(function, 0, 0));
  }

  private void pushCatcher(Dice dice) {
    int d = twin.slot(dice);
    int pc = (int) dice.next();
    if (twin.shadow.thread().calls() < MOST_CALLS) {
      twin.cannotSay("push a catcher for " + twin.name(d));
      twin.t.pushCatcher(d, pc);
      twin.frame().calls.add(new Call(null, d, pc));
    }
  }

  private void popCatcher(Dice dice) {
    List<Call> calls = twin.frame().calls;
    if (!calls.isEmpty() && calls.getLast().isCatcher()) {
      twin.cannotSay("pop a catcher");
      calls.removeLast();
      twin.t.popCatcher();
    }
  }

  private void raise(Dice dice) {
    int s = twin.slot(dice);
    Object value = twin.get(s);
    List<Frame> frames = twin.shadow.thread().frames;
    int at = frames.size() - 1;
    while (at >= 0 && frames.get(at).calls.stream().noneMatch(Call::isCatcher)) {
      at--;
    }
    twin.cannotSay("raise " + twin.value(s) + (at < 0 ? ", without a catcher" : ""));
    int expected = -1;
    if (at >= 0) {
      Call catcher =
          frames.get(at).calls.reversed().stream()
              .filter(Call::isCatcher)
              .findFirst()
              .orElseThrow();
      if (catcher.slot() >= frames.get(at).slots.size()) {
        expectNoSlot(s);
        return;
      }
      while (frames.size() > at + 1) {
        remove();
      }
      List<Call> calls = twin.frame().calls;
      while (!calls.removeLast().equals(catcher)) {}
      twin.set(catcher.slot(), value);
      expected = catcher.pc();
    }
    int answer = twin.t.raise(s);
    if (answer != expected) {
      throw new AssertionError("raise answers " + answer + ", expected " + expected);
    }
  }

  /** The frame was made smaller since the catcher was pushed: raising changes nothing. */
  private void expectNoSlot(int s) {
    try {
      int _ = twin.t.raise(s);
    } catch (HeapUsageException expected) {
      return;
    }
    throw new AssertionError("raised to a catcher whose slot is gone");
  }
}
