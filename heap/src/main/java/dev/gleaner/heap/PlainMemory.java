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
 * Plain blocks of a heap's memory (Duktape, "Memory allocation"). No collector looks at their
 * bytes, and the program frees them itself. Plain blocks count against the limit.
 *
 * <p>Methods with {@code Raw} in their name never collect. All other methods collect if there is no
 * room.
 */
public sealed class PlainMemory permits RecordingPlainMemory {
  private final Registers registers;
  private final ReferenceOwner heap;
  private final HeapParts context;
  private final Memory memory;
  private final Driver driver;

  /**
   * The plain blocks that the program has. The allocator knows which cells are in use, but not what
   * for: the cell of a freed block may hold a property table now.
   */
  private final OffsetSet plain = new OffsetSet();

  PlainMemory(HeapCore core) {
    this.registers = core.registers();
    this.heap = core.owner();
    this.context = core.context();
    this.memory = context.memory();
    this.driver = core.driver();
  }

  /**
   * Allocates a plain block.
   *
   * @param bytes the size, in bytes
   * @return the block's offset, aligned to 8 bytes; 0 if the request is refused even after
   *     emergency collections, or if {@code bytes} is 0
   */
  @Traced(code = 123, operands = "bytes bytes, made number or 0 if refused", reads = false)
  public long alloc(long bytes) {
    registers.check();
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
      registers.owner = null; // in doubt
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
   * @return the block's offset, or 0, as {@link #alloc} returns it
   */
  public long allocZeroed(long bytes) {
    long block = alloc(bytes);
    if (block != 0) {
      memory.zero(block, bytes + 7 & -8L);
    }
    return block;
  }

  /**
   * Allocates a plain block that reads as zero.
   *
   * @param bytes the size, in bytes
   * @return the block's offset; 0 only if {@code bytes} is 0
   * @throws HeapExhaustedException if the request is refused
   */
  public long allocZeroedChecked(long bytes) {
    return checked(allocZeroed(bytes), bytes);
  }

  /**
   * Allocates a plain block.
   *
   * @param bytes the size, in bytes
   * @return the block's offset; 0 only if {@code bytes} is 0
   * @throws HeapExhaustedException if the request is refused
   */
  public long allocChecked(long bytes) {
    return checked(alloc(bytes), bytes);
  }

  /**
   * Reallocates a plain block that no finalizer touches. If the request is refused, the block stays
   * as it is.
   *
   * @param block the offset of a block, as {@link #alloc} returned it; 0 for no block
   * @param bytes the new size, in bytes; 0 frees the block
   * @return the block's new offset; 0 if the request is refused, or if the block is freed
   */
  @Traced(
      code = 125,
      operands = "block number, bytes bytes, made number afterwards or 0",
      reads = false)
  public long realloc(long block, long bytes) {
    return realloc(null, block, bytes);
  }

  /**
   * Reallocates a plain block that no finalizer touches.
   *
   * @param block the offset of a block, as {@link #alloc} returned it; 0 for no block
   * @param bytes the new size, in bytes; 0 frees the block
   * @return the block's new offset; 0 only if {@code bytes} is 0
   * @throws HeapExhaustedException if the request is refused; the block stays as it is
   */
  public long reallocChecked(long block, long bytes) {
    return checked(realloc(block, bytes), bytes);
  }

  /**
   * Reallocates a plain block that a finalizer may move: every try asks for its offset anew.
   *
   * @param pointer returns the block's present offset; must not use the heap
   * @param bytes the new size, in bytes; 0 frees the block
   * @return the block's new offset, which the caller stores where {@code pointer} reads it; 0 if
   *     the request is refused, or if the block is freed
   */
  @Traced(
      code = 126,
      operands = "block number, bytes bytes, made number afterwards or 0",
      reads = false)
  public long reallocIndirect(BlockPointer pointer, long bytes) {
    registers.check();
    Objects.requireNonNull(pointer, "pointer");
    return realloc(pointer, 0, bytes);
  }

  /**
   * Reallocates a plain block that a finalizer may move, as {@link #reallocIndirect} does.
   *
   * @param pointer returns the block's present offset; must not use the heap
   * @param bytes the new size, in bytes; 0 frees the block
   * @return the block's new offset, which the caller stores where {@code pointer} reads it; 0 only
   *     if {@code bytes} is 0
   * @throws HeapExhaustedException if the request is refused; the block stays as it is
   */
  public long reallocIndirectChecked(BlockPointer pointer, long bytes) {
    return checked(reallocIndirect(pointer, bytes), bytes);
  }

  private long realloc(@Nullable BlockPointer pointer, long block, long bytes) {
    registers.check();
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
      registers.owner = null; // in doubt
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
      plain.remove(block); // first, so that no second call frees the block again
      context.functions().free(block);
    }
  }

  /**
   * Frees a plain block.
   *
   * @param block the offset of a block, as {@link #alloc} returned it; 0 for no block
   */
  public void free(long block) {
    freeRaw(block);
  }

  /**
   * Allocates a plain block, and never collects.
   *
   * @param bytes the size, in bytes
   * @return the block's offset; 0 if the request is refused, or if {@code bytes} is 0
   */
  @Traced(code = 124, operands = "bytes bytes, made number or 0", reads = false)
  public long allocRaw(long bytes) {
    registers.check();
    checkSize(bytes);
    try {
      return handedOut(context.functions().alloc(bytes));
    } catch (Error e) {
      registers.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Reallocates a plain block, and never collects. If the request is refused, the block stays as it
   * is.
   *
   * @param block the offset of a block, as {@link #alloc} returned it; 0 for no block
   * @param bytes the new size, in bytes; 0 frees the block
   * @return the block's new offset; 0 if the request is refused, or if the block is freed
   */
  @Traced(
      code = 127,
      operands = "block number, bytes bytes, made number afterwards or 0",
      reads = false)
  public long reallocRaw(long block, long bytes) {
    registers.check();
    checkSize(bytes);
    try {
      if (bytes == 0) {
        freePlain(block);
        return 0;
      }
      return reallocPlain(block, bytes);
    } catch (Error e) {
      registers.owner = null; // in doubt
      throw e;
    }
  }

  /**
   * Frees a plain block, and has no other effect.
   *
   * @param block the offset of a block, as {@link #alloc} returned it; 0 for no block
   */
  @Traced(code = 128, name = "free", operands = "block number")
  public void freeRaw(long block) {
    registers.check();
    try {
      freePlain(block);
    } catch (Error e) {
      registers.owner = null; // in doubt
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
   * {@return a view of a plain block's bytes, valid until the block is freed or memory grows}
   *
   * @param block the offset of a block, as {@link #alloc} returned it; 0 for no block
   * @param bytes the size of the view, from the start of the block
   */
  public MemorySegment block(long block, long bytes) {
    registers.check();
    return memory.view(block, bytes);
  }

  /** {@return a text with the name of the heap, for any Java thread} */
  @Override
  public String toString() {
    return "plain memory of " + heap;
  }
}
