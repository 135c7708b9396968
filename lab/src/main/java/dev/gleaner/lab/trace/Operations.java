package dev.gleaner.lab.trace;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.trace.TraceCursor;
import dev.gleaner.trace.TraceOp;

/**
 * Does recorded operations on elements.
 *
 * <p>A weak read gives the slot what it got when it was recorded, as far as that is possible: null,
 * if it was null then. A string that was found, and is gone here, is made.
 */
final class Operations {
  /** Natives hold this; the program's own objects are not in the trace. */
  private static final Object NATIVE = "native";

  private final Replay replay;
  private final Mutator t;
  private final boolean same;
  private final boolean pins;
  private final byte[] bytes = new byte[1 << 16];
  private long weakDifferences;
  private long leftOut;

  private final Walks walks = new Walks();

  Operations(Replay replay, Mutator t, boolean same, boolean pins) {
    this.replay = replay;
    this.t = t;
    this.same = same;
    this.pins = pins;
  }

  void run(TraceCursor in, int op) {
    switch (op) {
      case TraceOp.ENTER -> t.enter(in.n());
      case TraceOp.ENTER_ARGS -> t.enter(in.n(), in.n(), in.n());
      case TraceOp.LEAVE -> t.leave();
      case TraceOp.LEAVE_VALUE -> t.leave(in.n(), in.n());
      case TraceOp.COMPACT -> t.compact();
      case TraceOp.COMPACT_TWO -> t.compact(in.n(), in.n());
      case TraceOp.COMPACT_LIST -> t.compact(in.k());
      case TraceOp.WIPE -> t.wipe(in.n());
      case TraceOp.SET_UNDEFINED -> t.setUndefined(in.n());
      case TraceOp.SET_NULL -> t.setNull(in.n());
      case TraceOp.SET_FALSE -> t.setBoolean(in.n(), false);
      case TraceOp.SET_TRUE -> t.setBoolean(in.n(), true);
      case TraceOp.SET_INT -> t.setInt(in.n(), in.i());
      case TraceOp.SET_DOUBLE -> t.setDouble(in.n(), in.d());
      case TraceOp.COPY -> t.copy(in.n(), in.n());
      case TraceOp.TYPE -> replay.read(t.type(in.n()).name().hashCode());
      case TraceOp.IS_UNDEFINED -> read(t.isUndefined(in.n()));
      case TraceOp.IS_NULL -> read(t.isNull(in.n()));
      case TraceOp.IS_REFERENCE -> read(t.isReference(in.n()));
      case TraceOp.GET_BOOLEAN -> read(t.getBoolean(in.n()));
      case TraceOp.GET_INT -> replay.read(t.getInt(in.n()));
      case TraceOp.GET_DOUBLE -> replay.read(Double.doubleToLongBits(t.getDouble(in.n())));
      case TraceOp.KIND -> replay.read(t.kind(in.n()).name().hashCode());
      case TraceOp.SAME -> read(t.same(in.n(), in.n()));
      case TraceOp.NEW_RECORD -> t.newRecord(in.n(), in.n());
      case TraceOp.STORE -> t.store(in.n(), in.n(), in.n());
      case TraceOp.LOAD -> t.load(in.n(), in.n(), in.n());
      case TraceOp.STORE_INT -> t.storeInt(in.n(), in.n(), in.i());
      case TraceOp.STORE_NULL -> t.storeNull(in.n(), in.n());
      case TraceOp.LOAD_INT -> replay.read(t.loadInt(in.n(), in.n()));
      case TraceOp.SLOT_COUNT -> replay.read(t.slotCount(in.n()));
      default -> runOther(in, op);
    }
  }

