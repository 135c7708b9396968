package dev.gleaner.collector.hybrid;

/** Heaps under the hybrid collector. */
abstract class HeapTests extends dev.gleaner.testing.HeapTests {
  HeapTests() {
    super("hybrid");
  }
}
