package dev.gleaner.space;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The reference counts of a heap's elements (Duktape, "Reference counting"): what an INCREF and a
 * DECREF do, and the list of what dropped to zero.
 *
 * <pre>
 *   header:  63         62 .. 32    31 .. 0
 *            uncounted | count    | as Layout says
 * </pre>
 *
 * <p><b>Count</b>: the words of all elements, and of what they own, that hold the element (value
 * stacks up to their top, so the slots of frames too), and its mentions among the {@link
 * dev.gleaner.layout.Roots roots}, each of which counts one. The verifier recomputes it so.
 *
 * <p><b>Uncounted</b> elements are never freed by their count: built-ins; and one with 2^31
 * references becomes uncounted by itself, because the carry goes there. So no count overflows.
 *
 * <p><b>Rules</b>: increment before decrement. An increment has no side effect; a decrement's only
 * one is an entry on the zero list, which {@link #settle} hands over when the operation is
 * complete: then elements are freed, finalizers run and stacks move. An offset that was read before
 * is <i>borrowed</i>: it is valid until the next settling, and one that is to outlive it must be in
 * a counted word.
 *
 * <p><b>Held zeros</b>: where a finalizer runs while elements wait on the zero list, each of these
 * is held by a count. So it can be found again, as by a weak reference, and dropped again.
 *
 * <p><b>Left zeros</b>: by the rules of Duktape 1.x what drops to zero in a finalizer of a
 * collection waits for nobody. The next collection finds it, as it finds loops.
 */
public final class ReferenceCounts {
  public static final long ONE = 1L << 32;
  public static final long UNCOUNTED = 1L << 63;

  private static final MethodHandle WRITE =
      Inlining.handle(
          MethodHandles.lookup(),
          ReferenceCounts.class,
          "doWrite",
          void.class,
          long.class,
          long.class);

  /** Not final, so that what settles is {@linkplain Inlining never} inlined. */
  @SuppressWarnings("NonFinalStaticField")
  private static MethodHandle settle =
      Inlining.handle(MethodHandles.lookup(), Runnable.class, "run", void.class);

  private final Memory memory;
  private long[] zeros = new long[16];
  private int zeroCount;

  /** The first so many zeros are held. */
  private int heldCount;

  /** Headers below this, after a decrement, are looked at: those of count 0, or all. */
  private long watched = ONE;

  /** Whether elements without references may be there that do not wait to be taken. */
  private boolean left;

  private @Nullable Observer observer;
  private Runnable settler = () -> {};
  private @Nullable Freer freer;

  /** Told of decrements that leave a count above zero, and of what is {@link #keep kept}. */
  @FunctionalInterface
  public interface Observer {
    void decremented(long element);
  }

  /**
   * The short way for the one element that a write drops, if nothing else waits: the compiler
   * inlines no more than fifteen calls, eight of which an access to memory needs.
   */
  @FunctionalInterface
  public interface Freer {
    /**
     * Frees an element whose count is zero, and what falls from it.
     *
     * @return whether finalizers or callbacks are to be run
     */
    boolean free(long element);
  }

  public ReferenceCounts(Memory memory) {
    this.memory = memory;
  }

  /** Names who frees what dropped to zero; for the heap. */
  public void setSettler(Runnable settler) {
    this.settler = settler;
  }

  /** Names who frees at once what a write drops; null if it is to wait on the zero list. */
  public void setFreer(@Nullable Freer freer) {
    this.freer = freer;
  }

  /** Names who is told of decrements that leave a count above zero; null for nobody. */
  public void setObserver(@Nullable Observer observer) {
    this.observer = observer;
    watched = observer == null ? ONE : Long.MAX_VALUE;
  }

  /** An element's count; of uncounted ones nothing that means anything. */
  public long count(long element) {
    return memory.get(element) >>> 32;
  }

  public boolean isUncounted(long element) {
    return memory.get(element) < 0;
  }

  /** Counts one more reference, if the value is one. */
  public void increment(long value) {
    if (Values.isReference(value)) {
      add(value, memory.get(value));
    }
  }

  private void add(long element, long h) {
    if (h < 0) {
      checkUncounted(element, h);
    } else {
      memory.put(element, h + ONE);
    }
  }

  /** Counts one reference less, if the value is one; to be settled when the operation is over. */
  public void decrement(long value) {
    if (Values.isReference(value) && drop(value)) {
      addZero(value);
    }
  }

  /**
   * Counts one reference to an element less.
   *
   * @return whether there is none left; the caller frees the element then
   */
  public boolean drop(long element) {
    long h = memory.get(element);
    if (h < 0) {
      checkUncounted(element, h);
      return false;
    }
    return subtract(element, h - ONE);
  }

  private boolean subtract(long element, long h) {
    memory.put(element, h);
    return h < watched && isZero(element, h);
  }

  /** Counts one reference to an element less, and nothing else happens, whatever is left. */
  public void lower(long element) {
    long h = memory.get(element);
    if (h >= 0) {
      memory.put(element, h - ONE);
    }
  }

  /**
   * Counts a reference to an element that had none left: it stays, on the finalize list. The
   * observer is told, to whom this is as if the last one had not been dropped.
   */
  public void keep(long element) {
    increment(element);
    if (observer != null) {
      observer.decremented(element);
    }
  }

  private boolean isZero(long element, long h) {
    if (h >= ONE) {
      if (observer != null) {
        observer.decremented(element);
      }
      return false;
    }
    if (h < 0) {
      throw new IllegalStateException("no reference to element " + element + " is left to drop");
    }
    return true;
  }

  private static void checkUncounted(long element, long h) {
    if (Layout.kind(h) == Layout.FREE) {
      throw new IllegalStateException("a borrowed reference outlived its element " + element);
    }
  }

  private void addZero(long element) {
    if (zeroCount == zeros.length) {
      zeros = Arrays.copyOf(zeros, zeroCount * 2);
    }
    zeros[zeroCount++] = element;
  }

  /** Takes an element whose count is zero, or 0 if there is none; for the collector. */
  public long nextZero() {
    while (zeroCount != 0) {
      long e = zeros[--zeroCount];
      if (zeroCount >= heldCount) {
        return e;
      }
      heldCount = zeroCount;
      if (drop(e)) {
        return e;
      }
    }
    return 0;
  }

  /** Holds the elements that wait to be taken: others may find them before. */
  public void holdZeros() {
    for (; heldCount < zeroCount; heldCount++) {
      increment(zeros[heldCount]);
    }
  }

  /** Whether anything but the zero list holds an element. */
  public boolean isReferenced(long element) {
    long n = count(element);
    return n > 1 || (n == 1 && !isHeld(element));
  }

  private boolean isHeld(long element) {
    for (int i = 0; i < heldCount; i++) {
      if (zeros[i] == element) {
        return true;
      }
    }
    return false;
  }

  /** Whether elements are left to be taken. */
  public boolean hasZeros() {
    return zeroCount != 0;
  }

  /** The number of elements that wait to be taken. */
  public int zeros() {
    return zeroCount;
  }

  /** Leaves those that wait, but for the first so many, to the next collection. */
  public void leaveZeros(int first) {
    left |= zeroCount > first;
    while (zeroCount > first) {
      long e = zeros[--zeroCount];
      if (zeroCount < heldCount) {
        heldCount = zeroCount;
        lower(e);
      }
    }
  }

  /** A collection has found what was left before. */
  public void foundLeft() {
    left = false;
  }

  /** Whether an element without references may be there that does not wait to be taken. */
  public boolean hasLeft() {
    return left;
  }

  /** Calls back for each element that was not taken yet. */
  public void forEachZero(OffsetVisitor visitor) {
    for (int i = 0; i < zeroCount; i++) {
      visitor.visit(zeros[i]);
    }
  }

  /** Calls back for each of those that is {@linkplain #holdZeros held}. */
  public void forEachHeld(OffsetVisitor visitor) {
    for (int i = 0; i < heldCount; i++) {
      visitor.visit(zeros[i]);
    }
  }

  /** Ends an operation: frees what dropped to zero. */
  public void settle() {
    if (zeroCount != 0) {
      runSettler();
    }
  }

  private void runSettler() {
    try {
      settle.invokeExact(settler);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  // ---- words ----

  /** Writes a value to a counted word, and settles: what a store into an element or a slot does. */
  public void write(long at, long value) {
    MethodHandle late = WRITE;
    while (true) {
      try {
        late.invokeExact(this, at, value);
        return;
      } catch (Throwable e) {
        late = Inlining.thrown(e);
      }
    }
  }

  void doWrite(long at, long value) {
    long old = memory.get(at);
    if (old != value) {
      increment(value);
      replace(at, old, value);
    }
  }

  /** Writes a value that is no reference, or whose reference was counted already, and settles. */
  public void put(long at, long value) {
    replace(at, memory.get(at), value);
  }

  private void replace(long at, long old, long value) {
    memory.put(at, value);
    if (Values.isReference(old) && drop(old)) {
      if (freer == null || zeroCount != 0) {
        addZero(old);
        runSettler();
      } else if (freer.free(old)) {
        runSettler();
      }
    }
  }

  // ---- slices (Duktape, "Future work") ----

  /** Counts one more for each reference in a slice of memory. */
  public void incrementSlice(long from, long to) {
    int words = (int) ((to - from) >> 3);
    for (int i = 0; i < words; i++) {
      increment(memory.getInShortLoop(from + ((long) i << 3)));
    }
  }

  /** Counts one less for each reference in a slice of memory, which is dead afterwards. */
  public void decrementSlice(long from, long to) {
    int words = (int) ((to - from) >> 3);
    for (int i = 0; i < words; i++) {
      decrement(memory.getInShortLoop(from + ((long) i << 3)));
    }
  }
}