  private void runOther(TraceCursor in, int op) {
    switch (op) {
      case TraceOp.NEW_OBJECT -> t.newObject(in.n(), in.n());
      case TraceOp.GET_PROTOTYPE -> t.getPrototype(in.n(), in.n());
      case TraceOp.SET_PROTOTYPE -> t.setPrototype(in.n(), in.n());
      case TraceOp.GET_PROPERTY -> t.getProperty(in.n(), in.n(), in.n());
      case TraceOp.GET_OWN_PROPERTY -> read(t.getOwnProperty(in.n(), in.n(), in.n()));
      case TraceOp.PUT_PROPERTY -> t.putProperty(in.n(), in.n(), in.n());
      case TraceOp.DELETE_PROPERTY -> read(t.deleteProperty(in.n(), in.n()));
      case TraceOp.HAS_PROPERTY -> read(t.hasProperty(in.n(), in.n()));
      case TraceOp.GET_INDEX -> t.getIndex(in.n(), in.n(), in.n());
      case TraceOp.PUT_INDEX -> t.putIndex(in.n(), in.n(), in.n());
      case TraceOp.ARRAY_LENGTH -> replay.read(t.arrayLength(in.n()));
      case TraceOp.PROPERTY_COUNT -> replay.read(t.propertyCount(in.n()));
      case TraceOp.NEXT_PROPERTY -> nextProperty(in.n(), in.j(), in.n(), in.n(), in.j());
      case TraceOp.NEXT_PROPERTY_AFTER -> read(t.nextPropertyAfter(in.n(), in.n(), in.n(), in.n()));
      case TraceOp.NEW_STRING -> newString(in, in.n());
      case TraceOp.FIND_STRING -> findString(in.n(), in.n() != 0, in.t());
      case TraceOp.GET_STRING -> replay.read(t.getString(in.n()).hashCode());
      case TraceOp.STRING_LENGTH -> replay.read(t.stringLength(in.n()));
      case TraceOp.STRING_BYTES -> replay.read(t.stringBytes(in.n()));
      case TraceOp.CHAR_AT -> replay.read(t.charAt(in.n(), in.n()));
      case TraceOp.NEW_NATIVE -> newNative(in.n(), in.l());
      case TraceOp.NATIVE_VALUE -> {
        Object _ = t.nativeValue(in.n());
      }
      case TraceOp.NEW_FUNCTION -> t.newFunction(in.n(), in.n(), in.n());
      case TraceOp.STORE_CONSTANT -> t.storeConstant(in.n(), in.n(), in.n());
      case TraceOp.LOAD_CONSTANT -> t.loadConstant(in.n(), in.n(), in.n());
      case TraceOp.STORE_INNER -> t.storeInner(in.n(), in.n(), in.n());
      case TraceOp.LOAD_INNER -> t.loadInner(in.n(), in.n(), in.n());
      case TraceOp.NEW_THREAD -> t.newThread(in.n());
      case TraceOp.PUSH -> t.push(in.n(), in.n());
      case TraceOp.POP -> t.pop(in.n(), in.n());
      case TraceOp.RESUME -> t.resume(in.n(), in.n());
      case TraceOp.SUSPEND -> t.suspend();
      case TraceOp.CALL -> t.call(in.n(), in.n());
      case TraceOp.PUSH_CATCHER -> t.pushCatcher(in.n(), in.i());
      case TraceOp.POP_CATCHER -> t.popCatcher();
      case TraceOp.RAISE -> replay.read(t.raise(in.n()));
      default -> runReference(in, op);
    }
  }

  private void runReference(TraceCursor in, int op) {
    switch (op) {
      case TraceOp.SET_FINALIZER -> setFinalizer(in.n(), in.l(), in.t());
      case TraceOp.CLEAR_FINALIZER -> {
        boolean _ = t.clearFinalizer(in.n());
      }
      case TraceOp.HAS_FINALIZER -> {
        boolean _ = t.hasFinalizer(in.n());
      }
      case TraceOp.IDENTITY_HASH -> {
        int _ = t.identityHash(in.n());
      }
      case TraceOp.NEW_WEAK -> newWeak(in.n(), in.l());
      case TraceOp.GET_WEAK -> getWeak(in, in.n(), in.n() != 0, in.l());
      case TraceOp.SET_GLOBAL -> setGlobal(in, in.n(), in.l());
      case TraceOp.GET_GLOBAL -> getGlobal(in, in.n(), in.l());
      default -> runBytes(in, op);
    }
  }

