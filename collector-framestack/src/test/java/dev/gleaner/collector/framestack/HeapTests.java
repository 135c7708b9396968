package dev.gleaner.collector.framestack;

/** Heaps under the frame-stack collector. */
abstract class HeapTests extends dev.gleaner.testing.HeapTests {
  /** Slots of an object that is too large to be young. */
  static final int OWNED = 31;

  HeapTests() {
    super("framestack");
  }
}
