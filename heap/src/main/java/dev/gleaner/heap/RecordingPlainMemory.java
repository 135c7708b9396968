package dev.gleaner.heap;

import static dev.gleaner.heap.HeapTrace.code;

import dev.gleaner.memory.BlockPointer;
import dev.gleaner.refusal.HeapException;
import java.util.Objects;

/**
 * Plain blocks with a trace of their operations. The trace numbers blocks, and uses no number
 * twice, as with references ({@link RecordingHeap}).
 */
abstract non-sealed class RecordingPlainMemory extends PlainMemory {
  private static final int ALLOC = code("alloc");
  private static final int ALLOC_RAW = code("alloc-raw");
  private static final int REALLOC = code("realloc");
  private static final int REALLOC_INDIRECT = code("realloc-indirect");
  private static final int REALLOC_RAW = code("realloc-raw");
  private static final int FREE = code("free");

  private final Registers registers;
  final Recorder recorder;

  RecordingPlainMemory(HeapCore core, Recorder recorder) {
    super(core);
    this.registers = core.registers();
    this.recorder = recorder;
  }

  @Override
  public long alloc(long bytes) {
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
  public long allocRaw(long bytes) {
    long block = super.allocRaw(bytes);
    Recorder _ = recorder.code(ALLOC_RAW).l(bytes).l(recorder.newBlock(block));
    return block;
  }

  @Override
  public long realloc(long block, long bytes) {
    registers.check();
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
  public long reallocIndirect(BlockPointer pointer, long bytes) {
    registers.check();
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

  /** A pointer, and its last result. */
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
    registers.check();
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
  public void freeRaw(long block) {
    super.freeRaw(block);
    if (block != 0) {
      Recorder _ = recorder.code(FREE).l(recorder.block(block));
      recorder.forgetBlock(block);
    }
  }
}
