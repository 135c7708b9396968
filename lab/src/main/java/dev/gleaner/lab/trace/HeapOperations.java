package dev.gleaner.lab.trace;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.memory.BlockPointer;
import dev.gleaner.spi.Capability;
import dev.gleaner.trace.TraceCursor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The operations on the heap that are done in another way, and what they made, by number. */
final class HeapOperations {
  private final Replay replay;
  private final Heap heap;
  private final boolean same;
  private final Map<Long, GlobalRef> globals = new HashMap<>();
  private final Map<Long, WeakRef> weaks = new HashMap<>();
  private final Map<Long, Long> blocks = new HashMap<>();
  private long leftOut;

  HeapOperations(Replay replay, Heap heap, boolean same) {
    this.replay = replay;
    this.heap = heap;
    this.same = same;
  }

  /** Takes over the global references of the image with which the trace begins. */
  void open(Map<Long, GlobalRef> opened) {
    globals.putAll(opened);
  }

  void newGlobal(long number) {
    put(globals, number, heap.newGlobal());
  }

  /** When collections happen is the collector's own matter, if it cannot step. */
  void step(int n) {
    if (same || heap.traits().has(Capability.INCREMENTAL)) { // the same refuses it again
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

  void closeGlobal(TraceCursor in, long number) {
    GlobalRef global = globals.remove(number);
    if (global == null) {
      replay.diverged(in, "close-global", "no global reference " + number + " here");
    } else {
      global.close();
    }
  }

  void closeWeak(TraceCursor in, long number) {
    WeakRef weak = weaks.remove(number);
    if (weak == null) {
      replay.diverged(in, "close-weak", "no weak reference " + number + " here");
    } else {
      weak.close();
    }
  }

  void isCleared(TraceCursor in, long number) {
    WeakRef weak = weaks.get(number);
    if (weak == null) {
      replay.diverged(in, "is-cleared", "no weak reference " + number + " here");
    } else {
      boolean _ = weak.isCleared();
    }
  }

  // ---- plain blocks ----

  void alloc(TraceCursor in, long bytes, long number) {
    made(in, "alloc", heap.plainMemory().alloc(bytes), number);
  }

  void allocRaw(TraceCursor in, long bytes, long number) {
    made(in, "alloc-raw", heap.plainMemory().allocRaw(bytes), number);
  }

  /** A block was asked for; it has this number, or 0 if it was refused in the recording. */
  private void made(TraceCursor in, String op, long block, long number) {
    if (number != 0 && block != 0) {
      put(blocks, number, block);
    } else if (number != 0) {
      replay.diverged(in, op, "was done in the recording, refused here");
    } else if (block != 0) {
      heap.plainMemory().free(block);
      replay.diverged(in, op, "was refused in the recording, not so here");
    }
  }

  void realloc(TraceCursor in, long number, long bytes, long after) {
    realloc(in, "realloc", number, bytes, after, block -> heap.plainMemory().realloc(block, bytes));
  }

  void reallocRaw(TraceCursor in, long number, long bytes, long after) {
    realloc(
        in,
        "realloc-raw",
        number,
        bytes,
        after,
        block -> heap.plainMemory().reallocRaw(block, bytes));
  }

  /** A finalizer may move the block meanwhile. */
  void reallocIndirect(TraceCursor in, long number, long bytes, long after) {
    BlockPointer pointer = () -> blocks.getOrDefault(number, 0L);
    realloc(
        in,
        "realloc-indirect",
        number,
        bytes,
        after,
        _ -> heap.plainMemory().reallocIndirect(pointer, bytes));
  }

  private void realloc(
      TraceCursor in, String op, long number, long bytes, long after, LongUnaryOperator move) {
    Long block = number == 0 ? Long.valueOf(0) : blocks.get(number);
    if (block == null) {
      replay.diverged(in, op, "no block " + number + " here");
      return;
    }
    long moved = move.applyAsLong(block);
    if (bytes == 0) {
      blocks.remove(number);
    } else if (moved != 0 && number == 0 && after == 0) {
      heap.plainMemory().free(moved);
    } else if (moved != 0) {
      put(blocks, after == 0 ? number : after, moved);
    }
    if (bytes != 0 && (moved != 0) != (after != 0)) {
      replay.diverged(in, op, after == 0 ? "was refused in the recording" : "refused here");
    }
  }

  void free(TraceCursor in, long number) {
    Long block = blocks.remove(number);
    if (block == null) {
      replay.diverged(in, "free", "no block " + number + " here");
    } else {
      heap.plainMemory().free(block);
    }
  }

  /** Closes all references and frees all blocks. */
  void closeAll() {
    List.copyOf(weaks.values()).forEach(WeakRef::close);
    weaks.clear();
    List.copyOf(globals.values()).forEach(GlobalRef::close);
    globals.clear();
    blocks.values().forEach(heap.plainMemory()::free);
    blocks.clear();
  }

  long leftOut() {
    return leftOut;
  }
}
