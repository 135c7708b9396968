package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.machine.Arguments;

/**
 * Matches patterns (§ 6.4.1) against a string of the heap.
 *
 * <p>A pattern item that may match in several ways is tried by recursion, at most {@link
 * #MOST_DEPTH} deep; everything else is a cycle. Each step, each byte of a set and each try of
 * backtracking is charged, in slices, so a pattern that takes exponential time meets the limits.
 */
final class Matcher {
  /** The answer where nothing matches. */
  static final int NONE = -1;

  private static final int MOST_DEPTH = 200;
  private static final int MOST_CAPTURES = 32;
  private static final int UNFINISHED = -1;
  private static final int POSITION = -2;
  private static final int SLICE = 512;

  private final Window subject;
  private final Window pattern;
  private final int[] starts = new int[MOST_CAPTURES];
  private final int[] lengths = new int[MOST_CAPTURES];
  private Arguments a;
  private int level;
  private int depth;
  private int budget = SLICE;

  /** A matcher for strings of a heap. */
  @SuppressWarnings("NullAway.Init") // open comes first
  Matcher(Mutator mutator) {
    subject = new Window(mutator, 2048);
    pattern = new Window(mutator, 256);
  }

  /** Prepares for a string and a pattern, which stay in their slots. */
  void open(Arguments arguments, int s, int p) {
    a = arguments;
    subject.open(s);
    pattern.open(p);
  }

  /** Matches from an index of the string, by the pattern from an index; answers where it ends. */
  int match(int from, int patternFrom) {
    level = 0;
    depth = 0;
    return step(from, patternFrom);
  }

  /** Finds the pattern as plain bytes, from an index of the string on; -1 if it is not there. */
  int indexOf(int from) {
    int part = pattern.length();
    int first = pattern.at(0);
    for (int s = from; s <= subject.length() - part; s++) {
      charge(1);
      if (subject.at(s) == first) {
        int i = 1;
        while (i < part && subject.at(s + i) == pattern.at(i)) {
          i++;
          charge(1);
        }
        if (i == part) {
          return s;
        }
      }
    }
    return NONE;
  }

  /** A byte of the pattern. */
  int patternAt(int i) {
    return pattern.at(i);
  }

  /** The length of the pattern. */
  int patternLength() {
    return pattern.length();
  }

  /** The length of the string. */
  int length() {
    return subject.length();
  }

  /** How many values the last match has: its captures, or if there are none, all of it. */
  int values(boolean wholeMatch) {
    return level == 0 && wholeMatch ? 1 : level;
  }

  /** Whether a value of the last match is a position. */
  boolean isPosition(int i) {
    return i < level && lengths[i] == POSITION;
  }

  /** Where a value of the last match starts, or the position that it is; both from 0. */
  int start(int i, int matchStart) {
    if (i < level) {
      return starts[i];
    }
    checkWhole(i);
    return matchStart;
  }

  /** Where a value of the last match ends. */
  int end(int i, int matchEnd) {
    if (i >= level) {
      checkWhole(i);
      return matchEnd;
    }
    if (lengths[i] == UNFINISHED) {
      throw a.error("unfinished capture");
    }
    return starts[i] + lengths[i];
  }

  private void checkWhole(int i) {
    if (i != 0) {
      throw a.error("invalid capture index %" + (i + 1));
    }
  }

  private void charge(int steps) {
    budget -= steps;
    if (budget < 0) {
      int spent = SLICE - budget;
      budget = SLICE;
      a.work(spent);
    }
  }

  private int step(int from, int patternFrom) {
    if (depth++ == MOST_DEPTH) {
      throw a.error("pattern too complex");
    }
    int end = steps(from, patternFrom);
    depth--;
    return end;
  }

  private int steps(int from, int patternFrom) {
    int s = from;
    int p = patternFrom;
    int patternEnd = pattern.length();
    while (p < patternEnd) {
      charge(1);
      int item = pattern.at(p);
      int next = pattern.at(p + 1);
      if (item == '(') {
        return next == ')' ? open(s, p + 2, POSITION) : open(s, p + 1, UNFINISHED);
      }
      if (item == ')') {
        return close(s, p + 1);
      }
      if (item == '$' && p + 1 == patternEnd) {
        return s == subject.length() ? s : NONE;
      }
      if (item == '%' && next == 'b') {
        s = balanced(s, p + 2);
        p += 4;
      } else if (item == '%' && next == 'f') {
        int set = p + 2;
        if (pattern.at(set) != '[') {
          throw a.error("missing '[' after '%f' in pattern");
        }
        p = classEnd(set);
        int before = s == 0 ? 0 : subject.at(s - 1);
        boolean frontier = !inSet(before, set, p - 1) && inSet(subject.at(s), set, p - 1);
        s = frontier ? s : NONE;
      } else if (item == '%' && next >= '0' && next <= '9') {
        s = again(s, next);
        p += 2;
      } else {
        int end = classEnd(p);
        int suffix = pattern.at(end);
        if (suffix == '*') {
          return longest(s, p, end);
        }
        if (suffix == '-') {
          return shortest(s, p, end);
        }
        boolean matches = single(s, p, end);
        if (suffix == '+') {
          return matches ? longest(s + 1, p, end) : NONE;
        }
        if (suffix == '?') {
          int whole = matches ? step(s + 1, end + 1) : NONE;
          if (whole != NONE) {
            return whole;
          }
          p = end + 1;
        } else {
          s = matches ? s + 1 : NONE;
          p = end;
        }
      }
      if (s == NONE) {
        return NONE;
      }
    }
    return s;
  }

