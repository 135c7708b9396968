package dev.gleaner.collector.marksweep;

/** Heaps under the mark-and-sweep collector. */
abstract class HeapTests extends dev.gleaner.testing.HeapTests {
  HeapTests() {
    super("marksweep");
  }
}
