package dev.gleaner.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Address space from the operating system (Linux): mapped without commitment, unmapped at close.
 *
 * <p>Calling out is restricted, so nothing here is touched unless native access is enabled for the
 * module; a JVM without that permission stays silent and uses the grown backing.
 */
final class ReservedMemory {
  static final boolean AVAILABLE = Reservation.HERE.obstacle() == null;

  /**
   * Bits of an address, by which {@link Memory} counts; a kernel that is not asked gives no more.
   */
  private static final int ADDRESS_BITS = 48;

  /** The whole address space; {@link MemorySegment#NULL} where that is not permitted. */
  @SuppressWarnings("restricted")
  static final MemorySegment EVERYTHING =
      AVAILABLE ? MemorySegment.NULL.reinterpret(Long.MAX_VALUE) : MemorySegment.NULL;

  private static final int MADV_DONTNEED = 4;
  private static final int MADV_HUGEPAGE = 14;

  /** The system's calls; tests put in their place what larger pages would do. */
  static SystemCalls system = new LinuxCalls();

  private static volatile boolean linked;

  private ReservedMemory() {}

  /**
   * Whether a function of the system was called, or is about to be: the first call takes as long as
   * all else that opens a heap.
   */
  static boolean isLinked() {
    return linked;
  }

  /** What is asked of the operating system; addresses and lengths are multiples of its page. */
  interface SystemCalls {
    /** Bytes of a page, a power of two. */
    int pageSize();

    /** Maps address space without commitment; answers where, -1 if refused. */
    long map(long bytes);

    void unmap(long address, long bytes);

    /** Allocates bytes that are zero, to be freed; answers where, 0 if refused. */
    long allocate(long bytes);

    void free(long address);

    /** Gives advice, as a number of madvise's; answers whether it was taken. */
    boolean advise(long address, long bytes, int advice);
  }

  /** The C functions; a class of its own for each, so that it is linked only when first used. */
  @SuppressWarnings("restricted")
  private static final class C {
    static final ValueLayout.OfLong L = ValueLayout.JAVA_LONG;
    static final ValueLayout.OfInt I = ValueLayout.JAVA_INT;

    static final class PageSize {
      static final MethodHandle CALL = link("getpagesize", FunctionDescriptor.of(I));
    }

    static final class Map {
      static final MethodHandle CALL = link("mmap", FunctionDescriptor.of(L, L, L, I, I, I, L));
    }

    static final class Unmap {
      static final MethodHandle CALL = link("munmap", FunctionDescriptor.of(I, L, L));
    }

    static final class Allocate {
      static final MethodHandle CALL = link("calloc", FunctionDescriptor.of(L, L, L));
    }

    static final class Free {
      static final MethodHandle CALL = link("free", FunctionDescriptor.ofVoid(L));
    }

    static final class Advise {
      static final MethodHandle CALL = link("madvise", FunctionDescriptor.of(I, L, L, I));
    }

    private static MethodHandle link(String name, FunctionDescriptor type) {
      linked = true;
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
    }
  }

  /** Linux on any processor: the page size, 4 to 64 KiB, is the kernel's to say. */
  static final class LinuxCalls implements SystemCalls {
    private static final int PROT_READ_WRITE = 3;

    @Override
    public int pageSize() {
      try {
        return (int) C.PageSize.CALL.invokeExact();
      } catch (Throwable e) {
        throw failed("getpagesize", e);
      }
    }

    @Override
    public long map(long bytes) {
      try {
        return (long)
            C.Map.CALL.invokeExact(0L, bytes, PROT_READ_WRITE, Reservation.HERE.flags(), -1, 0L);
      } catch (Throwable e) {
        throw failed("mmap", e);
      }
    }

    @Override
    public void unmap(long address, long bytes) {
      try {
        int _ = (int) C.Unmap.CALL.invokeExact(address, bytes);
      } catch (Throwable e) {
        throw failed("munmap", e);
      }
    }

    @Override
    public long allocate(long bytes) {
      try {
        return (long) C.Allocate.CALL.invokeExact(1L, bytes);
      } catch (Throwable e) {
        throw failed("calloc", e);
      }
    }

    @Override
    public void free(long address) {
      try {
        C.Free.CALL.invokeExact(address);
      } catch (Throwable e) {
        throw failed("free", e);
      }
    }

    @Override
    public boolean advise(long address, long bytes, int advice) {
      try {
        return (int) C.Advise.CALL.invokeExact(address, bytes, advice) == 0;
      } catch (Throwable e) {
        throw failed("madvise", e);
      }
    }
  }

  private static IllegalStateException failed(String function, Throwable e) {
    if (e instanceof LinkageError missing) {
      throw missing;
    }
    return new IllegalStateException(function, e);
  }

  static int pageSize() {
    return system.pageSize();
  }

  /** Reserves so many bytes, in whole pages; null if refused. */
  @SuppressWarnings("restricted")
  static @Nullable MemorySegment reserve(long bytes) {
    try {
      long page = pageSize();
      long length = (bytes + page - 1) & -page;
      long at = system.map(length);
      if (at == -1) {
        return null;
      }
      MemorySegment s = MemorySegment.ofAddress(at).reinterpret(length);
      if (isAddressable(s)) {
        return s;
      }
      unmap(s);
      return null;
    } catch (LinkageError e) { // a C library without these functions
      return null;
    }
  }

  /** Allocates so many bytes, all zero, to be given to {@link #free}; null if refused. */
  @SuppressWarnings("restricted")
  static @Nullable MemorySegment allocate(long bytes) {
    try {
      long at = system.allocate(bytes);
      if (at == 0) {
        return null;
      }
      MemorySegment s = MemorySegment.ofAddress(at).reinterpret(bytes);
      if (isAddressable(s)) {
        return s;
      }
      free(s);
      return null;
    } catch (LinkageError e) { // a C library without these functions
      return null;
    }
  }

  static void free(MemorySegment s) {
    system.free(s.address());
  }

  /** Whether words of a segment can be read through {@link #EVERYTHING} by addresses of 48 bits. */
  static boolean isAddressable(MemorySegment s) {
    return s.address() >= 0 && (s.address() + s.byteSize()) >>> ADDRESS_BITS == 0;
  }

  static void unmap(MemorySegment s) {
    system.unmap(s.address(), s.byteSize());
  }

  static boolean release(MemorySegment s, long offset, long bytes, long page) {
    return advise(s, offset, bytes, page, MADV_DONTNEED);
  }

  static void adviseHugePages(MemorySegment s, long offset, long bytes, long page) {
    advise(s, offset, bytes, page, MADV_HUGEPAGE);
  }

  /** Advises on the whole pages inside the part, checked against the segment's bounds. */
  private static boolean advise(MemorySegment s, long offset, long bytes, long page, int advice) {
    MemorySegment part = s.asSlice(offset, bytes);
    long from = (part.address() + page - 1) & -page;
    long to = (part.address() + bytes) & -page;
    return from < to && system.advise(from, to - from, advice);
  }
}
