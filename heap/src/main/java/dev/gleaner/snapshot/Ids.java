package dev.gleaner.snapshot;

/**
 * The identifiers of a snapshot's objects, made of offsets so that nothing has to be remembered.
 *
 * <pre>
 *   63  60 59  56 55 50 49                    2 1 0
 *   |  0  | part |  0  | offset in the memory  | 0 |
 * </pre>
 *
 * An element is its offset, part 0. What a tool shows beside it has the offset of the word that
 * stands for it, or of the block, and a part of its own; classes and names are numbered. The box of
 * a word that has a reference is a weak reference. Two bits of room keep an array, whose header
 * tools take for larger than ours, from reaching into the next one's identifiers: Eclipse MAT would
 * take references for compressed.
 */
final class Ids {
  private static final int PART_SHIFT = 56;
  private static final int ROOM = 2;

  static final long CLASS = 1L << PART_SHIFT;
  static final long NAME = 2L << PART_SHIFT;
  static final long CONSTANT = 3L << PART_SHIFT;
  static final long TEXT = 4L << PART_SHIFT;
  static final long BOX = 5L << PART_SHIFT;
  static final long BYTES = 6L << PART_SHIFT;
  static final long PIECE = 7L << PART_SHIFT;
  static final long PROPERTIES = 8L << PART_SHIFT;
  static final long PROPERTY = 9L << PART_SHIFT;
  static final long VALUES = 10L << PART_SHIFT;
  static final long INNER = 11L << PART_SHIFT;
  static final long CALLS = 12L << PART_SHIFT;
  static final long FRAME = 13L << PART_SHIFT;
  static final long FINALIZER = 14L << PART_SHIFT;
  static final long LABEL = 15L << PART_SHIFT;

  static final long NOTHING = 0;
  static final long TRUE = of(CONSTANT, 8);
  static final long FALSE = of(CONSTANT, 16);
  static final long NULL = of(CONSTANT, 24);

  private Ids() {}

  static long element(long offset) {
    return offset << ROOM;
  }

  static long of(long part, long offset) {
    return part | offset << ROOM;
  }
}
