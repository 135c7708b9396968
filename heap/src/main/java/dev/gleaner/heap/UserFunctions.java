package dev.gleaner.heap;

import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.RawSpace;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A user's allocation functions, which the heap does not trust. The heap checks their results, and
 * refuses their calls of the heap.
 *
 * <table>
 *   <caption>Faults of the functions</caption>
 *   <tr><td>alloc returns no free place</td><td>{@link HeapException}; all is as before</td></tr>
 *   <tr><td>alloc throws</td><td>the same exception; all is as before</td></tr>
 *   <tr><td>realloc returns no free place, or throws; free throws</td><td>the heap is broken, as
 *       the block may be gone</td></tr>
 *   <tr><td>a function calls the heap</td><td>{@link HeapUsageException} for that call</td></tr>
 *   <tr><td>another Java thread calls the default functions</td><td>{@link WrongThreadException}</td></tr>
 * </table>
 *
 * During a collection each of the first three faults breaks the heap.
 *
 * <p>While a function runs, the heap has no owner, so every call is refused. Two bits for each word
 * say whether a block begins there, and whether the word is in use. The heap compares places within
 * 16 GiB with its blocks, and places beyond only with its memory.
 */
final class UserFunctions implements AllocationFunctions {
  private final RawSpace raw;
  private final AllocationFunctions user;
  private final BitSet starts = new BitSet();
  private final BitSet used = new BitSet();
  private @Nullable Ownership ownership;

  UserFunctions(RawSpace raw, AllocationFunctionsFactory factory) {
    this.raw = raw;
    this.user = factory.create(new Defaults());
  }

  void setOwnership(Ownership heap) {
    ownership = heap;
  }

  @Override
  public long alloc(long bytes) {
    Thread owner = enter();
    long block;
    try {
      block = user.alloc(bytes);
      if (block != 0) {
        check("alloc", block, bytes);
      }
    } catch (RuntimeException | Error e) {
      raw.section().reset(); // nothing has changed, as the request for a block comes first
      leave(owner);
      throw e;
    }
    leave(owner);
    if (block != 0) {
      take(block, bytes);
    }
    return block;
  }

  @Override
  public long realloc(long block, long bytes) {
    long end = release(block);
    Thread owner = enter();
    long moved;
    try {
      moved = user.realloc(block, bytes);
      if (moved != 0) {
        check("realloc", moved, bytes);
      }
    } catch (RuntimeException | Error e) {
      leave(owner);
      broke(e);
      throw e;
    }
    leave(owner);
    if (moved != 0) {
      take(moved, bytes);
    } else if (block != 0) {
      take(block, end - block);
    }
    return moved;
  }

  @Override
  public void free(long block) {
    long _ = release(block);
    Thread owner = enter();
    try {
      user.free(block);
    } catch (RuntimeException | Error e) {
      leave(owner);
      broke(e);
      throw e;
    }
    leave(owner);
  }

  private void broke(Throwable e) {
    if (ownership != null) {
      ownership.soundness.breakBy(e);
    }
  }

  private @Nullable Thread enter() {
    return ownership == null ? null : ownership.enterFunction();
  }

  private void leave(@Nullable Thread owner) {
    if (ownership != null) {
      ownership.leaveFunction(owner);
    }
  }

  // ---- blocks ----

  private void check(String function, long block, long bytes) {
    String wrong =
        (block & 7) != 0
            ? "which is not aligned to 8 bytes"
            : !raw.allocator().holds(block, bytes)
                ? "which is not whole inside a block of the default functions"
                : overlaps(block, bytes) ? "where the heap has a block already" : "";
    if (!wrong.isEmpty()) {
      throw new HeapException(
          "the user's " + function + " of " + bytes + " bytes answered " + block + ", " + wrong);
    }
  }

  private boolean overlaps(long block, long bytes) {
    if (!isNoted(block, bytes)) {
      return false;
    }
    int next = used.nextSetBit((int) (block >>> 3));
    return next >= 0 && next < end(block, bytes);
  }

  private static boolean isNoted(long block, long bytes) {
    return (block + bytes + 7) >>> 3 < Integer.MAX_VALUE;
  }

  private static int end(long block, long bytes) {
    return (int) ((block + bytes + 7) >>> 3);
  }

  private void take(long block, long bytes) {
    if (isNoted(block, bytes)) {
      starts.set((int) (block >>> 3));
      used.set((int) (block >>> 3), end(block, bytes));
    }
  }

  /** Forgets a block; returns its end. */
  private long release(long block) {
    if (block == 0 || block >>> 3 >= Integer.MAX_VALUE) {
      return block;
    }
    int first = (int) (block >>> 3);
    int end = used.nextClearBit(first);
    int next = starts.nextSetBit(first + 1);
    if (next >= 0) {
      end = Math.min(end, next);
    }
    starts.clear(first);
    used.clear(first, end);
    return (long) end << 3;
  }

  /** The heap's allocator for the user's functions; only for the heap's Java thread. */
  private final class Defaults implements AllocationFunctions {
    private AllocationFunctions inner() {
      Ownership heap = ownership;
      if (heap != null) {
        heap.checkHome();
      }
      return raw.allocator();
    }

    @Override
    public long alloc(long bytes) {
      return inner().alloc(bytes);
    }

    @Override
    public long realloc(long block, long bytes) {
      return inner().realloc(block, bytes);
    }

    @Override
    public void free(long block) {
      inner().free(block);
    }
  }
}
