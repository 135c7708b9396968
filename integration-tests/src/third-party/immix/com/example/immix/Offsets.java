package com.example.immix;

import dev.gleaner.layout.OffsetVisitor;
import java.util.Arrays;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/** A list of elements. */
final class Offsets {
  private long[] offsets = new long[8];
  private int size;

  int size() {
    return size;
  }

  long get(int i) {
    return offsets[i];
  }

  void add(long element) {
    if (size == offsets.length) {
      offsets = Arrays.copyOf(offsets, size * 2);
    }
    offsets[size++] = element;
  }

  void clear() {
    size = 0;
  }

  /**
   * Keeps those that stay, of all from an index on; tells of the others. Returns how many there are
   * then.
   */
  int retain(int from, LongPredicate stays, OffsetVisitor dead) {
    int kept = from;
    for (int i = from; i < size; i++) {
      if (stays.test(offsets[i])) {
        offsets[kept++] = offsets[i];
      } else {
        dead.visit(offsets[i]);
      }
    }
    size = kept;
    return kept;
  }

  void map(LongUnaryOperator to) {
    for (int i = 0; i < size; i++) {
      offsets[i] = to.applyAsLong(offsets[i]);
    }
  }

  void forEach(OffsetVisitor visitor) {
    for (int i = 0; i < size; i++) {
      visitor.visit(offsets[i]);
    }
  }
}
