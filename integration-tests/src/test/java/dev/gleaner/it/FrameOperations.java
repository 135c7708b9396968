package dev.gleaner.it;

import dev.gleaner.heap.Kind;
import dev.gleaner.it.ShadowThread.Call;
import dev.gleaner.it.ShadowThread.Frame;
import java.util.Arrays;
import java.util.List;

/** Frames, calls, catchers. */
final class FrameOperations {
  private static final int DEEPEST = 12;
  static final int MOST_CALLS = 40;

  private final Twin twin;

  FrameOperations(Twin twin) {
    this.twin = twin;
  }

  List<Operation> all() {
    return List.of(
        new Operation("enter", 8, this::enter),
        new Operation("enter with arguments", 4, this::enterWithArguments),
        new Operation("leave", 6, this::leave),
        new Operation("leave with a result", 6, this::leaveWithResult),
        new Operation("compact", 4, this::compact),
        new Operation("wipe", 2, this::wipe),
        new Operation("call", 4, this::call),
        new Operation("push catcher", 4, this::pushCatcher),
        new Operation("pop catcher", 2, this::popCatcher),
        new Operation("raise", 3, this::raise));
  }

  static int frameSize(Dice dice) {
    return dice.chance(95) ? dice.between(8, 14) : dice.between(20, 150);
  }

  private void enter(Dice dice) {
    int n = frameSize(dice);
    if (twin.shadow.thread().depth() < DEEPEST) {
      twin.log.add("enter " + n);
      twin.t.enter(n);
      twin.shadow.thread().frames.add(new Frame(n));
    }
  }

  private void enterWithArguments(Dice dice) {
    int n = frameSize(dice);
    int args = dice.below(n - ShadowThread.SCRATCH);
    int first = dice.below(twin.frame().slots.size());
    args = Math.min(args, twin.frame().slots.size() - first);
    if (twin.shadow.thread().depth() >= DEEPEST) {
      return;
    }
    twin.log.add("enter " + n + ", " + args + " from " + first);
    twin.t.enter(n, first, args);
    Frame frame = new Frame(n);
    for (int i = 0; i < args; i++) {
      frame.slots.set(i, twin.get(first + i));
    }
    twin.shadow.thread().frames.add(frame);
  }

  private void leave(Dice dice) {
    if (twin.shadow.thread().depth() >= 2) {
      twin.log.add("leave");
      twin.shadow.thread().frames.removeLast();
      twin.t.leave();
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
    twin.log.add("leave " + s + " -> " + d);
    caller.slots.set(d, twin.get(s));
    thread.frames.removeLast();
    twin.t.leave(s, d);
  }

  private void compact(Dice dice) {
    int[] keep = new int[dice.below(4)];
    for (int i = 0; i < keep.length; i++) {
      keep[i] = twin.slot(dice);
    }
    twin.log.add("compact " + Arrays.toString(keep));
    for (int i = 0; i < twin.frame().slots.size(); i++) {
      int slot = i;
      if (Arrays.stream(keep).noneMatch(k -> k == slot)) {
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

  private void wipe(Dice dice) {
    int from = dice.below(twin.frame().slots.size() + 1);
    twin.log.add("wipe " + from);
    for (int i = from; i < twin.frame().slots.size(); i++) {
      twin.set(i, Special.UNDEFINED);
    }
    twin.t.wipe(from);
  }

  private void call(Dice dice) {
    int f = twin.find(dice, Kind.FUNCTION);
    int n = frameSize(dice);
    ShadowThread thread = twin.shadow.thread();
    if (f < 0 || thread.depth() >= DEEPEST || thread.calls() >= MOST_CALLS) {
      return;
    }
    twin.log.add("call " + n + ", " + f);
    twin.t.call(n, f);
    Frame frame = new Frame(n);
    frame.calls.add(new Call(twin.element(f), 0, 0));
    thread.frames.add(frame);
  }

  private void pushCatcher(Dice dice) {
    int d = twin.slot(dice);
    int pc = (int) dice.next();
    if (twin.shadow.thread().calls() < MOST_CALLS) {
      twin.log.add("pushCatcher " + d + ", " + pc);
      twin.t.pushCatcher(d, pc);
      twin.frame().calls.add(new Call(null, d, pc));
    }
  }

  private void popCatcher(Dice dice) {
    List<Call> calls = twin.frame().calls;
    if (!calls.isEmpty() && calls.getLast().isCatcher()) {
      twin.log.add("popCatcher");
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
    twin.log.add("raise " + s + (at < 0 ? ", without a catcher" : ""));
    int expected = -1;
    if (at >= 0) {
      frames.subList(at + 1, frames.size()).clear();
      List<Call> calls = twin.frame().calls;
      while (!calls.getLast().isCatcher()) {
        calls.removeLast();
      }
      Call catcher = calls.removeLast();
      twin.set(catcher.slot(), value);
      expected = catcher.pc();
    }
    int answer = twin.t.raise(s);
    if (answer != expected) {
      throw new AssertionError("raise answers " + answer + ", expected " + expected);
    }
  }
}
