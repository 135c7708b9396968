package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.LuaError;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.number.NumberReader;
import java.io.IOException;

/** Reads from files by the formats of {@code file:read}. */
final class FileReader {
  private static final int LONGEST_NUMBER = 200;

  private final Machine machine;
  private final Mutator t;
  private final LibraryTexts texts;
  private final NumberReader numbers = new NumberReader();
  private final byte[] numeral = new byte[LONGEST_NUMBER];
  private int length;

  FileReader(Machine machine, LibraryTexts texts) {
    this.machine = machine;
    this.t = machine.mutator();
    this.texts = texts;
  }

  /**
   * Reads by formats in consecutive slots; without any, a line.
   *
   * @param a the arguments of the function that reads
   * @param file to read from
   * @param first the slot of the first format
   * @param formats how many
   * @param number of the first format among the arguments, for messages
   */
  int read(Arguments a, LuaFile file, int first, int formats, int number) {
    int results = a.scratch(1);
    int buffer = a.scratch(1);
    try {
      if (formats == 0) {
        line(a, file, results, buffer, false);
        return a.results(results, 1);
      }
      // Results come one after the other behind the buffer.
      int count = 0;
      boolean more = true;
      int values = buffer + 1;
      for (int i = 0; i < formats && more; i++) {
        int d = a.scratch(1);
        more = one(a, file, first + i, d, buffer, number + i);
        count++;
      }
      return a.results(values, count);
    } catch (IOException e) {
      return Failures.results(a, e, null);
    }
  }

  private boolean one(Arguments a, LuaFile file, int format, int d, int buffer, int number)
      throws IOException {
    if (machine.isNumber(format)) {
      return characters(a, file, length(a, format, number), d, buffer);
    }
    if (!machine.isString(format)) {
      throw a.argumentError(number, "string expected, got " + machine.typeNameMeta(format));
    }
    int size = t.stringBytes(format);
    int at = size > 0 && t.byteAt(format, 0) == '*' ? 1 : 0;
    return switch (at < size ? t.byteAt(format, at) : 0) {
      case 'n' -> number(a, file, d);
      case 'l' -> line(a, file, d, buffer, false);
      case 'L' -> line(a, file, d, buffer, true);
      case 'a' -> {
        all(a, file, d, buffer);
        yield true;
      }
      default -> throw a.argumentError(number, "invalid format");
    };
  }

  private long length(Arguments a, int format, int number) {
    if (!machine.toInteger(format)) {
      throw a.argumentError(number, "number has no integer representation");
    }
    long length = machine.integer(format);
    if (length < 0) {
      throw new LuaError("not enough memory");
    }
    return length;
  }

  private boolean characters(Arguments a, LuaFile file, long most, int d, int buffer)
      throws IOException {
    if (most == 0) {
      boolean some = file.peek(a) >= 0;
      machine.setString(d, "");
      return some || nil(d);
    }
    try (TextBuilder text = texts.open(a, buffer)) {
      long left = most;
      int n;
      do {
        n = file.read(a, text, left, false);
        left -= n;
      } while (n > 0);
      boolean some = text.size() > 0;
      text.toSlot(d);
      return some || nil(d);
    }
  }

  private boolean nil(int d) {
    t.setUndefined(d);
    return false;
  }

  private void all(Arguments a, LuaFile file, int d, int buffer) throws IOException {
    try (TextBuilder text = texts.open(a, buffer)) {
      while (file.read(a, text, Long.MAX_VALUE, false) > 0) {
        a.work(1);
      }
      text.toSlot(d);
    }
  }

  private boolean line(Arguments a, LuaFile file, int d, int buffer, boolean keep)
      throws IOException {
    try (TextBuilder text = texts.open(a, buffer)) {
      int next = file.peek(a);
      boolean some = next >= 0;
      while (next >= 0 && next != '\n') {
        file.read(a, text, Long.MAX_VALUE, true);
        next = file.peek(a);
      }
      if (next == '\n') {
        file.skip();
        if (keep) {
          text.add('\n');
        }
      }
      text.toSlot(d);
      return some || nil(d);
    }
  }

  private boolean number(Arguments a, LuaFile file, int d) throws IOException {
    length = 0;
    int c = file.peek(a);
    while (c >= 0 && Characters.inClass(c, 's')) {
      file.skip();
      c = file.peek(a);
      a.work(1);
    }
    accept(a, file, "+-");
    int digits = 0;
    boolean hex = false;
    if (accept(a, file, "0")) {
      hex = accept(a, file, "xX");
      digits = hex ? 0 : 1;
    }
    digits += digits(a, file, hex);
    if (accept(a, file, ".")) {
      digits += digits(a, file, hex);
    }
    if (digits > 0 && accept(a, file, hex ? "pP" : "eE")) {
      accept(a, file, "+-");
      digits(a, file, false);
    }
    if (length > LONGEST_NUMBER || !numbers.read(numeral, 0, length)) {
      return nil(d);
    }
    if (numbers.isInteger()) {
      machine.setInteger(d, numbers.toLong());
    } else {
      t.setDouble(d, numbers.toDouble());
    }
    return true;
  }

  private int digits(Arguments a, LuaFile file, boolean hex) throws IOException {
    int n = 0;
    int c = file.peek(a);
    while (c >= 0 && Characters.inClass(c, hex ? 'x' : 'd') && take(file, c)) {
      n++;
      c = file.peek(a);
    }
    return n;
  }

  private boolean accept(Arguments a, LuaFile file, String characters) throws IOException {
    int c = file.peek(a);
    return c >= 0 && characters.indexOf(c) >= 0 && take(file, c);
  }

  /** Takes a character; a numeral that is too long takes no more, and is none. */
  private boolean take(LuaFile file, int c) {
    if (length >= LONGEST_NUMBER) {
      length = LONGEST_NUMBER + 1;
      return false;
    }
    numeral[length++] = (byte) c;
    file.skip();
    return true;
  }
}
