package dev.gleaner.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A contiguous region addressed by offsets from its base, with bounds checked on every access.
 *
 * <p>Two backings. <b>Reserved</b>: address space without commitment, taken when native access is
 * enabled for this module; pages are committed by the first touch and given back by {@link
 * #release}. <b>Grown</b>: a segment that is replaced by a larger copy; offsets stay valid. Neither
 * zeroes its maximum when it is opened, and both read as zero where nothing was written. The first
 * regions of a JVM that are to be reserved {@linkplain #openSmall begin small}, as grown ones.
 *
 * <p>Where native access is enabled words are read through one segment that spans the address
 * space, a constant to the compiler, after a bounds check of our own: fewer loads and checks than
 * the segment of the region itself needs.
 *
 * <p>After {@link #close} the region has size 0, so that even a stray access is an exception. Which
 * Java thread may come in is checked by the heap's access object, once an operation. Any Java
 * thread may close a region. A region that nobody closed and nobody refers to is given back by a
 * {@link java.lang.ref.Cleaner}.
 */
public final class Memory implements AutoCloseable {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.nativeOrder());
  private static final VarHandle WORD = LONG.varHandle().withInvokeExactBehavior();
  private static final VarHandle ATOMIC_WORD =
      ValueLayout.JAVA_LONG
          .withOrder(ByteOrder.nativeOrder())
          .varHandle()
          .withInvokeExactBehavior();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final VarHandle HALF_WORD = INT.varHandle().withInvokeExactBehavior();
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final VarHandle ONE_BYTE = BYTE.varHandle().withInvokeExactBehavior();
  private static final long HUGE_PAGE = 2L << 20;
  private static final long LARGEST_COPY = 1L << 40;

  /** So large a region is before it is mapped, where it begins small. */
  private static final long LARGEST_SMALL = 1L << 20;

  /** So many regions of a JVM begin small: to give such a one back takes longer than a mapping. */
  private static final int MOST_SMALL = 4;

  private static int smallOnes;

  /**
   * Addresses and offsets have 48 bits. Fields that hold them are shifted left by this, as the
   * compiler does not know the range of a field, but of one that was shifted back; so it drops the
   * check of the segment that {@link Objects#checkIndex} makes needless.
   */
  private static final int UNUSED_BITS = 16;

  private final long limit;
  private boolean reserved;

  /** Whether it is to be mapped, and is not yet. */
  private boolean small;

  private int pageSize;
  private MemorySegment segment;
  private final SystemMemory system;
  private final Cleaner.Cleanable cleanable;
  private long huge = 2 * HUGE_PAGE;

  /** Where the region is, for access through {@link ReservedMemory#EVERYTHING}; shifted. */
  private long address;

  /** Offsets of a word are below this, 0 once closed; shifted. */
  private long wordBound;

  /** Offsets of half a word are below this, 0 once closed; shifted. */
  private long halfWordBound;

  /** Offsets of a byte are below this, 0 once closed; shifted. */
  private long byteBound;

  private Memory(long limit, SystemMemory system, boolean small) {
    this.limit = limit;
    this.system = system;
    this.small = small;
    this.reserved = small || system.isMapped();
    this.pageSize = system.isMapped() ? ReservedMemory.pageSize() : 1;
    this.segment = system.segment();
    setSegment(segment);
    cleanable = Cleaning.CLEANER.register(this, system);
  }

  private void setSegment(MemorySegment s) {
    if (ReservedMemory.AVAILABLE && !ReservedMemory.isAddressable(s)) {
      throw new IllegalStateException("memory at an address of more than 48 bits: " + s);
    }
    long where = s.address() << UNUSED_BITS;
    long words = Math.max(0, s.byteSize() - 7) << UNUSED_BITS;
    long halfWords = Math.max(0, s.byteSize() - 3) << UNUSED_BITS;
    long bytes = s.byteSize() << UNUSED_BITS;
    boolean still = small && s.byteSize() > 0 && s.byteSize() <= LARGEST_SMALL;
    segment = s; // from here on no call, as the Java stack may end at any
    address = where;
    wordBound = words;
    halfWordBound = halfWords;
    byteBound = bytes;
    small = still;
  }

  /**
   * Opens a region.
   *
   * @param limit the most bytes the region may ever have
   * @param initial the bytes a grown backing starts with
   * @param reserve whether to reserve address space if that is permitted
   * @return the region, all of it zero
   */
  public static Memory open(long limit, long initial, boolean reserve) {
    return open(limit, initial, reserve, false);
  }

  /**
   * Opens a region that is to be reserved, if that is permitted. The first ones of a JVM begin as
   * grown ones do: they are mapped when they outgrow a MiB, and before anybody {@linkplain #view
   * sees} an address. So a JVM of a small heap does without the system's calls, of which the first
   * takes as long as all else that opens a heap.
   *
   * @param limit the most bytes the region may ever have
   * @param initial the bytes it starts with where it is not mapped at once
   * @return the region, all of it zero
   */
  public static Memory openSmall(long limit, long initial) {
    boolean small =
        ReservedMemory.AVAILABLE
            && limit > LARGEST_SMALL
            && initial <= LARGEST_SMALL
            && !ReservedMemory.isLinked()
            && isAmongFirst();
    return small ? beginSmall(limit, initial) : open(limit, initial, true);
  }

  private static synchronized boolean isAmongFirst() {
    return smallOnes++ < MOST_SMALL;
  }

  /** Opens a region that is mapped later, whatever was opened before. */
  static Memory beginSmall(long limit, long initial) {
    return new Memory(limit, SystemMemory.allocate(initial, false), true);
  }

  /**
   * Opens a small region beside a heap's, of which nobody has a {@link #view}: so the region comes
   * from where small regions cost least.
   *
   * @param limit the most bytes the region may ever have
   * @param initial the bytes a grown backing starts with
   * @param reserve whether to reserve address space if that is permitted
   * @return the region, all of it zero
   */
  public static Memory openBeside(long limit, long initial, boolean reserve) {
    return open(limit, initial, reserve, true);
  }

  private static Memory open(long limit, long initial, boolean reserve, boolean beside) {
    SystemMemory mapped = reserve ? SystemMemory.map(limit) : null;
    return new Memory(
        limit,
        mapped != null ? mapped : SystemMemory.allocate(Math.min(initial, limit), beside),
        false);
  }

  /** {@return whether address space can be reserved in this JVM} */
  public static boolean canReserve() {
    return ReservedMemory.AVAILABLE;
  }

  /**
   * {@return why address space cannot be reserved in this JVM, and what to do about it; null if it
   * can}
   */
  public static @Nullable String obstacleToReserving() {
    return Reservation.HERE.obstacle();
  }

  /**
   * {@return whether this region is reserved address space, or will be as soon as that is needed,
   * rather than a segment that grows}
   */
  public boolean isReserved() {
    return reserved;
  }

  /** {@return whether the region stays where it is as it grows; maps it first if need be} */
  public boolean keepsPlace() {
    if (small) {
      boolean _ = map();
    }
    return reserved;
  }

  /**
   * {@return the bytes of the operating system's pages, which {@link #release} gives back as a
   * whole and which lie at multiples of that; 1 where nothing can be given back, as before a region
   * that began small is mapped}
   */
  public int pageSize() {
    return pageSize;
  }

  /** {@return bytes that may be accessed now} */
  public long size() {
    return segment.byteSize();
  }

  // These are at most 35 bytes of bytecode each, as are the writes of ReferenceCounts: so much the
  // compiler inlines where less than a quarter of the calls pass, as in a JVM of many collectors.

  /**
   * {@return the word at an offset}
   *
   * @param offset in bytes from the start of the region
   * @throws IndexOutOfBoundsException if it is not inside {@link #size}
   */
  public long get(long offset) {
    return ReservedMemory.AVAILABLE
        ? (long) WORD.get(ReservedMemory.EVERYTHING, at(offset))
        : getGrown(offset);
  }

  /**
   * Writes a word.
   *
   * @param offset in bytes from the start of the region
   * @param value the word
   */
  public void put(long offset, long value) {
    if (ReservedMemory.AVAILABLE) {
      WORD.set(ReservedMemory.EVERYTHING, at(offset), value);
    } else {
      putGrown(offset, value);
    }
  }

  /**
   * Sets bits of a word that several Java threads write, by an atomic operation.
   *
   * @param offset in bytes from the start of the region, a multiple of 8
   * @param bits the bits that are set
   * @return the word as it was
   */
  public long setBits(long offset, long bits) {
    return ReservedMemory.AVAILABLE
        ? (long) ATOMIC_WORD.getAndBitwiseOr(ReservedMemory.EVERYTHING, at(offset), bits)
        : (long) ATOMIC_WORD.getAndBitwiseOr(segment, offset, bits);
  }

  /**
   * As {@link #get}, where the caller has made sure that the offset is inside: it is of a word of a
   * value stack, whose index in a frame was checked. Of another offset it reads what is there, or
   * ends the JVM.
   *
   * @param offset in bytes from the start of the region
   * @return the word
   */
  public long getUnchecked(long offset) {
    return ReservedMemory.AVAILABLE
        ? (long) WORD.get(ReservedMemory.EVERYTHING, atUnchecked(offset))
        : getGrown(offset);
  }

  /**
   * As {@link #put}, where the caller has made sure that the offset is inside.
   *
   * @param offset in bytes from the start of the region
   * @param value the word
   */
  public void putUnchecked(long offset, long value) {
    if (ReservedMemory.AVAILABLE) {
      WORD.set(ReservedMemory.EVERYTHING, atUnchecked(offset), value);
    } else {
      putGrown(offset, value);
    }
  }

  // The mask tells the compiler the range of the offset, as above.
  private long atUnchecked(long offset) {
    return (address >>> UNUSED_BITS) + (offset & (-1L >>> UNUSED_BITS));
  }

  /**
   * As {@link #get}, for loops over a few words: there the compiler does not pull the check out of
   * the loop, which takes longer than such a loop does.
   *
   * @param offset in bytes from the start of the region
   * @return the word
   */
  public long getInShortLoop(long offset) {
    return ReservedMemory.AVAILABLE
        ? (long) WORD.get(ReservedMemory.EVERYTHING, atInShortLoop(offset))
        : getGrown(offset);
  }

  private long atInShortLoop(long offset) {
    if (!contains(offset)) {
      throw outside(offset);
    }
    return atUnchecked(offset);
  }

  private IndexOutOfBoundsException outside(long offset) {
    return new IndexOutOfBoundsException("offset " + offset + " of " + size() + " bytes");
  }

  private long at(long offset) {
    return (address >>> UNUSED_BITS) + Objects.checkIndex(offset, wordBound >>> UNUSED_BITS);
  }

  private long atHalf(long offset) {
    return (address >>> UNUSED_BITS) + Objects.checkIndex(offset, halfWordBound >>> UNUSED_BITS);
  }

  private long atByte(long offset) {
    return (address >>> UNUSED_BITS) + Objects.checkIndex(offset, byteBound >>> UNUSED_BITS);
  }

  private long getGrown(long offset) {
    return segment.get(LONG, offset);
  }

  private void putGrown(long offset, long value) {
    segment.set(LONG, offset, value);
  }

  /**
   * {@return whether there is a word at an offset, so that {@link #get} can read it}
   *
   * @param offset in bytes from the start of the region
   */
  public boolean contains(long offset) {
    return Long.compareUnsigned(offset, wordBound >>> UNUSED_BITS) < 0;
  }

  /**
   * {@return the half word at an offset}
   *
   * @param offset in bytes from the start of the region
   */
  public int getInt(long offset) {
    return ReservedMemory.AVAILABLE
        ? (int) HALF_WORD.get(ReservedMemory.EVERYTHING, atHalf(offset))
        : segment.get(INT, offset);
  }

  /**
   * Writes a half word.
   *
   * @param offset in bytes from the start of the region
   * @param value the half word
   */
  public void putInt(long offset, int value) {
    if (ReservedMemory.AVAILABLE) {
      HALF_WORD.set(ReservedMemory.EVERYTHING, atHalf(offset), value);
    } else {
      segment.set(INT, offset, value);
    }
  }

  /**
   * {@return the byte at an offset}
   *
   * @param offset in bytes from the start of the region
   */
  public byte getByte(long offset) {
    return ReservedMemory.AVAILABLE
        ? (byte) ONE_BYTE.get(ReservedMemory.EVERYTHING, atByte(offset))
        : segment.get(BYTE, offset);
  }

  /**
   * Writes a byte.
   *
   * @param offset in bytes from the start of the region
   * @param value the byte
   */
  public void putByte(long offset, byte value) {
    if (ReservedMemory.AVAILABLE) {
      ONE_BYTE.set(ReservedMemory.EVERYTHING, atByte(offset), value);
    } else {
      segment.set(BYTE, offset, value);
    }
  }

  /**
   * Zeroes whole words.
   *
   * @param offset of the first word
   * @param bytes a multiple of 8
   */
  public void zero(long offset, long bytes) {
    if (bytes > 32) {
      zeroMore(offset, bytes);
      return;
    }
    // For the words of a small cell a loop costs more than the stores.
    if (bytes > 0) {
      put(offset, 0);
    }
    if (bytes > 8) {
      put(offset + 8, 0);
    }
    if (bytes > 16) {
      put(offset + 16, 0);
    }
    if (bytes > 24) {
      put(offset + 24, 0);
    }
  }

  private void zeroMore(long offset, long bytes) {
    if (bytes <= 64) {
      for (int i = 0; i < (int) bytes; i += 8) {
        put(offset + i, 0);
      }
    } else {
      segment.asSlice(offset, bytes).fill((byte) 0);
    }
  }

  /**
   * Copies bytes inside the region; the parts may overlap.
   *
   * @param from offset of the first byte to read
   * @param to offset of the first byte to write
   * @param bytes how many
   */
  public void copy(long from, long to, long bytes) {
    MemorySegment.copy(segment, from, segment, to, bytes);
  }

  /**
   * Copies from another memory.
   *
   * @param other the memory that is read
   * @param from offset of the first byte there
   * @param to offset of the first byte here
   * @param bytes how many
   */
  public void copyFrom(Memory other, long from, long to, long bytes) {
    MemorySegment.copy(other.segment, from, segment, to, bytes);
  }

  /**
   * Copies bytes out of the region.
   *
   * @param offset in bytes from the start of the region
   * @param to the array that gets them
   * @param at index of the first one in the array
   * @param length how many
   */
  public void read(long offset, byte[] to, int at, int length) {
    MemorySegment.copy(segment, BYTE, offset, to, at, length);
  }

  /**
   * Copies bytes into the region.
   *
   * @param offset in bytes from the start of the region
   * @param from the array that has them
   * @param at index of the first one in the array
   * @param length how many
   */
  public void write(long offset, byte[] from, int at, int length) {
    MemorySegment.copy(from, at, segment, BYTE, offset, length);
  }

  /**
   * {@return a view of a part; valid until the region closes, of a grown one until it grows}
   *
   * @param offset in bytes from the start of the region
   * @param bytes of the view
   */
  public MemorySegment view(long offset, long bytes) {
    boolean _ = keepsPlace();
    return segment.asSlice(offset, bytes);
  }

  /**
   * Makes the first {@code bytes} accessible.
   *
   * @param bytes from the start of the region
   * @return false if they exceed the region's limit, or the system has no memory for them
   */
  public boolean ensure(long bytes) {
    if (bytes <= segment.byteSize()) {
      if (reserved && bytes > huge) {
        adviseHugePages(bytes);
      }
      return true;
    }
    if (bytes > limit || (reserved && !small)) {
      return false;
    }
    if (small && bytes > LARGEST_SMALL && map()) {
      return true;
    }
    return grow(bytes);
  }

  /**
   * Gives the whole pages inside a part back to the operating system; these read as zero
   * afterwards, what else is in the part stays.
   *
   * @param offset in bytes from the start of the region
   * @param bytes of the part
   * @return whether there were any, and they were taken
   */
  public boolean release(long offset, long bytes) {
    return reserved && !small && ReservedMemory.release(segment, offset, bytes, pageSize);
  }

  @Override
  public void close() {
    setSegment(MemorySegment.NULL);
    system.close();
    cleanable.clean();
  }

  // A region that has grown past a few MiB will be used in bulk: fewer TLB misses for every access.
  private void adviseHugePages(long bytes) {
    long to = Math.min(segment.byteSize(), (bytes + bytes / 4 + HUGE_PAGE) & -HUGE_PAGE);
    ReservedMemory.adviseHugePages(segment, huge, to - huge, pageSize);
    huge = to;
  }

  /**
   * Takes the address space of a region that began small. Where it is refused, the region grows.
   */
  private boolean map() {
    MemorySegment mapped = system.map(segment, limit);
    if (mapped == null) {
      small = false;
      reserved = false;
      return false;
    }
    pageSize = ReservedMemory.pageSize();
    setSegment(mapped);
    system.settle(mapped);
    return true;
  }

  private boolean grow(long bytes) {
    long more = Math.max(bytes, Math.min(segment.byteSize() * 2, LARGEST_COPY));
    MemorySegment larger = system.grow(segment, Math.min(small ? LARGEST_SMALL : limit, more));
    if (larger == null) {
      return false;
    }
    setSegment(larger);
    system.settle(larger);
    return true;
  }
}
