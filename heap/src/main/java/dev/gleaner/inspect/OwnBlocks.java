package dev.gleaner.inspect;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;

/** The blocks that an element owns besides its own memory. */
final class OwnBlocks {
  private OwnBlocks() {}

  /** Visits the blocks. */
  @FunctionalInterface
  interface Visitor {
    /**
     * Visits a block.
     *
     * @param name the role of the block in its element
     * @param start the block's offset; 0 if the element has no such block
     * @param bytes the bytes that the element uses
     */
    void block(String name, long start, long bytes);
  }

  static void forEach(HeapParts context, long element, Visitor visitor) {
    Memory m = context.memory();
    switch (Layout.kind(m.get(element))) {
      case Layout.OBJECT ->
          visitor.block(
              "property table", context.tables().table(element), context.tables().bytes(element));
      case Layout.DYNAMIC_BUFFER ->
          visitor.block(
              "bytes",
              Values.raw(m.get(element + Layout.DYNAMIC_BLOCK)),
              m.get(element + Layout.DYNAMIC_SIZE));
      case Layout.THREAD -> {
        visitor.block(
            "value stack",
            ThreadLayout.stackStart(m, element),
            Values.raw(m.get(element + ThreadLayout.CAPACITY)) << 3);
        visitor.block(
            "call stack",
            ThreadLayout.callsStart(m, element),
            Values.raw(m.get(element + ThreadLayout.CALLS_CAPACITY)) * ThreadLayout.CALL_BYTES);
      }
      default -> {}
    }
  }
}
