package dev.gleaner.heap;

import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.RawSpace;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A user's allocation functions, which are not trusted: what they answer is checked, and what they
 * do to the heap is refused.
 *
 * <table>
 *   <caption>What goes wrong</caption>
 *   <tr><td>alloc answers no free place</td><td>{@link HeapException}; all is as before</td></tr>
 *   <tr><td>alloc throws</td><td>what it throws; all is as before</td></tr>
 *   <tr><td>realloc answers so, or throws; free throws</td><td>the heap is broken: whether the
 *       block is still there cannot be known</td></tr>
 *   <tr><td>one calls the heap</td><td>{@link HeapUsageException} for that call</td></tr>
 *   <tr><td>another Java thread calls the defaults</td><td>{@link WrongThreadException}</td></tr>
 * </table>
 *
 * In the midst of a collection each of the first three breaks the heap.
 *
 * <p>While a function runs the heap has no owner, so that all calls come to where they are refused.
 * Two bits a word say where a block begins, and that it is in use: places within 16 GiB are
 * compared with the blocks that the heap has; beyond only with the heap's memory.
 */
final class UserFunctions implements AllocationFunctions {
  private final RawSpace raw;
  private final AllocationFunctions user;
  private final BitSet starts = new BitSet();
  private final BitSet used = new BitSet();
  private @Nullable Mutator mutator;
  private boolean calling;

  UserFunctions(RawSpace raw, AllocationFunctionsFactory factory) {
    this.raw = raw;
    this.user = factory.create(new Defaults());
  }

  void setMutator(Mutator access) {
    mutator = access;
  }

  /** Whether one of the functions is running. */
  boolean isCalling() {
    return calling;
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
      raw.section().reset(); // nothing was changed: a block is asked for first
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
    if (mutator != null) {
      mutator.soundness.breakBy(e);
    }
  }

  private @Nullable Thread enter() {
    if (mutator == null) {
      return null;
    }
    Thread owner = mutator.owner;
    calling = true;
    mutator.owner = null;
    return owner;
  }

  private void leave(@Nullable Thread owner) {
    calling = false;
    if (mutator != null) {
      mutator.owner = owner;
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

  /** Forgets a block; answers where it ends. */
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

  /** The heap's own allocator, as the user's functions have it: for the heap's Java thread only. */
  private final class Defaults implements AllocationFunctions {
    private AllocationFunctions inner() {
      Mutator t = mutator;
      if (t != null) {
        t.checkHome();
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
