package dev.gleaner.table;

import dev.gleaner.layout.OffsetVisitor;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;

/**
 * The string access cache (Duktape, "Weak reference"). For a few strings that are not ASCII it has
 * the place of the character that was read last. So a walk through a long string takes linear time.
 *
 * <p>The cache's references are weak: an entry goes with its string.
 */
public final class StringCache {
  private final long[] strings;
  private final int[] characters;
  private final int[] units;
  private final int[] offsets;
  private int victim;

  public StringCache(int entries) {
    strings = new long[entries];
    characters = new int[entries];
    units = new int[entries];
    offsets = new int[entries];
  }

  /** Returns the entry of a string, or -1. */
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

  /** Returns the index of the character in UTF-16. */
  public int unit(int entry) {
    return units[entry];
  }

  public int offset(int entry) {
    return offsets[entry];
  }

  /** Notes the place of a character of a string; entry -1 replaces the oldest entry. */
  public void remember(int entry, long string, int character, int unit, int offset) {
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
    units[e] = unit;
    offsets[e] = offset;
  }

  /** Drops the entry of a dead string. */
  public void remove(long string) {
    int e = find(string);
    if (e >= 0) {
      strings[e] = 0;
    }
  }

  /** Updates the places of strings that moved. */
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
