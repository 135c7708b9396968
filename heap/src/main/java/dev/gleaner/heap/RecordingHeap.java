package dev.gleaner.heap;

import static dev.gleaner.heap.HeapTrace.code;

import dev.gleaner.image.ImageRole;
import dev.gleaner.image.ImageWriter;
import dev.gleaner.parts.HeapPlan;
import dev.gleaner.trace.TraceOp;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A heap with a trace of its operations. {@link RecordingMutator} records the operations on
 * elements.
 *
 * <p>Calls that only look at the heap are not recorded, and neither are listeners. The trace
 * numbers global and weak references, and uses no number twice. So a number means the same if
 * finalizers run at other moments.
 */
abstract non-sealed class RecordingHeap extends Heap {
  private static final int NEW_GLOBAL = code("new-global");
  private static final int CLOSE_GLOBAL = code("close-global");
  private static final int CLOSE_WEAK = code("close-weak");

  /** Makes a heap of the class that {@link RecordingCode} generates. */
  private static final MethodHandle MAKE =
      RecordingCode.constructor(
          RecordingHeap.class, MethodType.methodType(void.class, HeapPlan.class, Recorder.class));

  final Recorder recorder;

  RecordingHeap(HeapPlan plan, Recorder recorder) {
    super(plan, new RecordingParts(recorder));
    this.recorder = recorder;
  }

  static Heap make(HeapPlan plan, Recorder recorder) {
    try {
      return (RecordingHeap) MAKE.invokeExact(plan, recorder);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  /** A replay has nobody to ask, so all slots are roots in both runs. */
  @Override
  public final void setDeadSlots(@Nullable DeadSlots dead) {
    super.setDeadSlots(null);
  }

  @Override
  public final void makeBuiltins(Runnable make) {
    try {
      checkCall();
      Objects.requireNonNull(make, "make");
      recorder.op(TraceOp.BUILTINS);
      try {
        super.makeBuiltins(make);
      } finally {
        recorder.op(TraceOp.BUILTINS_END);
      }
    } catch (Error e) {
      recorder.missed = true;
      throw e;
    }
  }

  // ---- references ----

  @Override
  public GlobalRef newGlobal() {
    GlobalRef global = super.newGlobal();
    global.recorded = recorder.newGlobal();
    Recorder _ = recorder.code(NEW_GLOBAL).l(global.recorded);
    return global;
  }

  @Override
  void closeGlobal(GlobalRef ref) {
    boolean open = ref.number >= 0 && !isClosed();
    super.closeGlobal(ref);
    if (open) {
      Recorder _ = recorder.code(CLOSE_GLOBAL).l(ref.recorded);
    }
  }

  @Override
  void closeWeak(WeakRef ref) {
    boolean open = ref.number >= 0 && !isClosed();
    super.closeWeak(ref);
    if (open) {
      Recorder _ = recorder.code(CLOSE_WEAK).l(ref.recorded);
    }
  }

  // ---- images ----

  /**
   * The trace begins with an image of its own, which has numbers of the trace for names, so that it
   * needs nobody's bindings.
   */
  @Override
  final void opened(Map<String, GlobalRef> named) {
    Map<String, GlobalRef> numbered = new LinkedHashMap<>();
    named
        .values()
        .forEach(ref -> {
          ref.recorded = recorder.newGlobal();
          numbered.put(TraceNames.text(ref.recorded), ref);
        });
    recorder.image(save(numbered, new TraceNames()));
  }

  /** Names finalizers, callbacks and global references by their numbers in the trace. */
  private static final class TraceNames implements ImageWriter.Names {
    /** Of one length, so that global references keep their order. */
    static String text(long number) {
      return HexFormat.of().toHexDigits(number);
    }

    @Override
    public Object object(Object held) {
      return held;
    }

    @Override
    public byte[] write(ImageRole role, Object object) {
      return switch (object) {
        case RecordingMutator.Numbered numbered -> ascii(text(numbered.number()));
        case Integer code when role == ImageRole.CODE -> ascii(text(code));
        default -> new byte[0]; // the objects of natives and threads are not in a trace
      };
    }

    private static byte[] ascii(String text) {
      return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String describe(ImageRole role, Object object) {
      return role.text();
    }
  }

  // ---- the end ----

  @Override
  public final void close() {
    if (isClosed()) {
      return;
    }
    claim();
    boolean whole = isSound() && !recorder.missed;
    HeapStatistics before = whole ? snapshot() : null;
    try {
      super.close();
    } finally {
      if (isClosed()) { // a finalizer's call of close is refused
        if (before != null && !recorder.missed) {
          recorder.close(before, snapshot());
        } else {
          recorder.discard();
        }
      }
    }
  }
}
