package dev.gleaner.memory;

/**
 * The requests that a heap refuses from now on, as {@code
 * dev.gleaner.heap.HeapFaults#failAllocations} arranged it.
 *
 * @param after requests that are granted before
 * @param times requests that are refused then
 */
public record AllocationFailures(long after, long times) {}