  private void runBytes(TraceCursor in, int op) {
    switch (op) {
      case TraceOp.NEW_BUFFER -> t.newBuffer(in.n(), in.l());
      case TraceOp.NEW_DYNAMIC_BUFFER -> t.newDynamicBuffer(in.n(), in.l());
      case TraceOp.BUFFER_SIZE -> replay.read(t.bufferSize(in.n()));
      case TraceOp.RESIZE_BUFFER -> t.resizeBuffer(in.n(), in.l());
      case TraceOp.GET_BYTE -> {
        byte _ = t.getByte(in.n(), in.l());
      }
      case TraceOp.PUT_BYTE -> t.putByte(in.n(), in.l(), (byte) 0);
      case TraceOp.GET_LONG -> {
        long _ = t.getLong(in.n(), in.l());
      }
      case TraceOp.PUT_LONG -> t.putLong(in.n(), in.l(), 0);
      case TraceOp.READ_BYTES -> copy(in.n(), in.l(), in.n(), false);
      case TraceOp.WRITE_BYTES -> copy(in.n(), in.l(), in.n(), true);
      case TraceOp.VIEW -> {
        Object _ = t.view(in.n());
      }
      case TraceOp.PIN -> pin(in.n());
      case TraceOp.UNPIN -> unpin(in.n());
      default -> throw in.unknown(op);
    }
  }

  private void read(boolean value) {
    replay.read(value ? 1 : 0);
  }

  private void nextProperty(int o, long from, int dKey, int dValue, long recorded) {
    long here = walks.here(o, from);
    long next = t.nextProperty(o, here, dKey, dValue);
    walks.moved(o, recorded, next);
    read(next >= 0);
  }

  private void newString(TraceCursor in, int d) {
    int length = in.textLength();
    t.newString(d, in.bytes(), in.textStart(), length);
  }

  private void findString(int d, boolean found, String text) {
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

  private void newNative(int d, long number) {
    t.newNative(d, NATIVE, number == 0 ? null : (value, closing) -> replay.runCallback(number));
  }

  private void setFinalizer(int s, long number, String label) {
    t.setFinalizer(s, label, replay.new Body(number));
  }

  private void newWeak(int s, long number) {
    replay.references().addWeak(number, t.newWeak(s));
  }

  private void getWeak(TraceCursor in, int d, boolean there, long number) {
    WeakRef weak = replay.references().weak(number);
    if (weak == null) {
      replay.diverged(in, TraceOp.GET_WEAK, "no weak reference " + number + " here");
      return;
    }
    if (t.getWeak(d, weak) != there) {
      weakDifferences++;
      if (!there) {
        t.setNull(d);
      }
    }
  }

  private void setGlobal(TraceCursor in, int s, long number) {
    GlobalRef global = replay.references().global(number);
    if (global == null) {
      replay.diverged(in, TraceOp.SET_GLOBAL, "no global reference " + number + " here");
    } else {
      t.setGlobal(global, s);
    }
  }

  private void getGlobal(TraceCursor in, int d, long number) {
    GlobalRef global = replay.references().global(number);
    if (global == null) {
      replay.diverged(in, TraceOp.GET_GLOBAL, "no global reference " + number + " here");
    } else {
      t.getGlobal(d, global);
    }
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

  private void pin(int b) {
    if (pins || same) {
      Object _ = t.pin(b);
    } else {
      leftOut++;
    }
  }

  private void unpin(int b) {
    if (pins || same) {
      t.unpin(b);
    } else {
      leftOut++;
    }
  }

  /** An operation had an effect that failed in the recording: the frames must be the same again. */
  void undo(int op) {
    switch (op) {
      case TraceOp.ENTER, TraceOp.ENTER_ARGS, TraceOp.CALL -> t.leave();
      case TraceOp.RESUME -> t.suspend();
      default -> {}
    }
  }

  /** Leaves all frames, and the threads that were resumed. */
  void leaveAll() {
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

  long weakDifferences() {
    return weakDifferences;
  }

  long leftOut() {
    return leftOut;
  }
}
