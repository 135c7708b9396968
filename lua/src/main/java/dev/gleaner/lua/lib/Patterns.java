package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.number.NumberWriter;

/** The functions of strings that take patterns: find, match, gmatch and gsub. */
final class Patterns {
  /** A search that takes no longer is one step of the heap. */
  private static final long AT_ONCE = 1 << 16;

  /** Slots for what a replacement asks: the function, 32 captures, and one more. */
  private static final int CALL = 34;

  private final Machine machine;
  private final Mutator t;
  private final LibraryTexts texts;
  private final Matcher matcher;
  private final Window replacement;
  private final int next;

  Patterns(Machine machine, LibraryTexts texts) {
    this.machine = machine;
    this.t = machine.mutator();
    this.texts = texts;
    this.matcher = new Matcher(t);
    this.replacement = new Window(t, 128);
    this.next = machine.declare("?gmatch", this::next, 4);
  }

  int find(Arguments a) {
    return search(a, true);
  }

  int match(Arguments a) {
    return search(a, false);
  }

  private int search(Arguments a, boolean find) {
    a.checkString(1);
    a.checkString(2);
    int length = t.stringBytes(1);
    long init = StringLibrary.start(a.optInteger(3, 1), length) - 1;
    if (init > length) {
      return nil(a);
    }
    matcher.open(a, 1, 2);
    if (find && ((a.count() >= 4 && StringLibrary.isTrue(t, 4)) || isPlain(a))) {
      return plain(a, (int) init);
    }
    boolean anchor = matcher.patternAt(0) == '^';
    int p = anchor ? 1 : 0;
    for (int s = (int) init; s <= length; s++) {
      int end = matcher.match(s, p);
      if (end != Matcher.NONE) {
        int values = matcher.values(!find);
        int places = find ? 2 : 0;
        int first = a.scratch(places + values);
        if (find) {
          machine.setInteger(first, s + 1);
          machine.setInteger(first + 1, end);
        }
        values(1, first + places, values, s, end);
        return a.results(first, places + values);
      }
      if (anchor) {
        break;
      }
    }
    return nil(a);
  }

  private int nil(Arguments a) {
    t.setUndefined(1);
    return a.one(1);
  }

  private boolean isPlain(Arguments a) {
    int length = matcher.patternLength();
    a.work(length / 16);
    for (int i = 0; i < length; i++) {
      switch (matcher.patternAt(i)) {
        case '^', '$', '*', '+', '?', '.', '(', '[', '%', '-' -> {
          return false;
        }
        default -> {}
      }
    }
    return true;
  }

  private int plain(Arguments a, int init) {
    int part = matcher.patternLength();
    long work = (long) (matcher.length() - init) * part;
    int at;
    if (work <= AT_ONCE) {
      a.work(work / 16);
      at = t.indexOf(1, 2, init);
    } else {
      at = matcher.indexOf(init);
    }
    if (at < 0) {
      return nil(a);
    }
    machine.setInteger(1, at + 1);
    machine.setInteger(2, at + part);
    return a.results(1, 2);
  }

  /** Puts values of the last match into consecutive slots. */
  private void values(int subject, int first, int count, int start, int end) {
    for (int i = 0; i < count; i++) {
      value(subject, first + i, i, start, end);
    }
  }

  private void value(int subject, int d, int i, int start, int end) {
    if (matcher.isPosition(i)) {
      machine.setInteger(d, matcher.start(i, start) + 1);
    } else {
      int to = matcher.end(i, end);
      machine.substring(d, subject, matcher.start(i, start), to);
    }
  }

  int gmatch(Arguments a) {
    a.checkString(1);
    a.checkString(2);
    int length = t.stringBytes(1);
    long init = StringLibrary.start(a.optInteger(3, 1), length) - 1;
    int state = a.scratch(5);
    t.copy(state + 1, 1);
    t.copy(state + 2, 2);
    machine.setInteger(state + 3, Math.min(init, length + 1));
    machine.setInteger(state + 4, Matcher.NONE);
    machine.newBuiltin(state, next, state + 1, 4);
    return a.one(state);
  }

