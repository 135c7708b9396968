package dev.gleaner.heap;

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
  long alloc(long bytes);

  long realloc(long block, long bytes);

  void free(long block);
}
