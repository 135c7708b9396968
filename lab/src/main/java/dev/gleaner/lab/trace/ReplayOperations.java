package dev.gleaner.lab.trace;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFaults;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.trace.TraceCursor;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceTable;

/**
 * Does recorded operations.
 *
 * <p>Most are calls of the operation's method with the operands as they are in the trace; {@link
 * ReplayCode} makes a subclass that has these calls, from the declarations. An operation that has a
 * method by its own name here, or in {@link HeapOperations}, is that one: it takes the operands in
 * the order of the trace, after the place in the trace if it wants that.
 *
 * <p>A weak read gives the slot what it got when it was recorded, as far as that is possible: null,
 * if it was null then. A string that was found, and is gone here, is made.
 */
abstract class ReplayOperations {
  /** Natives hold this; the program's own objects are not in the trace. */
  static final Object NATIVE = "native";

  final Replay replay;
  final Heap heap;
  final Mutator t;
  final HeapFaults faults;
  final HeapOperations references;
  private final boolean same;
  private final boolean pins;
  private final byte[] bytes = new byte[1 << 16];
  private long weakDifferences;
  private long leftOut;

  private final Walks walks = new Walks();

  ReplayOperations(Replay replay, Heap heap, boolean same) {
    this.replay = replay;
    this.heap = heap;
    this.t = heap.mutator();
    this.faults = heap.faults();
    this.references = new HeapOperations(replay, heap, same);
    this.same = same;
    this.pins = heap.traits().pinning();
  }

  /** Makes one whose operations are those that are declared. */
  static ReplayOperations of(Replay replay, Heap heap, boolean same) {
    return ReplayCode.make(replay, heap, same);
  }

  /** Reads the operands of an operation and does it. */
  abstract void run(TraceCursor in, int op);

  final void setFalse(int d) {
    t.setBoolean(d, false);
  }

  final void setTrue(int d) {
    t.setBoolean(d, true);
  }

  final void nextProperty(int o, long from, int dKey, int dValue, long recorded) {
    long here = walks.here(o, from);
    long next = t.nextProperty(o, here, dKey, dValue);
    walks.moved(o, recorded, next);
    replay.read(TraceFormat.value(next >= 0));
  }

  final void newString(TraceCursor in, int d) {
    int length = in.textLength();
    t.newString(d, in.bytes(), in.textStart(), length);
  }

  /** The buffer gets the bytes that it had: those are not in the trace otherwise. */
  final void stringFromBuffer(TraceCursor in, int d, int b, long at, int length) {
    int n = in.textLength();
    if (n > 0) {
      t.writeBytes(b, at, in.bytes(), in.textStart(), n);
    }
    t.stringFromBuffer(d, b, at, length);
  }

  final void readString(int s, int from, int length) {
    t.readString(s, from, length <= bytes.length ? bytes : new byte[length], 0, length);
  }

  final void findString(int d, boolean found, String text) {
    if (!found && !same) {
      return; // it might be there still, and the slot must stay what it is
    }
    if (t.findString(d, text) != found) {
      weakDifferences++;
      if (found) {
        t.newString(d, text);
      }
    }
  }

  final void newNative(int d, long number) {
    t.newNative(d, NATIVE, number == 0 ? null : (value, closing) -> replay.runCallback(number));
  }

  final void setFinalizer(int s, long number, String label) {
    t.setFinalizer(s, label, replay.new Body(number));
  }

  final void setInheritedFinalizer(int o, long number, String label) {
    t.setInheritedFinalizer(o, label, replay.new Body(number));
  }

  final void newWeak(int s, long number) {
    references.addWeak(number, t.newWeak(s));
  }

  final void getWeak(TraceCursor in, int d, boolean there, long number) {
    WeakRef weak = references.weak(number);
    if (weak == null) {
      replay.diverged(in, "get-weak", "no weak reference " + number + " here");
      return;
    }
    if (t.getWeak(d, weak) != there) {
      weakDifferences++;
      if (!there) {
        t.setNull(d);
      }
    }
  }