  /** One step of gmatch; it holds the string, the pattern, where to go on and the last end. */
  private int next(Arguments a) {
    int state = a.scratch(4);
    for (int i = 0; i < 4; i++) {
      machine.loadHeld(state + i, i);
    }
    int last = (int) machine.integer(state + 3);
    matcher.open(a, state, state + 1);
    int length = matcher.length();
    for (int s = (int) machine.integer(state + 2); s <= length; s++) {
      int end = matcher.match(s, 0);
      if (end != Matcher.NONE && end != last) {
        machine.setInteger(state + 2, end);
        machine.storeHeld(2, state + 2);
        machine.storeHeld(3, state + 2);
        int values = matcher.values(true);
        int first = a.scratch(values);
        values(state, first, values, s, end);
        return a.results(first, values);
      }
    }
    return a.none();
  }

  int gsub(Arguments a) {
    a.checkString(1);
    a.checkString(2);
    int length = t.stringBytes(1);
    long most = a.optInteger(4, length + 1L); // as in C, before the third is looked at
    boolean ask = a.count() >= 3 && (machine.isFunction(3) || machine.isTable(3));
    if (!ask && (a.isNone(3) || !machine.toText(3))) {
      throw a.typeError(3, "string/function/table");
    }
    int buffer = a.scratch(ask ? 1 + CALL : 1);
    int call = buffer + 1;
    try (TextBuilder text = texts.open(a, buffer)) {
      matcher.open(a, 1, 2);
      boolean anchor = matcher.patternAt(0) == '^';
      boolean plain = !ask && isPlainReplacement(a);
      int p = anchor ? 1 : 0;
      int s = 0;
      int copied = 0;
      int last = Matcher.NONE;
      long count = 0;
      boolean changed = false;
      while (count < most) {
        int end = matcher.match(s, p);
        if (end != Matcher.NONE && end != last) {
          count++;
          text.addString(1, copied, s);
          if (plain) {
            text.addString(3);
            changed = true;
          } else if (!ask) {
            replace(a, text, s, end);
            changed = true;
          } else if (ask(a, call, s, end)) {
            text.addString(call);
            changed = true;
          } else {
            text.addString(1, s, end);
          }
          if (ask) {
            matcher.open(a, 1, 2);
          }
          s = end;
          copied = end;
          last = end;
        } else if (s < length) {
          s++;
        } else {
          break;
        }
        if (anchor) {
          break;
        }
      }
      if (changed) {
        text.addString(1, copied, length);
        text.toSlot(1);
      }
      machine.setInteger(2, count);
      return a.results(1, 2);
    }
  }

  private boolean isPlainReplacement(Arguments a) {
    replacement.open(3);
    int length = replacement.length();
    a.work(length / 16);
    for (int i = 0; i < length; i++) {
      if (replacement.at(i) == '%') {
        return false;
      }
    }
    return true;
  }

  private void replace(Arguments a, TextBuilder text, int start, int end) {
    int length = replacement.length();
    a.work(length / 16);
    for (int i = 0; i < length; i++) {
      int c = replacement.at(i);
      if (c != '%') {
        text.add(c);
        continue;
      }
      c = replacement.at(++i);
      if (c == '%') {
        text.add(c);
      } else if (c == '0') {
        text.addString(1, start, end);
      } else if (c >= '1' && c <= '9') {
        int v = c - '1';
        if (matcher.isPosition(v)) {
          byte[] to = text.room(NumberWriter.MOST);
          text.endsAt(NumberWriter.write(matcher.start(v, start) + 1, to, text.end()));
        } else {
          int to = matcher.end(v, end);
          text.addString(1, matcher.start(v, start), to);
        }
      } else {
        throw a.error("invalid use of '%' in replacement string");
      }
    }
  }

  /** Asks a table or function for a replacement; false if the match stays as it is. */
  private boolean ask(Arguments a, int call, int start, int end) {
    if (machine.isTable(3)) {
      value(1, call, 0, start, end);
      machine.index(call, 3, call);
    } else {
      int values = matcher.values(true);
      t.copy(call, 3);
      values(1, call + 1, values, start, end);
      machine.call(call, values, 1);
    }
    if (!StringLibrary.isTrue(t, call)) {
      return false;
    }
    if (!machine.toText(call)) {
      throw a.error("invalid replacement value (a " + machine.typeName(call) + ")");
    }
    return true;
  }
}
