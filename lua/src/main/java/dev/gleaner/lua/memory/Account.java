package dev.gleaner.lua.memory;

import dev.gleaner.heap.Heap;
import dev.gleaner.refusal.HeapExhaustedException;
import org.jspecify.annotations.Nullable;

/**
 * Charges a guest for the Java objects that its scripts make grow. The charge counts against the
 * memory limit of the guest's heap, and comes before Java code makes the object.
 *
 * <pre>
 *   lasts:      account.charge(n); make; ... account.release(n) when the object is dropped
 *   transient:  try (Account.Loan loan = account.borrow()) { loan.add(n); make; }
 *   both:       loan.keep() turns a loan into a lasting charge, which the caller releases
 * </pre>
 *
 * <p>Lasting charges take a quarter of the limit at most. Loans may take the whole limit. If there
 * is no room, the account collects first. If there is still no room, the account throws a {@link
 * HeapExhaustedException}, as an allocation does; scripts catch the error "not enough memory". A
 * failed charge leaves nothing charged. A charge may collect, so the caller keeps its elements in
 * slots.
 *
 * <p>The account reserves memory of the heap in grants, so most small charges are one addition. At
 * most two grants are reserved and not used.
 */
public final class Account {
  /** The size of an object without fields, in bytes. */
  public static final int OBJECT = 16;

  /** The size of an entry of a hash map with its share of the map's array, in bytes. */
  public static final int ENTRY = 48;

  private static final int GRANT = 4096;
  private static final int KEPT_SHARE = 4;
  private static final int GRANT_SHARE = 256;
  private static final int TEXT = 56;

  private static final String LASTS =
      " for what lasts on the JVM's heap (code, finalizers, userdata, files), a quarter of"
          + " memory.max";

  private final @Nullable Heap heap;
  private final long limit;
  private final long mostKept;
  private final long grant;
  private long kept;
  private long lent;

  /** Bytes that are reserved, and not charged. */
  private long granted;

  /**
   * Makes the account of a guest.
   *
   * @param heap the heap of the guest
   */
  public Account(Heap heap) {
    this.heap = heap;
    this.limit = heap.snapshot().maxBytes();
    this.mostKept = limit / KEPT_SHARE;
    this.grant = Math.min(GRANT, limit / GRANT_SHARE);
  }

  private Account(long most) {
    this.heap = null;
    this.limit = most;
    this.mostKept = most;
    this.grant = 0;
  }

  /**
   * {@return an account without a guest, for work of the host}
   *
   * @param bytes the most that may be charged at the same time
   */
  public static Account upTo(long bytes) {
    return new Account(bytes);
  }

  /**
   * {@return the most bytes that a text takes as a Java string}
   *
   * @param characters the length of the text
   */
  public static long text(long characters) {
    return TEXT + 2 * characters;
  }

  /**
   * {@return the bytes of an array}
   *
   * @param length the number of entries
   * @param width the bytes of an entry
   */
  public static long array(long length, int width) {
    return OBJECT + width * length;
  }

  /**
   * Charges bytes that last until {@link #release}.
   *
   * @param bytes at least 0
   * @throws HeapExhaustedException if lasting charges would pass a quarter of the limit, or memory
   *     has no room
   */
  public void charge(long bytes) {
    checkKept(bytes);
    take(bytes);
    kept += bytes;
  }

  /**
   * Gives back bytes of {@link #charge} or {@link Loan#keep}.
   *
   * @param bytes at most what was charged
   */
  public void release(long bytes) {
    kept -= bytes;
    giveBack(bytes);
  }

  /** Takes the bytes that the heap counts already, since it was opened from an image. */
  public void adopt() {
    granted = heap == null ? 0 : heap.statistics().externalBytes();
  }

  /** Gives back what {@link #adopt} took and nothing was charged for. */
  public void settle() {
    giveBack(0);
  }

  /** {@return an empty loan} */
  public Loan borrow() {
    return new Loan(this);
  }

  /** {@return the bytes that are charged now, lasting charges and loans} */
  public long charged() {
    return kept + lent;
  }

  private void checkKept(long bytes) {
    if (bytes > mostKept - kept) {
      if (heap != null) {
        heap.collect();
      }
      if (bytes > mostKept - kept) {
        throw refused(bytes, kept, mostKept, LASTS);
      }
    }
  }

  private HeapExhaustedException refused(long bytes, long used, long most, String remark) {
    String name = heap == null ? "of the host" : heap.name();
    return new HeapExhaustedException(name, used, most, bytes, remark);
  }

  private void take(long bytes) {
    if (bytes > granted) {
      reserve(bytes - granted);
    }
    granted -= bytes;
  }

  private void reserve(long bytes) {
    if (heap == null) {
      if (bytes > limit - charged()) {
        throw refused(bytes, charged(), limit, " for Java objects of scripts");
      }
      granted += bytes;
      return;
    }
    // No advance when memory is nearly used up: the heap needs the rest.
    boolean ample = bytes < grant && limit - heap.snapshot().usedBytes() > GRANT_SHARE * grant / 4;
    long all = ample ? bytes + grant : bytes;
    heap.reserveExternal(all);
    granted += all;
  }

  private void giveBack(long bytes) {
    granted += bytes;
    if (heap == null) {
      granted = 0;
    } else if (granted > 2 * grant) {
      heap.releaseExternal(granted - grant);
      granted = grant;
    }
  }

  /** A charge that grows in steps, and ends as a whole. One thread may use a loan. */
  public static final class Loan implements AutoCloseable {
    private final Account account;
    private long bytes;

    private Loan(Account account) {
      this.account = account;
    }

    /**
     * Charges more.
     *
     * @param more bytes, at least 0
     * @throws HeapExhaustedException if the limit leaves no room
     */
    public void add(long more) {
      account.take(more);
      account.lent += more;
      bytes += more;
    }

    /**
     * Gives back a part.
     *
     * @param less bytes, at most what was added
     */
    public void drop(long less) {
      bytes -= less;
      account.lent -= less;
      account.giveBack(less);
    }

    /** {@return the bytes of the loan} */
    public long bytes() {
      return bytes;
    }

    /**
     * Turns the loan into a lasting charge. The loan is empty then.
     *
     * @return the bytes of the charge, for {@link Account#release}
     * @throws HeapExhaustedException if lasting charges would pass a quarter of the limit
     */
    public long keep() {
      account.checkKept(bytes);
      long all = bytes;
      account.lent -= all;
      account.kept += all;
      bytes = 0;
      return all;
    }

    /** Gives back the rest of the loan. */
    @Override
    public void close() {
      drop(bytes);
    }
  }
}
