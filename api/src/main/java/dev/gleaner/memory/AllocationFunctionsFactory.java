package dev.gleaner.memory;

/** Makes the allocation functions of one heap, most often around the default ones. */
@FunctionalInterface
public interface AllocationFunctionsFactory {
  /**
   * Makes the functions.
   *
   * @param defaults the heap's own allocator, from which memory comes in the end
   * @return the functions, called on the Java thread of the heap alone
   */
  AllocationFunctions create(AllocationFunctions defaults);
}
