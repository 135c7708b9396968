package dev.gleaner.heap;

import static dev.gleaner.trace.TraceOp.code;

import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.memory.BlockPointer;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.trace.TraceOp;
import dev.gleaner.trace.TraceSink;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A heap whose operations are recorded; see {@link RecordingMutator}, which has those on elements.
 *
 * <p>What only looks at the heap is not recorded, nor are listeners. Global and weak references,
 * and plain blocks, have numbers in the trace that are never used again, so that they mean the same
 * when finalizers run at other moments.
 */
abstract non-sealed class RecordingHeap extends Heap {
  private static final int NEW_GLOBAL = code("new-global");
  private static final int CLOSE_GLOBAL = code("close-global");
  private static final int CLOSE_WEAK = code("close-weak");
  private static final int ALLOC = code("alloc");
  private static final int ALLOC_RAW = code("alloc-raw");
  private static final int REALLOC = code("realloc");
  private static final int REALLOC_INDIRECT = code("realloc-indirect");
  private static final int REALLOC_RAW = code("realloc-raw");
  private static final int FREE = code("free");

  /** Makes one, of the class that {@link RecordingCode} makes. */
  private static final MethodHandle MAKE =
      RecordingCode.constructor(
          RecordingHeap.class,
          MethodType.methodType(
              void.class,
              String.class,
              HeapSettings.class,
              String.class,
              CollectorTraits.class,
              CollectorFactory.class,
              AllocationFunctionsFactory.class,
              Recorder.class));

  private static final MethodHandle MAKE_THREAD =
      RecordingCode.constructor(
          RecordingMutator.class,
          MethodType.methodType(
              void.class,
              Heap.class,
              HeapContext.class,
              Collector.class,
              Driver.class,
              Recorder.class));

  final Recorder recorder;

  RecordingHeap(
      String name,
      HeapSettings settings,
      String collector,
      CollectorTraits traits,
      CollectorFactory factory,
      @Nullable AllocationFunctionsFactory userFunctions,
      Recorder recorder) {
    super(
        name,
        settings,
        collector,
        traits,
        factory,
        userFunctions,
        (heap, context, plugin, driver) -> thread(heap, context, plugin, driver, recorder));
    this.recorder = recorder;
  }

  private static Mutator thread(
      Heap heap, HeapContext context, Collector collector, Driver driver, Recorder recorder) {
    try {
      return (RecordingMutator) MAKE_THREAD.invokeExact(heap, context, collector, driver, recorder);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  static Heap make(
      String name,
      HeapSettings settings,
      String collector,
      CollectorTraits traits,
      CollectorFactory factory,
      @Nullable AllocationFunctionsFactory userFunctions,
      TraceSink trace) {
    try {
      return (RecordingHeap)
          MAKE.invokeExact(
              name, settings, collector, traits, factory, userFunctions, new Recorder(trace));
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  @Override
  public final void makeBuiltins(Runnable make) {
    mutator().check();
    Objects.requireNonNull(make, "make");
    recorder.op(TraceOp.BUILTINS);
    try {
      super.makeBuiltins(make);
    } finally {
      recorder.op(TraceOp.BUILTINS_END);
    }
  }

  // ---- references ----

  @Override
  public final GlobalRef newGlobal() {
    GlobalRef global = super.newGlobal();
    global.recorded = recorder.newGlobal();
    Recorder _ = recorder.code(NEW_GLOBAL).l(global.recorded);
    return global;
  }

  @Override
  final void closeGlobal(GlobalRef ref) {
    boolean open = ref.number >= 0 && !isClosed();
    super.closeGlobal(ref);
    if (open) {
      Recorder _ = recorder.code(CLOSE_GLOBAL).l(ref.recorded);
    }
  }

  @Override
  final void closeWeak(WeakRef ref) {
    boolean open = ref.number >= 0 && !isClosed();
    super.closeWeak(ref);
    if (open) {
      Recorder _ = recorder.code(CLOSE_WEAK).l(ref.recorded);
    }
  }

  // ---- plain blocks ----

  @Override
  public final long alloc(long bytes) {
    long block;
    try {
      block = super.alloc(bytes);
    } catch (HeapException e) {
      if (recorder.refused(e)) {
        Recorder _ = recorder.code(ALLOC).l(bytes).l(0);
      }
      throw e;
    }
    Recorder _ = recorder.code(ALLOC).l(bytes).l(recorder.newBlock(block));
    return block;
  }

  @Override
  public final long allocRaw(long bytes) {
    long block = super.allocRaw(bytes);
    Recorder _ = recorder.code(ALLOC_RAW).l(bytes).l(recorder.newBlock(block));
    return block;
  }

  @Override
  public final long realloc(long block, long bytes) {
    mutator().check();
    long number = recorder.block(block);
    long moved;
    try {
      moved = super.realloc(block, bytes);
    } catch (HeapException e) {
      throw refused(e, REALLOC, number, bytes);
    }
    return reallocated(REALLOC, block, number, bytes, moved);
  }

  @Override
  public final long reallocIndirect(BlockPointer pointer, long bytes) {
    mutator().check();
    Objects.requireNonNull(pointer, "pointer");
    Last last = new Last(pointer);
    long moved;
    try {
      moved = super.reallocIndirect(last, bytes);
    } catch (HeapException e) {
      throw refused(e, REALLOC_INDIRECT, recorder.block(last.block), bytes);
    }
    long number = recorder.block(last.block);
    return reallocated(REALLOC_INDIRECT, last.block, number, bytes, moved);
  }

  /** A pointer, and what it answered last. */
  private static final class Last implements BlockPointer {
    private final BlockPointer pointer;
    long block;

    Last(BlockPointer pointer) {
      this.pointer = pointer;
    }

    @Override
    public long block() {
      block = pointer.block();
      return block;
    }
  }

  @Override
  public final long reallocRaw(long block, long bytes) {
    mutator().check();
    long number = recorder.block(block);
    return reallocated(REALLOC_RAW, block, number, bytes, super.reallocRaw(block, bytes));
  }

  private HeapException refused(HeapException e, int op, long number, long bytes) {
    if (recorder.refused(e)) {
      Recorder _ = recorder.code(op).l(number).l(bytes).l(0);
    }
    return e;
  }

  private long reallocated(int op, long block, long number, long bytes, long moved) {
    long after = moved == 0 ? 0 : recorder.moveBlock(number, block, moved);
    if (bytes == 0) {
      recorder.forgetBlock(block);
    }
    Recorder _ = recorder.code(op).l(number).l(bytes).l(after);
    return moved;
  }

  @Override
  public final void freeRaw(long block) {
    super.freeRaw(block);
    if (block != 0) {
      Recorder _ = recorder.code(FREE).l(recorder.block(block));
      recorder.forgetBlock(block);
    }
  }

  // ---- the end ----

  @Override
  public final void close() {
    if (isClosed()) {
      return;
    }
    mutator().check();
    HeapStatistics before = snapshot();
    try {
      super.close();
    } finally {
      if (isClosed()) { // not where a finalizer tried to
        recorder.close(before, snapshot());
      }
    }
  }
}
