package dev.gleaner.spi;

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
  static final boolean AVAILABLE =
      ReservedMemory.class.getModule().isNativeAccessEnabled()
          && System.getProperty("os.name", "").equals("Linux");

  /** The whole address space; {@link MemorySegment#NULL} where that is not permitted. */
  @SuppressWarnings("restricted")
  static final MemorySegment EVERYTHING =
      AVAILABLE ? MemorySegment.NULL.reinterpret(Long.MAX_VALUE) : MemorySegment.NULL;

  private static final int PROT_READ_WRITE = 3;
  private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x02 | 0x20 | 0x4000;
  private static final int MADV_DONTNEED = 4;
  private static final int MADV_HUGEPAGE = 14;
  private static final long OS_PAGE = 4096;

  private ReservedMemory() {}

  /** The C functions; a class of its own, so that they are linked only when first used. */
  @SuppressWarnings("restricted")
  private static final class C {
    static final ValueLayout.OfLong L = ValueLayout.JAVA_LONG;
    static final ValueLayout.OfInt I = ValueLayout.JAVA_INT;
    static final MethodHandle MMAP = link("mmap", FunctionDescriptor.of(L, L, L, I, I, I, L));
    static final MethodHandle MUNMAP = link("munmap", FunctionDescriptor.of(I, L, L));
    static final MethodHandle MADVISE = link("madvise", FunctionDescriptor.of(I, L, L, I));

    private static MethodHandle link(String name, FunctionDescriptor type) {
      Linker linker = Linker.nativeLinker();
      return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
    }
  }

  @SuppressWarnings("restricted")
  static @Nullable MemorySegment reserve(long bytes) {
    long length = (bytes + OS_PAGE - 1) & -OS_PAGE;
    try {
      long at =
          (long)
              C.MMAP.invokeExact(
                  0L, length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
      return at == -1 ? null : MemorySegment.ofAddress(at).reinterpret(length);
    } catch (Throwable e) {
      throw new IllegalStateException("mmap", e);
    }
  }

  static void unmap(MemorySegment s) {
    try {
      int _ = (int) C.MUNMAP.invokeExact(s.address(), s.byteSize());
    } catch (Throwable e) {
      throw new IllegalStateException("munmap", e);
    }
  }

  static boolean release(MemorySegment s, long offset, long bytes) {
    return advise(s, offset, bytes, MADV_DONTNEED);
  }

  static void adviseHugePages(MemorySegment s, long offset, long bytes) {
    advise(s, offset, bytes, MADV_HUGEPAGE);
  }

  /** Advises on the whole pages inside the part, checked against the segment's bounds. */
  private static boolean advise(MemorySegment s, long offset, long bytes, int advice) {
    MemorySegment part = s.asSlice(offset, bytes);
    long from = (part.address() + OS_PAGE - 1) & -OS_PAGE;
    long to = (part.address() + bytes) & -OS_PAGE;
    if (from >= to) {
      return false;
    }
    try {
      return (int) C.MADVISE.invokeExact(from, to - from, advice) == 0;
    } catch (Throwable e) {
      throw new IllegalStateException("madvise", e);
    }
  }
}
