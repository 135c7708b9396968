package dev.gleaner.collector.semispace;

/** Heaps under the semispace collector. */
abstract class HeapTests extends dev.gleaner.testing.HeapTests {
  HeapTests() {
    super("semispace");
  }
}
