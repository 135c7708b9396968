package dev.gleaner.heap;

import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.memory.BlockPointer;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.trace.TraceOp;
import dev.gleaner.trace.TraceSink;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A heap whose operations are recorded; see {@link RecordingMutator}, which has those on elements.
 *
 * <p>What only looks at the heap is not recorded, nor are listeners. Global and weak references,
 * and plain blocks, have numbers in the trace that are never used again, so that they mean the same
 * when finalizers run at other moments.
 */
final class RecordingHeap extends Heap {
  private final Recorder recorder;

  private RecordingHeap(
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
        (heap, context, plugin, driver) ->
            new RecordingMutator(heap, context, plugin, driver, recorder));
    this.recorder = recorder;
  }

  static Heap make(
      String name,
      HeapSettings settings,
      String collector,
      CollectorTraits traits,
      CollectorFactory factory,
      @Nullable AllocationFunctionsFactory userFunctions,
      TraceSink trace) {
    return new RecordingHeap(
        name, settings, collector, traits, factory, userFunctions, new Recorder(trace));
  }

  /** Writes that the operation was refused, and the operation. */
  private HeapException refused(HeapException e, Runnable operation) {
    if (!(e instanceof HeapClosedException)) {
      recorder.failed(e);
      operation.run();
    }
    return e;
  }

  /** Does an operation and writes it down. */
  private void record(Runnable operation, Runnable write) {
    try {
      operation.run();
    } catch (HeapException e) {
      throw refused(e, write);
    }
    write.run();
  }

  // ---- collections ----

  @Override
  public void collect(int flags) {
    record(() -> super.collect(flags), () -> recorder.op(TraceOp.COLLECT, flags));
  }

  @Override
  public boolean step(int n) {
    boolean complete;
    try {
      complete = super.step(n);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.op(TraceOp.STEP, n));
    }
    recorder.op(TraceOp.STEP, n);
    return complete;
  }

  @Override
  public void makeBuiltins(Runnable make) {
    mutator().check();
    Objects.requireNonNull(make, "make");
    recorder.op(TraceOp.BUILTINS);
    try {
      super.makeBuiltins(make);
    } finally {
      recorder.op(TraceOp.BUILTINS_END);
    }
  }

  @Override
  public int setBaseFlags(int flags) {
    int before;
    try {
      before = super.setBaseFlags(flags);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.op(TraceOp.SET_BASE_FLAGS, flags));
    }
    recorder.op(TraceOp.SET_BASE_FLAGS, flags);
    return before;
  }

  // ---- references ----

  @Override
  public GlobalRef newGlobal() {
    GlobalRef global = super.newGlobal();
    global.recorded = recorder.newGlobal();
    recorder.opLong(TraceOp.NEW_GLOBAL, global.recorded);
    return global;
  }

  @Override
  void closeGlobal(GlobalRef ref) {
    boolean open = ref.number >= 0 && !isClosed();
    super.closeGlobal(ref);
    if (open) {
      recorder.opLong(TraceOp.CLOSE_GLOBAL, ref.recorded);
    }
  }

  @Override
  boolean isWeakCleared(WeakRef ref) {
    boolean cleared = super.isWeakCleared(ref);
    recorder.opLong(TraceOp.IS_CLEARED, ref.recorded);
    return cleared;
  }

  @Override
  void closeWeak(WeakRef ref) {
    boolean open = ref.number >= 0 && !isClosed();
    super.closeWeak(ref);
    if (open) {
      recorder.opLong(TraceOp.CLOSE_WEAK, ref.recorded);
    }
  }

  // ---- memory of the host's own, and plain blocks ----

  @Override
  public void reserveExternal(long bytes) {
    record(
        () -> super.reserveExternal(bytes), () -> recorder.opLong(TraceOp.RESERVE_EXTERNAL, bytes));
  }

  @Override
  public void releaseExternal(long bytes) {
    record(
        () -> super.releaseExternal(bytes), () -> recorder.opLong(TraceOp.RELEASE_EXTERNAL, bytes));
  }

  @Override
  public long alloc(long bytes) {
    long block;
    try {
      block = super.alloc(bytes);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLongs(TraceOp.ALLOC, bytes, 0));
    }
    recorder.opLongs(TraceOp.ALLOC, bytes, recorder.newBlock(block));
    return block;
  }

  @Override
  public long allocRaw(long bytes) {
    long block = super.allocRaw(bytes);
    recorder.opLongs(TraceOp.ALLOC_RAW, bytes, recorder.newBlock(block));
    return block;
  }

  @Override
  public long realloc(long block, long bytes) {
    mutator().check();
    long number = recorder.block(block);
    long moved;
    try {
      moved = super.realloc(block, bytes);
    } catch (HeapException e) {
      throw refused(e, () -> recorder.opLongs(TraceOp.REALLOC, number, bytes, 0));
    }
    return reallocated(TraceOp.REALLOC, block, number, bytes, moved);
  }

  @Override
  public long reallocIndirect(BlockPointer pointer, long bytes) {
    mutator().check();
    Objects.requireNonNull(pointer, "pointer");
    Last last = new Last(pointer);
    long moved;
    try {
      moved = super.reallocIndirect(last, bytes);
    } catch (HeapException e) {
      long number = recorder.block(last.block);
      throw refused(e, () -> recorder.opLongs(TraceOp.REALLOC_INDIRECT, number, bytes, 0));
    }
    long number = recorder.block(last.block);
    return reallocated(TraceOp.REALLOC_INDIRECT, last.block, number, bytes, moved);
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
  public long reallocRaw(long block, long bytes) {
    mutator().check();
    long number = recorder.block(block);
    return reallocated(TraceOp.REALLOC_RAW, block, number, bytes, super.reallocRaw(block, bytes));
  }

  private long reallocated(int op, long block, long number, long bytes, long moved) {
    long after = moved == 0 ? 0 : recorder.moveBlock(number, block, moved);
    if (bytes == 0) {
      recorder.forgetBlock(block);
    }
    recorder.opLongs(op, number, bytes, after);
    return moved;
  }

  @Override
  public void freeRaw(long block) {
    super.freeRaw(block);
    if (block != 0) {
      recorder.opLong(TraceOp.FREE, recorder.block(block));
      recorder.forgetBlock(block);
    }
  }

  @Override
  public void failAllocations(long after, long times) {
    record(
        () -> super.failAllocations(after, times),
        () -> recorder.opLongs(TraceOp.FAIL_ALLOCATIONS, after, times));
  }

  @Override
  public void clearFailAllocations() {
    super.clearFailAllocations();
    recorder.op(TraceOp.CLEAR_FAIL_ALLOCATIONS);
  }

  // ---- the end ----

  @Override
  public void close() {
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