  final void setGlobal(TraceCursor in, int s, long number) {
    GlobalRef global = references.global(number);
    if (global == null) {
      replay.diverged(in, "set-global", "no global reference " + number + " here");
    } else {
      t.setGlobal(global, s);
    }
  }

  final void getGlobal(TraceCursor in, int d, long number) {
    GlobalRef global = references.global(number);
    if (global == null) {
      replay.diverged(in, "get-global", "no global reference " + number + " here");
    } else {
      t.getGlobal(d, global);
    }
  }

  final void lookUpName(TraceCursor in, int d, int o, long number) {
    GlobalRef name = references.global(number);
    if (name == null) {
      replay.diverged(in, "look-up-name", "no global reference " + number + " here");
    } else {
      replay.read(TraceFormat.tagged(t.lookUp(d, o, name)));
    }
  }

  final void lookUpKindName(TraceCursor in, int d, int o, long number) {
    GlobalRef name = references.global(number);
    if (name == null) {
      replay.diverged(in, "look-up-kind-name", "no global reference " + number + " here");
    } else {
      replay.read(TraceFormat.value(t.lookUpKind(d, o, name)));
    }
  }

  final void putName(TraceCursor in, int o, long number, int s) {
    GlobalRef name = references.global(number);
    if (name == null) {
      replay.diverged(in, "put-name", "no global reference " + number + " here");
    } else {
      t.putProperty(o, name, s);
    }
  }

  final void lookUpLinked(TraceCursor in, int d, int o, long number, int i, long linkNumber) {
    GlobalRef name = references.global(number);
    GlobalRef link = references.global(linkNumber);
    if (name == null || link == null) {
      long missing = name == null ? number : linkNumber;
      replay.diverged(in, "look-up-linked", "no global reference " + missing + " here");
    } else {
      replay.read(TraceFormat.tagged(t.lookUp(d, o, name, i, link)));
    }
  }

  final void updateName(TraceCursor in, int o, long number, int s) {
    GlobalRef name = references.global(number);
    if (name == null) {
      replay.diverged(in, "update-name", "no global reference " + number + " here");
    } else {
      replay.read(TraceFormat.value(t.update(o, name, s)));
    }
  }

  final void readBytes(int b, long at, int length) {
    copy(b, at, length, false);
  }

  final void writeBytes(int b, long at, int length) {
    copy(b, at, length, true);
  }

  /** Moves bytes of no meaning, in pieces. */
  private void copy(int b, long at, int length, boolean in) {
    for (int done = 0; ; ) {
      int n = Math.min(length - done, bytes.length);
      if (in) {
        t.writeBytes(b, at + done, bytes, 0, n);
      } else {
        t.readBytes(b, at + done, bytes, 0, n);
      }
      done += n;
      if (done == length) {
        return;
      }
    }
  }

  final void pin(int b) {
    if (pins || same) {
      Object _ = t.pin(b);
    } else {
      leftOut++;
    }
  }

  final void unpin(int b) {
    if (pins || same) {
      t.unpin(b);
    } else {
      leftOut++;
    }
  }

  /** An operation had an effect that failed in the recording: the frames must be the same again. */
  final void undo(int op) {
    switch (TraceTable.of(Heap.class).name(op)) {
      case "enter", "enter-args", "enter-moving", "call" -> t.leave();
      case "resume" -> t.suspend();
      default -> {}
    }
  }

  /** Leaves all frames, and the threads that were resumed. */
  final void leaveAll() {
    while (true) {
      while (t.frameDepth() > 1) {
        t.leave();
      }
      try {
        t.suspend();
      } catch (HeapUsageException e) { // the thread that was there at first
        if (t.frameDepth() > 0) {
          t.leave();
        }
        return;
      }
    }
  }

  final long weakDifferences() {
    return weakDifferences;
  }

  final long leftOut() {
    return leftOut + references.leftOut();
  }
}
