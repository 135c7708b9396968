package dev.gleaner.memory;

/**
 * The allocation functions of a heap, as a user may provide them (Duktape, "Allocation functions",
 * "Raw functions"). Blocks are offsets in the heap's memory; 0 is null.
 *
 * <p>ANSI semantics: size 0 answers 0 or a block that the other two accept; {@code realloc(0, n)}
 * allocates; {@code realloc(b, 0)} frees; {@code free(0)} does nothing; 0 means refused, and a
 * refused realloc leaves the block as it was. Blocks are aligned to 8 bytes and are whole inside
 * the memory that the default functions handed out. They must not call the heap.
 */
public interface AllocationFunctions {
  /**
   * Allocates a block.
   *
   * @param bytes at least 0
   * @return its offset, aligned to 8 bytes; 0 if it is refused, or perhaps if {@code bytes} is 0
   */
  long alloc(long bytes);

  /**
   * Changes the size of a block; what fits into the new one keeps its values.
   *
   * @param block its offset; 0 allocates
   * @param bytes the new size; 0 frees
   * @return where it is now; 0 if it is refused, and the block is as before
   */
  long realloc(long block, long bytes);

  /**
   * Frees a block.
   *
   * @param block its offset; 0 does nothing
   */
  void free(long block);
}
