package dev.gleaner.collector.refcount;

/** Heaps under reference counting. */
abstract class HeapTests extends dev.gleaner.testing.HeapTests {
  HeapTests() {
    super("refcount");
  }
}
