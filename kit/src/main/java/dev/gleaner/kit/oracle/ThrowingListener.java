package dev.gleaner.kit.oracle;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;

/** Throws now and then, which must not matter to anybody. */
final class ThrowingListener implements HeapListener {
  private final ShadowHeap shadow;
  private final Dice dice;

  /** Each is logged. */
  private int left = 8;

  ThrowingListener(ShadowHeap shadow, long seed) {
    this.shadow = shadow;
    this.dice = new Dice(seed);
  }

  @Override
  public void collectionFinished(CollectionEvent event) {
    throwSometimes();
  }

  @Override
  public void heapClosed(Heap heap) {
    throwSometimes();
  }

  private void throwSometimes() {
    if (left > 0 && dice.chance(20)) {
      left--;
      shadow.callbacksFailed++;
      Thrown.raise(Thrown.any(dice));
    }
  }
}
