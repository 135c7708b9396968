package dev.gleaner.collector.framestack;

/** Heaps under the frame-stack collector. */
abstract class HeapTests extends dev.gleaner.testing.HeapTests {
  HeapTests() {
    super("framestack");
  }
}
