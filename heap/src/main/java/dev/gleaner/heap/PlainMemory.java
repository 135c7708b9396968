package dev.gleaner.heap;

import dev.gleaner.mark.OffsetSet;
import dev.gleaner.memory.BlockPointer;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.trace.Traced;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Plain blocks of a heap's memory: bytes that no collector looks at, which the program frees itself
 * (Duktape, "Memory allocation"). They count against the limit.
 *
 * <p>The plain variants collect if there is no room, those with {@code Raw} never do.
 */
public sealed class PlainMemory permits RecordingPlainMemory {
  private final Mutator mutator;
  private final HeapParts context;
  private final Memory memory;
  private final Driver driver;

  /**
   * The plain blocks that the program has. The allocator knows which cells are in use, but not for
   * whom: a block that was freed may be a property table by now.
   */
  private final OffsetSet plain = new OffsetSet();

  PlainMemory(Mutator mutator, HeapParts context, Driver driver) {
    this.mutator = mutator;
    this.context = context;
    this.memory = context.memory();
    this.driver = driver;
  }

  /**
   * Allocates a plain block, collecting if need be; 0 if refused, or if {@code bytes} is 0.
   *
   * @param bytes the size, in bytes
   * @return the block's offset, aligned to 8 bytes; 0 if it is refused even after emergency
   *     collections, or if {@code bytes} is 0
   */
  @Traced(code = 123, operands = "bytes bytes, made number or 0 if refused", reads = false)
  public long alloc(long bytes) {
    mutator.check();
    checkSize(bytes);
    if (bytes == 0) {
      return 0;
    }
    try {
      driver.beforeAllocation();
      for (int attempt = 0; ; attempt++) {
        long block = context.functions().alloc(bytes);
        if (block != 0 || !driver.mayRetry(attempt, bytes)) {
          return handedOut(block);
        }
        driver.retry(attempt);
      }
    } catch (Error e) {
      mutator.owner = null; // in doubt
      throw e;
    }
  }

  private long handedOut(long block) {
    if (block != 0) {
      boolean _ = plain.add(block);
    }
    return block;
  }

  /**
   * Allocates a plain block that reads as zero.
   *
   * @param bytes the size, in bytes
   * @return as {@link #alloc}
   */
  public long allocZeroed(long bytes) {
    long block = alloc(bytes);
    if (block != 0) {
      memory.zero(block, bytes + 7 & -8L);
    }
    return block;
  }

  /**
   * Allocates a plain block.
   *
   * @param bytes the size, in bytes
   * @return the block; 0 only if {@code bytes} is 0
   * @throws HeapExhaustedException instead of answering 0
   */
  public long allocChecked(long bytes) {
    return checked(alloc(bytes), bytes);
  }

  /**
   * Reallocates a plain block that no finalizer touches; 0 if refused, the block stays then.
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   * @param bytes the new size; 0 frees the block
   * @return where the block is now; 0 if it is refused, or freed
   */
  @Traced(
      code = 125,
      operands = "block number, bytes bytes, made number afterwards or 0",
      reads = false)
  public long realloc(long block, long bytes) {
    return realloc(null, block, bytes);
  }

  /**
   * Reallocates a plain block.
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   * @param bytes the new size; 0 frees the block
   * @return where the block is now; 0 only if {@code bytes} is 0
   * @throws HeapExhaustedException instead of answering 0; the block stays
   */
  public long reallocChecked(long block, long bytes) {
    return checked(realloc(block, bytes), bytes);
  }

  /**
   * Reallocates a block whose place is asked for anew before every try: a finalizer may move it.
   *
   * @param pointer asked before each try; must not use the heap
   * @param bytes the new size; 0 frees the block
   * @return where the block is now, to be noted where the pointer looks; 0 if it is refused, or
   *     freed
   */
  @Traced(
      code = 126,
      operands = "block number, bytes bytes, made number afterwards or 0",
      reads = false)
  public long reallocIndirect(BlockPointer pointer, long bytes) {
    mutator.check();
    Objects.requireNonNull(pointer, "pointer");
    return realloc(pointer, 0, bytes);
  }

  private long realloc(@Nullable BlockPointer pointer, long block, long bytes) {
    mutator.check();
    checkSize(bytes);
    try {
      if (bytes == 0) {
        freePlain(pointer == null ? block : pointer.block());
        return 0;
      }
      driver.beforeAllocation();
      for (int attempt = 0; ; attempt++) {
        long moved = reallocPlain(pointer == null ? block : pointer.block(), bytes);
        if (moved != 0 || !driver.mayRetry(attempt, bytes)) {
          return moved;
        }
        driver.retry(attempt);
      }
    } catch (Error e) {
      mutator.owner = null; // in doubt
      throw e;
    }
  }

  private long reallocPlain(long block, long bytes) {
    checkPlain(block);
    CriticalSection section = context.section();
    section.enter();
    long moved = context.functions().realloc(block, bytes);
    if (moved != 0 && moved != block) {
      if (block != 0) {
        plain.remove(block);
      }
      boolean _ = plain.add(moved);
    }
    section.leave();
    return moved;
  }

  private void checkPlain(long block) {
    if (block != 0 && !plain.contains(block)) {
      throw new HeapUsageException("not a block of this heap's allocator: " + block);
    }
  }

  private void freePlain(long block) {
    checkPlain(block);
    if (block != 0) {
      plain.remove(block); // first: what is free must not be freed again
      context.functions().free(block);
    }
  }

  /**
   * Frees a plain block; 0 is no block.
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   */
  public void free(long block) {
    freeRaw(block);
  }

  /**
   * Allocates without ever collecting; 0 if refused.
   *
   * @param bytes the size, in bytes
   * @return the block; 0 if it is refused, or if {@code bytes} is 0
   */
  @Traced(code = 124, operands = "bytes bytes, made number or 0", reads = false)
  public long allocRaw(long bytes) {
    mutator.check();
    checkSize(bytes);
    try {
      return handedOut(context.functions().alloc(bytes));
    } catch (Error e) {
      mutator.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Reallocates without ever collecting; 0 if refused, the block stays then.
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   * @param bytes the new size; 0 frees the block
   * @return where the block is now; 0 if it is refused, or freed
   */
  @Traced(
      code = 127,
      operands = "block number, bytes bytes, made number afterwards or 0",
      reads = false)
  public long reallocRaw(long block, long bytes) {
    mutator.check();
    checkSize(bytes);
    try {
      if (bytes == 0) {
        freePlain(block);
        return 0;
      }
      return reallocPlain(block, bytes);
    } catch (Error e) {
      mutator.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Frees a plain block without any side effect.
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   */
  @Traced(code = 128, name = "free", operands = "block number")
  public void freeRaw(long block) {
    mutator.check();
    try {
      freePlain(block);
    } catch (Error e) {
      mutator.owner = null; // in doubt
      throw e;
    }
  }

  private long checked(long block, long bytes) {
    if (block == 0 && bytes != 0) {
      throw driver.exhausted(bytes);
    }
    return block;
  }

  private static void checkSize(long bytes) {
    if (bytes < 0) {
      throw new HeapUsageException("negative size: " + bytes);
    }
  }

  /**
   * {@return a view of a plain block's bytes; valid until the block is freed or memory grows}
   *
   * @param block the offset of a block, as {@link #alloc} answered it; 0 is none
   * @param bytes of the view, from the start of the block
   */
  public MemorySegment block(long block, long bytes) {
    mutator.check();
    return memory.view(block, bytes);
  }

  /** {@return whose it is; for any Java thread} */
  @Override
  public String toString() {
    return "plain memory of " + mutator.heap;
  }
}
