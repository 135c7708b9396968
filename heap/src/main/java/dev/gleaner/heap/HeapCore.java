package dev.gleaner.heap;

import dev.gleaner.parts.HeapParts;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.CollectorTraits;

/**
 * The parts of a heap that its faces share.
 *
 * @param registers the registers of the running thread element, and access to words that hold
 *     values
 * @param context the tables and spaces
 * @param traits the collector's traits
 * @param collector the collector
 * @param driver collects
 * @param globals the global root slots
 * @param owner the heap as its references know it; its text names the heap in messages
 */
record HeapCore(
    WordAccess registers,
    HeapParts context,
    CollectorTraits traits,
    Collector collector,
    Driver driver,
    Globals globals,
    ReferenceOwner owner) {

  /** Makes the parts that need the registers, when the registers are there. */
  interface Maker {
    HeapCore make(WordAccess words);
  }
}
