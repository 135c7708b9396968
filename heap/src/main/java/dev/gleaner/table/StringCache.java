package dev.gleaner.table;

import dev.gleaner.layout.OffsetVisitor;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * The string access cache: for a few strings that are not ASCII, where the character looked at last
 * begins, so that walking through a long string is linear (Duktape, "Weak reference").
 *
 * <p>Its references are weak: an entry goes with its string.
 */
public final class StringCache {
  private final long[] strings;
  private final int[] characters;
  private final int[] offsets;
  private int victim;

  public StringCache(int entries) {
    strings = new long[entries];
    characters = new int[entries];
    offsets = new int[entries];
  }

  /** The entry of a string, or -1. */
  public int find(long string) {
    for (int i = 0; i < strings.length; i++) {
      if (strings[i] == string) {
        return i;
      }
    }
    return -1;
  }

  public int character(int entry) {
    return characters[entry];
  }

  public int offset(int entry) {
    return offsets[entry];
  }

  /** Remembers where a character of a string begins; entry -1 takes the oldest one's place. */
  public void remember(int entry, long string, int character, int offset) {
    if (strings.length == 0) {
      return;
    }
    int e = entry;
    if (e < 0) {
      e = victim;
      victim = (victim + 1) % strings.length;
    }
    strings[e] = string;
    characters[e] = character;
    offsets[e] = offset;
  }

  /** Drops the entry of a string that goes. */
  public void remove(long string) {
    int e = find(string);
    if (e >= 0) {
      strings[e] = 0;
    }
  }

  /** Takes over the places to which the strings moved. */
  public void relocate(LongUnaryOperator moved) {
    for (int i = 0; i < strings.length; i++) {
      if (strings[i] != 0) {
        strings[i] = moved.applyAsLong(strings[i]);
      }
    }
  }

  /** Calls back for each string that has an entry. */
  public void forEach(OffsetVisitor visitor) {
    for (long string : strings) {
      if (string != 0) {
        visitor.visit(string);
      }
    }
  }

  /** Drops the entries of strings that are not live. */
  public void sweep(LongPredicate isLive) {
    for (int i = 0; i < strings.length; i++) {
      if (strings[i] != 0 && !isLive.test(strings[i])) {
        strings[i] = 0;
      }
    }
  }
}
