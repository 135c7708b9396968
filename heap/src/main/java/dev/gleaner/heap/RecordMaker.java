package dev.gleaner.heap;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/** Makes records. {@link RecordAccess} reads and writes their slots. */
final class RecordMaker {
  private static final MethodHandle NEW =
      Inlining.handle(
          MethodHandles.lookup(),
          RecordMaker.class,
          "doNew",
          void.class,
          WordAccess.class,
          int.class,
          int.class);

  private final Driver driver;
  private final CriticalSection section;
  private final @Nullable FrameBuffer frames;
  private final @Nullable FreeListSpace cells;
  private final long[] buffers;

  /** The header of a record of no slots that only a slot refers to. */
  private final long newHeader;

  RecordMaker(HeapCore core) {
    this.driver = core.driver();
    this.section = core.context().section();
    this.frames = core.collector().frames();
    this.cells = core.collector().cells();
    this.buffers = core.collector().allocationBuffers(Layout.RECORD);
    this.newHeader = Layout.RECORD | (core.collector().counts() == null ? 0 : ReferenceCounts.ONE);
  }

  void newRecord(WordAccess r, int d, int slots) {
    MethodHandle late = NEW;
    while (true) {
      try {
        late.invokeExact(this, r, d, slots);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  void doNew(WordAccess r, int d, int slots) {
    r.checkStep();
    long at = r.slot(d);
    if (frames != null) {
      newYoung(r, frames, at, d, slots);
      return;
    }
    long e = isSmall(slots) ? AllocationBuffers.take(cells, buffers, Layout.RECORD, slots + 1L) : 0;
    if (e != 0) {
      r.mem.put(e, newHeader | (long) slots << Layout.SIZE_SHIFT);
      r.put(at, e);
    } else {
      newSlowly(r, d, slots);
    }
  }

  private static boolean isSmall(int slots) {
    return Integer.compareUnsigned(slots, SizeClasses.EXACT) < 0;
  }

  /** Writes the slot without a test: a collector with frames counts nothing. */
  private void newYoung(WordAccess r, FrameBuffer f, long at, int d, int slots) {
    if (isSmall(slots) && f.fits(r.base, slots)) {
      putYoung(r, f, at, slots);
    } else {
      newYoungSlowly(r, f, at, d, slots);
    }
  }

  private void newYoungSlowly(WordAccess r, FrameBuffer f, long at, int d, int slots) {
    section.enter();
    boolean fits = isSmall(slots) && f.makeRoom(r.base, slots);
    section.leave();
    if (fits) {
      putYoung(r, f, at, slots);
    } else {
      newSlowly(r, d, slots);
    }
  }

  private void putYoung(WordAccess r, FrameBuffer f, long at, int slots) {
    long e = f.take(slots);
    r.mem.put(e, Layout.RECORD | (long) slots << Layout.SIZE_SHIFT);
    r.mem.put(at, e);
  }

  private void newSlowly(WordAccess r, int d, int slots) {
    r.check();
    if (slots < 0) {
      throw new HeapUsageException("negative number of slots: " + slots);
    }
    r.setSlot(d, driver.allocateElement(Layout.RECORD, slots));
  }
}
