package dev.gleaner.heap;

import static dev.gleaner.heap.HeapTrace.code;

import dev.gleaner.image.StandIn;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.spi.Collector;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The mutator of a heap with a trace. This class is loaded only for a recording. Without it the
 * compiler knows that {@link Mutator} has no subclass, and makes direct calls.
 *
 * <p>Every method does the operation, and then records it. Refused operations are recorded, too, as
 * they may have collected. After an Error there is no trace, as nobody knows how much of the
 * operation was done. An operation that throws another exception has done nothing, and is not
 * recorded.
 *
 * <p>If a public method calls another public method, only the inner method is recorded: {@code
 * compact(a)} as {@code compact(a, a)}, doubles of a buffer as longs.
 *
 * <p>This class has only the operations whose operands differ from their parameters. {@link
 * RecordingCode} generates a subclass with all other operations.
 */
abstract non-sealed class RecordingMutator extends Mutator {
  private static final int SET_FALSE = code("set-false");
  private static final int SET_TRUE = code("set-true");
  private static final int NEXT_PROPERTY = code("next-property");
  private static final int NEW_STRING = code("new-string");
  private static final int FIND_STRING = code("find-string");
  private static final int STRING_FROM_BUFFER = code("string-from-buffer");
  private static final int NEW_NATIVE = code("new-native");
  private static final int SET_FINALIZER = code("set-finalizer");
  private static final int SET_INHERITED_FINALIZER = code("set-inherited-finalizer");
  private static final int NEW_WEAK = code("new-weak");
  private static final int GET_WEAK = code("get-weak");

  final Recorder recorder;

  RecordingMutator(
      HeapParts context, Collector collector, HeapCore.Maker maker, Recorder recorder) {
    super(context, collector, maker);
    this.recorder = recorder;
  }

  @Override
  public void setBoolean(int d, boolean v) {
    try {
      super.setBoolean(d, v);
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        recorder.op(v ? SET_TRUE : SET_FALSE, d);
      }
      throw e;
    }
    recorder.op(v ? SET_TRUE : SET_FALSE, d);
  }

  @Override
  public long nextProperty(int o, long cursor, int dKey, int dValue) {
    long result;
    try {
      result = super.nextProperty(o, cursor, dKey, dValue);
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        walk(o, cursor, dKey, dValue, 0);
      }
      throw e;
    }
    walk(o, cursor, dKey, dValue, result);
    recorder.read(result < 0 ? 0 : 1);
    return result;
  }

  private void walk(int o, long cursor, int dKey, int dValue, long result) {
    Recorder _ = recorder.code(NEXT_PROPERTY).n(o).j(cursor).n(dKey).n(dValue).j(result);
  }

  @Override
  public final void newString(int d, byte[] bytes, int offset, int length) {
    try {
      recordString(d, bytes, offset, length);
    } catch (Error e) {
      recorder.missed = true;
      throw e;
    }
  }

  private void recordString(int d, byte[] bytes, int offset, int length) {
    try {
      super.newString(d, bytes, offset, length);
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        Recorder _ = recorder.code(NEW_STRING, length).n(d).t(bytes, offset, length);
      }
      throw e;
    }
    Recorder _ = recorder.code(NEW_STRING, length).n(d).t(bytes, offset, length);
  }

  /** Records the bytes, too, as a trace does not have the contents of buffers. */
  @Override
  public void stringFromBuffer(int d, int b, long at, int length) {
    try {
      super.stringFromBuffer(d, b, at, length);
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        Recorder _ =
            recorder.code(STRING_FROM_BUFFER).n(d).n(b).l(at).n(length).t(new byte[0], 0, 0);
      }
      throw e;
    }
    byte[] bytes = new byte[length];
    super.readString(d, 0, bytes, 0, length);
    Recorder _ =
        recorder.code(STRING_FROM_BUFFER, length).n(d).n(b).l(at).n(length).t(bytes, 0, length);
  }

  @Override
  public boolean findString(int d, String text) {
    boolean result;
    try {
      result = super.findString(d, text);
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        found(d, false, text);
      }
      throw e;
    }
    found(d, result, text);
    return result;
  }

  private void found(int d, boolean found, String text) {
    Recorder _ = recorder.code(FIND_STRING, Recorder.most(text)).n(d).n(found ? 1 : 0).t(text);
  }

  @Override
  public void newNative(int d, Object value, @Nullable FreeCallback onFree) {
    check();
    long number = onFree == null ? 0 : recorder.newCallback();
    try {
      super.newNative(d, value, onFree == null ? null : recorded(number, onFree));
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        Recorder _ = recorder.code(NEW_NATIVE).n(d).l(number);
      }
      throw e;
    }
    Recorder _ = recorder.code(NEW_NATIVE).n(d).l(number);
  }

  private FreeCallback recorded(long number, FreeCallback onFree) {
    return new RecordedCallback(recorder, number, onFree);
  }

  /** Each native of an image has a callback of its own, as its run is known by the number. */
  @Override
  FreeCallback openedCallback(FreeCallback callback) {
    return recorded(recorder.newCallback(), callback);
  }

  /** What the trace knows by a number. */
  sealed interface Numbered {
    /** Returns the number. */
    long number();
  }

  /** Records the operations of an on-free callback in brackets. */
  private record RecordedCallback(Recorder recorder, long number, FreeCallback original)
      implements FreeCallback, StandIn, Numbered {
    @Override
    public void freed(Object value, boolean closing) {
      recorder.begin(Recorder.CALLBACK, number, 0);
      boolean returned = false;
      try {
        original.freed(value, closing);
        returned = true;
      } finally {
        recorder.end(!returned);
      }
    }
  }

  @Override
  public void setFinalizer(int s, String label, Finalizer finalizer) {
    RecordedFinalizer recorded = recorded(label, finalizer);
    try {
      super.setFinalizer(s, label, recorded);
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        registered(SET_FINALIZER, s, recorded.number, label);
      }
      throw e;
    }
    registered(SET_FINALIZER, s, recorded.number, label);
  }

  @Override
  public void setInheritedFinalizer(int o, String label, Finalizer finalizer) {
    RecordedFinalizer recorded = recorded(label, finalizer);
    try {
      super.setInheritedFinalizer(o, label, recorded);
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        registered(SET_INHERITED_FINALIZER, o, recorded.number, label);
      }
      throw e;
    }
    registered(SET_INHERITED_FINALIZER, o, recorded.number, label);
  }

  private RecordedFinalizer recorded(String label, Finalizer finalizer) {
    check();
    Objects.requireNonNull(label, "label");
    Objects.requireNonNull(finalizer, "finalizer");
    return new RecordedFinalizer(recorder, recorder.newFinalizer(), finalizer);
  }

  @Override
  Finalizer openedFinalizer(Finalizer finalizer) {
    return new RecordedFinalizer(recorder, recorder.newFinalizer(), finalizer);
  }

  private void registered(int code, int s, long number, String label) {
    Recorder _ = recorder.code(code, Recorder.most(label)).n(s).l(number).t(label);
  }

  /** Records the operations of a finalizer in brackets, by the number of its registration. */
  private static final class RecordedFinalizer implements Finalizer, StandIn, Numbered {
    private final Recorder recorder;
    private final long number;
    private final Finalizer finalizer;
    private long runs;

    RecordedFinalizer(Recorder recorder, long number, Finalizer finalizer) {
      this.recorder = recorder;
      this.number = number;
      this.finalizer = finalizer;
    }

    @Override
    public void run(Mutator mutator, boolean closing) {
      recorder.begin(Recorder.FINALIZER, number, runs++);
      boolean returned = false;
      try {
        finalizer.run(mutator, closing);
        returned = true;
      } finally {
        recorder.end(!returned);
      }
    }

    @Override
    public Object original() {
      return finalizer;
    }

    @Override
    public long number() {
      return number;
    }

    @Override
    public boolean refuses() {
      return finalizer.refuses();
    }
  }

  @Override
  public WeakRef newWeak(int s) {
    check();
    long number = recorder.newWeak();
    WeakRef weak;
    try {
      weak = super.newWeak(s);
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        Recorder _ = recorder.code(NEW_WEAK).n(s).l(number);
      }
      throw e;
    }
    Recorder _ = recorder.code(NEW_WEAK).n(s).l(number);
    weak.recorded = number;
    return weak;
  }

  @Override
  public boolean getWeak(int d, WeakRef weak) {
    boolean result;
    try {
      result = super.getWeak(d, weak);
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        Recorder _ = recorder.code(GET_WEAK).n(d).n(0).l(weak.recorded);
      }
      throw e;
    }
    Recorder _ = recorder.code(GET_WEAK).n(d).n(result ? 1 : 0).l(weak.recorded);
    return result;
  }
}
