package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Chunks;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.Registration;

/**
 * The simple functions of strings (§ 6.4); patterns, formats and packing have classes of theirs.
 */
final class StringLibrary {
  private static final int PER_STEP = 16;

  private final Machine machine;
  private final Mutator t;
  private final LibraryTexts texts;
  private final Window window;

  private StringLibrary(Machine machine, LibraryTexts texts) {
    this.machine = machine;
    this.t = machine.mutator();
    this.texts = texts;
    this.window = new Window(t, 1024);
  }

  /** Adds the library to a machine. */
  static void open(Machine machine, LibraryTexts texts) {
    StringLibrary s = new StringLibrary(machine, texts);
    Patterns p = new Patterns(machine, texts);
    Formatter f = new Formatter(machine, texts);
    Packer k = new Packer(machine, texts);
    Registration library = new Registration(machine, "string", 17);
    Chunks.addDump(machine, library);
    Registration _ =
        library
            .add("byte", s::bytes)
            .add("char", s::characters)
            .add("find", p::find)
            .add("format", f::format)
            .add("gmatch", p::gmatch)
            .add("gsub", p::gsub)
            .add("len", s::length)
            .add("lower", s::lower)
            .add("match", p::match)
            .add("pack", k::pack)
            .add("packsize", k::packsize)
            .add("rep", s::repeat)
            .add("reverse", s::reverse)
            .add("sub", s::substring)
            .add("unpack", k::unpack)
            .add("upper", s::upper)
            .forStrings();
    StringArithmetic.open(machine, library);
  }

  /** A position counted from either end, as a start: at least 1. */
  static long start(long position, int length) {
    if (position > 0) {
      return position;
    }
    return position == 0 || position < -length ? 1 : length + position + 1;
  }

  /** A position counted from either end, as an end: from 0 to the length. */
  static int end(long position, int length) {
    if (position >= 0) {
      return (int) Math.min(position, length);
    }
    return position < -length ? 0 : (int) (length + position + 1);
  }

  private int length(Arguments a) {
    a.checkString(1);
    machine.setInteger(1, t.stringBytes(1));
    return a.one(1);
  }

  private int substring(Arguments a) {
    a.checkString(1);
    int length = t.stringBytes(1);
    long from = start(a.checkInteger(2), length);
    int to = end(a.optInteger(3, -1), length);
    if (from > to) {
      t.substring(1, 1, 0, 0);
    } else {
      machine.substring(1, 1, (int) from - 1, to);
    }
    return a.one(1);
  }

  private int bytes(Arguments a) {
    a.checkString(1);
    int length = t.stringBytes(1);
    long position = a.optInteger(2, 1);
    long from = start(position, length);
    int to = end(a.optInteger(3, position), length);
    if (from > to) {
      return a.none();
    }
    int first = (int) from;
    if (first == to) {
      machine.setInteger(1, t.byteAt(1, first - 1));
      return a.one(1);
    }
    int count = to - first + 1;
    int results = a.room(count, "stack overflow (string slice too long)");
    a.work(count);
    for (int i = 0; i < count; i++) {
      machine.setInteger(results + i, t.byteAt(1, first - 1 + i));
    }
    return a.results(results, count);
  }

  private int characters(Arguments a) {
    int count = a.count();
    try (TextBuilder text = texts.open(a, a.scratch(1))) {
      for (int i = 1; i <= count; i++) {
        long c = a.checkInteger(i);
        if (c < 0 || c > 255) {
          throw a.argumentError(i, "value out of range");
        }
        text.add((int) c);
      }
      text.toSlot(1);
      return a.one(1);
    }
  }

  private int lower(Arguments a) {
    return map(a, false);
  }

  private int upper(Arguments a) {
    return map(a, true);
  }

  private int map(Arguments a, boolean upper) {
    a.checkString(1);
    try (TextBuilder text = texts.open(a, a.scratch(1))) {
      window.open(1);
      int length = window.length();
      for (int i = 0; i < length; i++) {
        int c = window.at(i);
        text.add(upper ? Characters.upper(c) : Characters.lower(c));
        if (i % 1024 == 1023) {
          a.work(1024 / PER_STEP);
        }
      }
      text.toSlot(1);
      return a.one(1);
    }
  }

  private int reverse(Arguments a) {
    a.checkString(1);
    try (TextBuilder text = texts.open(a, a.scratch(1))) {
      window.open(1);
      for (int i = window.length() - 1; i >= 0; i--) {
        text.add(window.at(i));
        if (i % 1024 == 1023) {
          a.work(1024 / PER_STEP);
        }
      }
      text.toSlot(1);
      return a.one(1);
    }
  }

  private int repeat(Arguments a) {
    a.checkString(1);
    long times = a.checkInteger(2);
    boolean separated = !a.isNoneOrNil(3);
    if (separated) {
      a.checkString(3);
    }
    int unit = t.stringBytes(1) + (separated ? t.stringBytes(3) : 0);
    if (unit < 0 || (times > 0 && unit > Integer.MAX_VALUE / times)) {
      throw a.error("resulting string too large");
    }
    long copies = unit == 0 ? 0 : Math.max(0, times);
    try (TextBuilder text = texts.open(a, a.scratch(1))) {
      text.expect(unit * copies);
      for (long i = 1; i <= copies; i++) {
        text.addString(1);
        if (separated && i < copies) {
          text.addString(3);
        }
        if (i % 256 == 0) {
          a.work(256 / PER_STEP);
        }
      }
      text.toSlot(1);
      return a.one(1);
    }
  }

  /** Whether a slot is neither nil nor false. */
  static boolean isTrue(Mutator t, int s) {
    long v = t.get(s);
    return v != Values.UNDEFINED && v != Values.FALSE;
  }
}