  private int longest(int s, int p, int end) {
    int count = 0;
    while (single(s + count, p, end)) {
      count++;
      charge(1);
    }
    for (; count >= 0; count--) {
      int whole = step(s + count, end + 1);
      if (whole != NONE) {
        return whole;
      }
    }
    return NONE;
  }

  private int shortest(int from, int p, int end) {
    for (int s = from; ; s++) {
      int whole = step(s, end + 1);
      if (whole != NONE) {
        return whole;
      }
      if (!single(s, p, end)) {
        return NONE;
      }
    }
  }

  private int open(int s, int p, int what) {
    if (level >= MOST_CAPTURES) {
      throw a.error("too many captures");
    }
    starts[level] = s;
    lengths[level] = what;
    level++;
    int end = step(s, p);
    if (end == NONE) {
      level--;
    }
    return end;
  }

  private int close(int s, int p) {
    int l = level - 1;
    while (l >= 0 && lengths[l] != UNFINISHED) {
      l--;
    }
    if (l < 0) {
      throw a.error("invalid pattern capture");
    }
    lengths[l] = s - starts[l];
    int end = step(s, p);
    if (end == NONE) {
      lengths[l] = UNFINISHED;
    }
    return end;
  }

  /** What a capture has, once more. */
  private int again(int s, int digit) {
    int l = digit - '1';
    if (l < 0 || l >= level || lengths[l] == UNFINISHED) {
      throw a.error("invalid capture index %" + (l + 1));
    }
    int length = lengths[l];
    if (length == POSITION || subject.length() - s < length) {
      return NONE;
    }
    for (int i = 0; i < length; i++) {
      charge(1);
      if (subject.at(starts[l] + i) != subject.at(s + i)) {
        return NONE;
      }
    }
    return s + length;
  }

  private int balanced(int s, int p) {
    if (p >= pattern.length() - 1) {
      throw a.error("malformed pattern (missing arguments to '%b')");
    }
    int open = pattern.at(p);
    int close = pattern.at(p + 1);
    if (s >= subject.length() || subject.at(s) != open) {
      return NONE;
    }
    int nested = 1;
    for (int i = s + 1; i < subject.length(); i++) {
      charge(1);
      int c = subject.at(i);
      if (c == close) {
        if (--nested == 0) {
          return i + 1;
        }
      } else if (c == open) {
        nested++;
      }
    }
    return NONE;
  }

  /** Where the item of one character that begins at an index ends. */
  private int classEnd(int from) {
    int p = from;
    int c = pattern.at(p++);
    if (c == '%') {
      if (p == pattern.length()) {
        throw a.error("malformed pattern (ends with '%')");
      }
      return p + 1;
    }
    if (c == '[') {
      if (pattern.at(p) == '^') {
        p++;
      }
      do {
        if (p >= pattern.length()) {
          throw a.error("malformed pattern (missing ']')");
        }
        charge(1);
        if (pattern.at(p++) == '%') {
          p++;
        }
      } while (pattern.at(p) != ']');
      return p + 1;
    }
    return p;
  }

  private boolean single(int s, int p, int end) {
    if (s >= subject.length()) {
      return false;
    }
    int c = subject.at(s);
    int item = pattern.at(p);
    return switch (item) {
      case '.' -> true;
      case '%' -> Characters.inClass(c, pattern.at(p + 1));
      case '[' -> inSet(c, p, end - 1);
      default -> item == c;
    };
  }

  /** Whether a set, from its opening to its closing bracket, has a character. */
  private boolean inSet(int c, int from, int last) {
    int p = from + 1;
    boolean found = true;
    if (pattern.at(p) == '^') {
      found = false;
      p++;
    }
    charge((last - from) / 4);
    for (; p < last; p++) {
      int item = pattern.at(p);
      if (item == '%') {
        p++;
        if (Characters.inClass(c, pattern.at(p))) {
          return found;
        }
      } else if (pattern.at(p + 1) == '-' && p + 2 < last) {
        p += 2;
        if (item <= c && c <= pattern.at(p)) {
          return found;
        }
      } else if (item == c) {
        return found;
      }
    }
    return !found;
  }
}
