package dev.gleaner.lua;

import dev.gleaner.heap.Heap;
import dev.gleaner.refusal.HeapExhaustedException;

/**
 * Memory of a guest that its scripts cannot use up. A prompt gives it back while a line is
 * compiled, so that a line which frees memory can run when there is none left.
 */
final class Reserve {
  private static final int MOST = 32 << 10;
  private static final int SHARE = 64;

  private final Heap heap;
  private final long bytes;
  private boolean held;

  Reserve(Heap heap) {
    this.heap = heap;
    this.bytes = Math.min(MOST, heap.snapshot().maxBytes() / SHARE);
  }

  /** Takes the memory, if there is as much. */
  void take() {
    try {
      heap.reserveExternal(bytes);
      held = true;
    } catch (HeapExhaustedException e) {
      held = false; // before the next line there may be
    }
  }

  void giveBack() {
    if (held) {
      heap.releaseExternal(bytes);
      held = false;
    }
  }
}
