package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.Registration;

/** The functions of UTF-8 (§ 6.5). */
final class Utf8Library {
  private static final long MOST = 0x7FFF_FFFFL;
  private static final int MOST_UNICODE = 0x10FFFF;
  private static final int SURROGATES = 0xD800;
  private static final int SURROGATES_END = 0xDFFF;

  /** The least code that needs so many bytes more. */
  private static final int[] LEAST = {0, 0x80, 0x800, 0x10000, 0x200000, 0x4000000};

  private final Machine machine;
  private final Mutator t;
  private final LibraryTexts texts;
  private final Window s;
  private final int nextStrict;
  private final int nextLax;

  /** Where the code that was decoded last ends. */
  private int next;

  private Utf8Library(Machine machine, LibraryTexts texts) {
    this.machine = machine;
    this.t = machine.mutator();
    this.texts = texts;
    this.s = new Window(t, 512);
    this.nextStrict = machine.declare("?codes", a -> next(a, true), 0);
    this.nextLax = machine.declare("?lax codes", a -> next(a, false), 0);
  }

  /** Adds the library to a machine. */
  static void open(Machine machine, LibraryTexts texts) {
    Utf8Library l = new Utf8Library(machine, texts);
    new Registration(machine, "utf8", 6)
        .add("char", l::characters)
        .add("charpattern", "[\0-\u007f\u00c2-\u00fd][\u0080-\u00bf]*")
        .add("codepoint", l::codepoint)
        .add("codes", l::codes)
        .add("len", l::length)
        .add("offset", l::offset);
  }

  private static long fromEnd(long position, int length) {
    if (position >= 0) {
      return position;
    }
    return -position > length ? 0 : length + position + 1;
  }

  /** The code at an index, -1 if there is none; its end is in {@code next}. */
  private long decode(int at, boolean strict) {
    int c = s.at(at);
    if (c < 0x80) {
      next = at + 1;
      return c;
    }
    int count = 0;
    long code = 0;
    for (; (c & 0x40) != 0; c <<= 1) {
      int more = at + count + 1 < s.length() ? s.at(at + count + 1) : 0;
      count++;
      if ((more & 0xC0) != 0x80) {
        return -1;
      }
      code = code << 6 | (more & 0x3F);
    }
    code |= (long) (c & 0x7F) << (count * 5);
    if (count == 0 || count > 5 || code > MOST || code < LEAST[count]) {
      return -1;
    }
    if (strict && (code > MOST_UNICODE || (code >= SURROGATES && code <= SURROGATES_END))) {
      return -1;
    }
    next = at + count + 1;
    return code;
  }

  private boolean isContinuation(int at) {
    return at < s.length() && (s.at(at) & 0xC0) == 0x80;
  }

  private boolean isLax(Arguments a, int i) {
    return a.count() >= i && StringLibrary.isTrue(t, i);
  }

  private int length(Arguments a) {
    a.checkString(1);
    int length = t.stringBytes(1);
    long from = fromEnd(a.optInteger(2, 1), length) - 1;
    long to = fromEnd(a.optInteger(3, -1), length) - 1;
    boolean strict = !isLax(a, 4);
    if (from < 0 || from > length) {
      throw a.argumentError(2, "initial position out of bounds");
    }
    if (to >= length) {
      throw a.argumentError(3, "final position out of bounds");
    }
    s.open(1);
    long count = 0;
    for (int at = (int) from; at <= to; at = next) {
      if (decode(at, strict) < 0) {
        int results = a.scratch(2);
        machine.setInteger(results + 1, at + 1L);
        return a.results(results, 2);
      }
      count++;
      if (count % 64 == 0) {
        a.work(8);
      }
    }
    machine.setInteger(1, count);
    return a.one(1);
  }

