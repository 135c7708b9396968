package dev.gleaner.memory;

/** Answers where a block is now; read again before every retry of an indirect reallocation. */
@FunctionalInterface
public interface BlockPointer {
  /** {@return the offset of the block, as the program knows it now} */
  long block();
}
