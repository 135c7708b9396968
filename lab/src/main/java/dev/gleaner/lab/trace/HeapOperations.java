package dev.gleaner.lab.trace;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.spi.Capability;
import dev.gleaner.trace.TraceCursor;
import dev.gleaner.trace.TraceOp;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Does recorded operations on the heap itself, and has what they made, by number. */
final class HeapOperations {
  private final Replay replay;
  private final Heap heap;
  private final Map<Long, GlobalRef> globals = new HashMap<>();
  private final Map<Long, WeakRef> weaks = new HashMap<>();
  private final Map<Long, Long> blocks = new HashMap<>();
  private long leftOut;

  HeapOperations(Replay replay, Heap heap) {
    this.replay = replay;
    this.heap = heap;
  }

  void run(TraceCursor in, int op) {
    switch (op) {
      case TraceOp.COLLECT -> heap.collect(in.n());
      case TraceOp.STEP -> step(in.n());
      case TraceOp.SET_BASE_FLAGS -> {
        int _ = heap.setBaseFlags(in.n());
      }
      case TraceOp.NEW_GLOBAL -> put(globals, in.l(), heap.newGlobal());
      case TraceOp.CLOSE_GLOBAL -> closeGlobal(in, in.l());
      case TraceOp.CLOSE_WEAK -> closeWeak(in, in.l());
      case TraceOp.IS_CLEARED -> isCleared(in, in.l());
      case TraceOp.RESERVE_EXTERNAL -> heap.reserveExternal(in.l());
      case TraceOp.RELEASE_EXTERNAL -> heap.releaseExternal(in.l());
      case TraceOp.ALLOC -> made(in, op, heap.alloc(in.l()), in.l());
      case TraceOp.ALLOC_RAW -> made(in, op, heap.allocRaw(in.l()), in.l());
      case TraceOp.REALLOC, TraceOp.REALLOC_INDIRECT, TraceOp.REALLOC_RAW ->
          realloc(in, op, in.l(), in.l(), in.l());
      case TraceOp.FREE -> free(in, in.l());
      case TraceOp.FAIL_ALLOCATIONS -> heap.failAllocations(in.l(), in.l());
      case TraceOp.CLEAR_FAIL_ALLOCATIONS -> heap.clearFailAllocations();
      default -> throw in.unknown(op);
    }
  }

  /** When collections happen is the collector's own matter, if it cannot step. */
  private void step(int n) {
    if (heap.traits().has(Capability.INCREMENTAL)) {
      boolean _ = heap.step(n);
    } else {
      leftOut++;
    }
  }

  private static <T> void put(Map<Long, T> map, long number, T value) {
    T _ = map.put(number, value);
  }

  void addWeak(long number, WeakRef weak) {
    put(weaks, number, weak);
  }

  @Nullable WeakRef weak(long number) {
    return weaks.get(number);
  }

  @Nullable GlobalRef global(long number) {
    return globals.get(number);
  }

  private void closeGlobal(TraceCursor in, long number) {
    GlobalRef global = globals.remove(number);
    if (global == null) {
      replay.diverged(in, TraceOp.CLOSE_GLOBAL, "no global reference " + number + " here");
    } else {
      global.close();
    }
  }

  private void closeWeak(TraceCursor in, long number) {
    WeakRef weak = weaks.remove(number);
    if (weak == null) {
      replay.diverged(in, TraceOp.CLOSE_WEAK, "no weak reference " + number + " here");
    } else {
      weak.close();
    }
  }

  private void isCleared(TraceCursor in, long number) {
    WeakRef weak = weaks.get(number);
    if (weak == null) {
      replay.diverged(in, TraceOp.IS_CLEARED, "no weak reference " + number + " here");
    } else {
      boolean _ = weak.isCleared();
    }
  }

  // ---- plain blocks ----

  /** A block was asked for; it has this number, or 0 if it was refused in the recording. */
  private void made(TraceCursor in, int op, long block, long number) {
    if (number != 0 && block != 0) {
      put(blocks, number, block);
    } else if (number != 0) {
      replay.diverged(in, op, "was done in the recording, refused here");
    } else if (block != 0) {
      heap.free(block);
      replay.diverged(in, op, "was refused in the recording, not so here");
    }
  }

  private void realloc(TraceCursor in, int op, long number, long bytes, long after) {
    Long block = number == 0 ? Long.valueOf(0) : blocks.get(number);
    if (block == null) {
      replay.diverged(in, op, "no block " + number + " here");
      return;
    }
    long moved =
        switch (op) {
          case TraceOp.REALLOC -> heap.realloc(block, bytes);
          case TraceOp.REALLOC_RAW -> heap.reallocRaw(block, bytes);
          // A finalizer may move it meanwhile.
          default -> heap.reallocIndirect(() -> blocks.getOrDefault(number, 0L), bytes);
        };
    if (bytes == 0) {
      blocks.remove(number);
    } else if (moved != 0 && number == 0 && after == 0) {
      heap.free(moved);
    } else if (moved != 0) {
      put(blocks, after == 0 ? number : after, moved);
    }
    if (bytes != 0 && (moved != 0) != (after != 0)) {
      replay.diverged(in, op, after == 0 ? "was refused in the recording" : "refused here");
    }
  }

  private void free(TraceCursor in, long number) {
    Long block = blocks.remove(number);
    if (block == null) {
      replay.diverged(in, TraceOp.FREE, "no block " + number + " here");
    } else {
      heap.free(block);
    }
  }

  /** Closes all references and frees all blocks. */
  void closeAll() {
    List.copyOf(weaks.values()).forEach(WeakRef::close);
    weaks.clear();
    List.copyOf(globals.values()).forEach(GlobalRef::close);
    globals.clear();
    blocks.values().forEach(heap::free);
    blocks.clear();
  }

  long leftOut() {
    return leftOut;
  }
}