  private int codepoint(Arguments a) {
    a.checkString(1);
    int length = t.stringBytes(1);
    long from = fromEnd(a.optInteger(2, 1), length);
    long to = fromEnd(a.optInteger(3, from), length);
    boolean strict = !isLax(a, 4);
    if (from < 1) {
      throw a.argumentError(2, "out of bounds");
    }
    if (to > length) {
      throw a.argumentError(3, "out of bounds");
    }
    if (from > to) {
      return a.none();
    }
    int results = a.room(to - from + 1, "stack overflow (string slice too long)");
    s.open(1);
    int count = 0;
    for (int at = (int) from - 1; at < to; at = next) {
      long code = decode(at, strict);
      if (code < 0) {
        throw a.error("invalid UTF-8 code");
      }
      machine.setInteger(results + count++, code);
      a.work(1);
    }
    return a.results(results, count);
  }

  private int characters(Arguments a) {
    int count = a.count();
    try (TextBuilder text = texts.open(a, a.scratch(1))) {
      for (int i = 1; i <= count; i++) {
        long code = a.checkInteger(i);
        if (code < 0 || code > MOST) {
          throw a.argumentError(i, "value out of range");
        }
        encode(text, (int) code);
      }
      text.toSlot(1);
      return a.one(1);
    }
  }

  private static void encode(TextBuilder text, int code) {
    if (code < 0x80) {
      text.add(code);
      return;
    }
    int more = 1;
    while (more < 5 && code >= LEAST[more + 1]) {
      more++;
    }
    text.add(((0xFF80 >> more) & 0xFF) | (code >> (6 * more)));
    for (int k = more - 1; k >= 0; k--) {
      text.add(0x80 | (code >> (6 * k) & 0x3F));
    }
  }

  private int offset(Arguments a) {
    a.checkString(1);
    int length = t.stringBytes(1);
    long n = a.checkInteger(2);
    long position = fromEnd(a.optInteger(3, n >= 0 ? 1 : length + 1L), length) - 1;
    if (position < 0 || position > length) {
      throw a.argumentError(3, "position out of bounds");
    }
    s.open(1);
    int at = (int) position;
    if (n == 0) {
      while (at > 0 && isContinuation(at)) {
        at--;
        a.work(at % 64 == 0 ? 8 : 0);
      }
    } else {
      if (isContinuation(at)) {
        throw a.error("initial position is a continuation byte");
      }
      for (; n < 0 && at > 0; n++) {
        do {
          at--;
          a.work(at % 64 == 0 ? 8 : 0);
        } while (at > 0 && isContinuation(at));
      }
      if (n > 0) {
        for (n--; n > 0 && at < length; n--) {
          do {
            at++;
            a.work(at % 64 == 0 ? 8 : 0);
          } while (isContinuation(at));
        }
      }
    }
    if (n == 0) {
      machine.setInteger(1, at + 1L);
    } else {
      t.setUndefined(1);
    }
    return a.one(1);
  }

  private int codes(Arguments a) {
    boolean lax = isLax(a, 2);
    a.checkString(1);
    s.open(1);
    if (isContinuation(0)) {
      throw a.argumentError(1, "invalid UTF-8 code");
    }
    int results = a.scratch(3);
    machine.newBuiltin(results, lax ? nextLax : nextStrict, results, 0);
    t.copy(results + 1, 1);
    machine.setInteger(results + 2, 0);
    return a.results(results, 3);
  }

  /** Returns the bytes of a character, which no shorter form may have. */
  private static int bytes(long code) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(code);
    return bits <= 7 ? 1 : bits <= 11 ? 2 : (bits + 3) / 5;
  }

  private int next(Arguments a, boolean strict) {
    a.checkString(1);
    s.open(1);
    long before = a.count() >= 2 && machine.toInteger(2) ? machine.integer(2) : 0;
    if (before < 0 || before >= s.length()) {
      return a.none();
    }
    int at = (int) before;
    while (isContinuation(at)) {
      at++;
      a.work(at % 64 == 0 ? 8 : 0);
    }
    if (at >= s.length()) {
      return a.none();
    }
    long code = decode(at, strict);
    if (code < 0 || isContinuation(at + bytes(code))) {
      throw a.error("invalid UTF-8 code");
    }
    int results = a.scratch(2);
    machine.setInteger(results, at + 1L);
    machine.setInteger(results + 1, code);
    return a.results(results, 2);
  }
}
