package dev.gleaner.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What the system gave for a region. Any Java thread may give it back.
 *
 * <pre>
 *   mapped                      address space            unmapped
 *   beside, native access       the C library's          freed; closing an arena of all threads costs
 *                                                        12 us, and stops all Java threads for a moment
 *   else, or before any call    an arena of all threads  closed; a view that is used later is refused
 * </pre>
 *
 * <p><b>A region that nobody refers to.</b> The cleaner gives it back a collection of the JVM
 * later. A thread may have computed an address and have forgotten the region, and be stopped right
 * there by the collection that finds the region lost: at the next collection the thread is past the
 * access.
 */
final class SystemMemory implements Runnable {
  static {
    // The compiler counts on the classes of sessions that are loaded. Were the JVM's first arena
    // opened later, by a collector's mark bits, it would throw away all that it compiled till then.
    Arena.ofConfined().close();
    Arena.ofShared().close();
  }

  private MemorySegment segment;
  private @Nullable Arena arena;
  private boolean mapped;

  /** A larger copy, of which it is not settled yet that it comes in place of the segment. */
  private MemorySegment larger = MemorySegment.NULL;

  private @Nullable Arena largerArena;
  private boolean largerMapped;

  private SystemMemory(MemorySegment segment, @Nullable Arena arena, boolean mapped) {
    this.segment = segment;
    this.arena = arena;
    this.mapped = mapped;
  }

  /** Reserves address space; null if that is not permitted, or refused. */
  static @Nullable SystemMemory map(long bytes) {
    MemorySegment s = ReservedMemory.AVAILABLE ? ReservedMemory.reserve(bytes) : null;
    return s == null ? null : new SystemMemory(s, null, true);
  }

  /** Memory that can grow, all of it zero. */
  static SystemMemory allocate(long bytes, boolean beside) {
    if (beside && ReservedMemory.AVAILABLE && ReservedMemory.isLinked()) {
      MemorySegment s = ReservedMemory.allocate(bytes);
      if (s != null) {
        return new SystemMemory(s, null, false);
      }
    }
    Arena arena = Arena.ofShared();
    return new SystemMemory(arena.allocate(bytes, 8), arena, false);
  }

  boolean isMapped() {
    return mapped;
  }

  MemorySegment segment() {
    return segment;
  }

  /**
   * Makes a larger copy of what the region has; null if there is no memory for it. {@link #settle}
   * comes next, where the end of the Java stack does not prevent that.
   */
  @Nullable MemorySegment grow(MemorySegment current, long bytes) {
    settle(current);
    Arena wider = arena == null ? null : Arena.ofShared();
    MemorySegment copy;
    if (wider == null) {
      copy = ReservedMemory.allocate(bytes);
      if (copy == null) {
        return null;
      }
    } else {
      try {
        copy = wider.allocate(bytes, 8);
      } catch (OutOfMemoryError e) {
        wider.close();
        return null;
      }
    }
    return copy(current, copy, wider, false);
  }

  /** As {@link #grow}, to address space; null if it is refused. */
  @Nullable MemorySegment map(MemorySegment current, long bytes) {
    settle(current);
    MemorySegment copy = ReservedMemory.reserve(bytes);
    return copy == null ? null : copy(current, copy, null, true);
  }

  private MemorySegment copy(
      MemorySegment current, MemorySegment to, @Nullable Arena of, boolean ofMap) {
    larger = to;
    largerArena = of;
    largerMapped = ofMap;
    MemorySegment.copy(current, 0, to, 0, current.byteSize());
    return to;
  }

  /** Gives back what the region does not have, of the two. */
  void settle(MemorySegment current) {
    if (larger.address() != 0) {
      boolean replaced = current.address() == larger.address();
      MemorySegment old = replaced ? segment : larger;
      Arena oldArena = replaced ? arena : largerArena;
      boolean oldMapped = replaced ? mapped : largerMapped;
      segment = replaced ? larger : segment;
      arena = replaced ? largerArena : arena;
      mapped = replaced ? largerMapped : mapped;
      larger = MemorySegment.NULL;
      largerArena = null;
      giveBack(old, oldArena, oldMapped);
    }
  }

  /** Gives all of it back; doing so again does nothing. */
  void close() {
    settle(segment);
    MemorySegment old = segment;
    Arena oldArena = arena;
    segment = MemorySegment.NULL;
    arena = null;
    giveBack(old, oldArena, mapped);
  }

  private static void giveBack(MemorySegment old, @Nullable Arena oldArena, boolean wasMapped) {
    if (oldArena != null) {
      oldArena.close();
    } else if (old.address() != 0 && wasMapped) {
      ReservedMemory.unmap(old);
    } else if (old.address() != 0) {
      ReservedMemory.free(old);
    }
  }

  /** Nobody refers to the region any more. */
  @Override
  public void run() {
    if (segment.address() != 0) {
      var _ = Cleaning.CLEANER.register(new Object(), this::close);
    }
  }
}
