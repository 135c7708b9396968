package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.Paths;
import dev.gleaner.lua.number.FloatFormat;
import dev.gleaner.lua.number.NumberWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * {@code string.format}: C's {@code printf} in the locale C, and %q.
 *
 * <p>A number is written into a small array first, then padded: its width and precision have two
 * digits at most, so no item is longer than {@link FloatFormat#MOST}.
 */
final class Formatter {
  private static final String FLAGS = "-+ #0";
  private static final int LONGEST_SPEC = 22;

  /** A string of this length or more is not padded, as no width reaches it. */
  private static final int LONG = 100;

  private final Machine machine;
  private final Mutator t;
  private final LibraryTexts texts;
  private final Window window;
  private final FloatFormat floats = new FloatFormat();
  private final byte[] item = new byte[FloatFormat.MOST + 100];

  /** The conversion at hand, from behind the % to its letter; empty if that is all there is. */
  private String spec = "";

  private boolean busy;
  private @Nullable Formatter nested;
  private int letter;
  private int at;
  private boolean left;
  private boolean zero;
  private boolean alternate;
  private int sign;
  private int width;
  private int precision;

  Formatter(Machine machine, LibraryTexts texts) {
    this.machine = machine;
    this.t = machine.mutator();
    this.texts = texts;
    this.window = new Window(t, 256);
  }

  /** Formats; another formatter does where the metamethod of an argument calls this function. */
  int format(Arguments a) {
    Formatter free = this;
    while (free.busy) {
      Formatter inner = free.nested == null ? new Formatter(machine, texts) : free.nested;
      free.nested = inner;
      free = inner;
    }
    free.busy = true;
    try {
      return free.formatAlone(a);
    } finally {
      free.busy = false;
    }
  }

  private int formatAlone(Arguments a) {
    a.checkString(1);
    int arguments = a.count();
    int buffer = a.scratch(2);
    try (TextBuilder text = texts.open(a, buffer)) {
      window.open(1);
      int length = window.length();
      int argument = 1;
      int i = 0;
      while (i < length) {
        int c = window.at(i++);
        if (c != '%') {
          text.add(c);
        } else if (i < length && window.at(i) == '%') {
          text.add(window.at(i++));
        } else {
          argument++;
          a.work(1);
          if (argument > arguments) {
            throw a.argumentError(argument, "no value");
          }
          i = readSpec(a, i);
          a.work((width + Math.max(0, precision)) / 8);
          convert(a, text, argument, buffer + 1);
        }
      }
      text.toSlot(1);
      return a.one(1);
    }
  }

  /** Reads from behind the % to the letter; answers where it goes on. */
  private int readSpec(Arguments a, int from) {
    int i = from;
    while (i - from + 1 < LONGEST_SPEC && isSpec(window.at(i))) {
      i++;
    }
    if (i - from + 1 >= LONGEST_SPEC) {
      throw a.error("invalid format (too long)");
    }
    int length = i - from + 1;
    for (int k = 0; k < length; k++) {
      item[k] = (byte) window.at(from + k);
    }
    spec = length == 1 ? "" : new String(item, 0, length, StandardCharsets.ISO_8859_1);
    letter = item[length - 1] & 0xFF;
    return i + 1;
  }

  private static boolean isSpec(int c) {
    return (c >= '0' && c <= '9') || c == '.' || (c > 0 && FLAGS.indexOf(c) >= 0);
  }

  private boolean isSimple() {
    return spec.isEmpty();
  }

  /** The conversion as it was written, for messages; up to a zero, as C has it. */
  private String written() {
    return "%" + Paths.upToZero(isSimple() ? String.valueOf((char) letter) : spec);
  }

  private void convert(Arguments a, TextBuilder text, int i, int scratch) {
    switch (letter) {
      case 'c' -> {
        parse(a, "-", false);
        item[0] = (byte) a.checkInteger(i);
        pad(text, 0, 1);
      }
      case 'd', 'i' -> {
        long v = a.checkInteger(i);
        parse(a, "-+0 ", true);
        integer(text, v < 0 ? '-' : sign, v < 0 ? -v : v, 10);
      }
      case 'u' -> {
        long v = a.checkInteger(i);
        parse(a, "-0", true);
        integer(text, 0, v, 10);
      }
      case 'o' -> unsigned(a, text, i, 8);
      case 'x', 'X' -> unsigned(a, text, i, 16);
      case 'a', 'A' -> {
        parse(a, FLAGS, true);
        real(text, a.checkNumber(i));
      }
      case 'e', 'E', 'f', 'g', 'G' -> {
        double v = a.checkNumber(i);
        parse(a, FLAGS, true);
        real(text, v);
      }
      case 'p' -> pointer(a, text, i);
      case 'q' -> {
        if (!isSimple()) {
          throw a.error("specifier '%q' cannot have modifiers");
        }
        quote(a, text, i, scratch);
      }
      case 's' -> {
        machine.toStringMeta(scratch, i);
        window.open(1);
        string(a, text, i, scratch);
      }
      default -> throw a.error("invalid conversion '" + written() + "' to 'format'");
    }
  }

  /** Reads flags, width and precision; those that the letter does not allow are errors. */
  private void parse(Arguments a, String flags, boolean precisely) {
    left = false;
    zero = false;
    alternate = false;
    sign = 0;
    width = 0;
    precision = -1;
    if (isSimple()) {
      return;
    }
    at = 0;
    while (flags.indexOf(spec.charAt(at)) >= 0) {
      switch (spec.charAt(at++)) {
        case '-' -> left = true;
        case '+' -> sign = '+';
        case ' ' -> sign = sign == 0 ? ' ' : sign;
        case '#' -> alternate = true;
        default -> zero = true;
      }
    }
    if (spec.charAt(at) != '0') {
      width = twoDigits();
      if (spec.charAt(at) == '.' && precisely) {
        at++;
        precision = twoDigits();
      }
    }
    if (at != spec.length() - 1) {
      throw a.error("invalid conversion specification: '" + written() + "'");
    }
  }

  private int twoDigits() {
    int v = 0;
    for (int i = 0; i < 2 && Character.digit(spec.charAt(at), 10) >= 0; i++) {
      v = v * 10 + spec.charAt(at++) - '0';
    }
    return v;
  }

  private void unsigned(Arguments a, TextBuilder text, int i, int base) {
    long v = a.checkInteger(i);
    parse(a, "-#0", true);
    integer(text, 0, v, base);
  }

  private void integer(TextBuilder text, int signCharacter, long magnitude, int base) {
    int prefix = 0;
    if (signCharacter != 0) {
      item[prefix++] = (byte) signCharacter;
    }
    if (alternate && base == 16 && magnitude != 0) {
      item[prefix++] = '0';
      item[prefix++] = (byte) letter;
    }
    int digits = NumberWriter.writeUnsigned(magnitude, base, item, prefix) - prefix;
    if (magnitude == 0 && precision == 0) {
      digits = 0;
    }
    int wanted = Math.max(digits, precision);
    if (alternate && base == 8 && wanted == digits && (digits == 0 || item[prefix] != '0')) {
      wanted++;
    }
    if (precision < 0 && zero && !left) {
      wanted = Math.max(wanted, width - prefix);
    }
    System.arraycopy(item, prefix, item, prefix + wanted - digits, digits);
    for (int k = 0; k < wanted - digits; k++) {
      item[prefix + k] = '0';
    }
    if (letter == 'X') {
      capitals(prefix + wanted);
    }
    zero = false;
    pad(text, prefix, prefix + wanted);
  }

  private void capitals(int end) {
    for (int k = 0; k < end; k++) {
      item[k] = (byte) Characters.upper(item[k]);
    }
  }

  private void real(TextBuilder text, double v) {
    int flags = alternate ? FloatFormat.ALTERNATE : 0;
    flags |= sign == '+' ? FloatFormat.PLUS : sign == ' ' ? FloatFormat.BLANK : 0;
    int end = floats.write(v, (char) letter, flags, precision, item, 0);
    int prefix = item[0] == '-' || item[0] == '+' || item[0] == ' ' ? 1 : 0;
    if (letter == 'a' || letter == 'A') {
      prefix += 2;
    }
    zero &= !Double.isNaN(v) && !Double.isInfinite(v);
    pad(text, prefix, end);
  }

  /** Adds the item with blanks, or with zeros behind its prefix, up to the width. */
  private void pad(TextBuilder text, int prefix, int length) {
    int missing = Math.max(0, width - length);
    if (left) {
      text.add(item, 0, length);
      text.add(' ', missing);
    } else if (zero) {
      text.add(item, 0, prefix);
      text.add('0', missing);
      text.add(item, prefix, length - prefix);
    } else {
      text.add(' ', missing);
      text.add(item, 0, length);
    }
  }

  private void pointer(Arguments a, TextBuilder text, int i) {
    parse(a, "-", false);
    String address = t.isReference(i) ? machine.address(i) : "(null)";
    for (int k = 0; k < address.length(); k++) {
      item[k] = (byte) address.charAt(k);
    }
    pad(text, 0, address.length());
  }

  private void string(Arguments a, TextBuilder text, int i, int s) {
    if (isSimple()) {
      text.addString(s);
      return;
    }
    int length = t.stringBytes(s);
    requireNoZeros(a, i, s, length);
    parse(a, "-", true);
    if (precision < 0 && length >= LONG) {
      text.addString(s);
      return;
    }
    int shown = precision < 0 ? length : Math.min(length, precision);
    int missing = Math.max(0, width - shown);
    text.add(' ', left ? 0 : missing);
    text.addString(s, 0, shown);
    text.add(' ', left ? missing : 0);
  }

  private void requireNoZeros(Arguments a, int i, int s, int length) {
    a.work(length / 16);
    window.open(s);
    for (int k = 0; k < length; k++) {
      if (window.at(k) == 0) {
        throw a.argumentError(i, "string contains zeros");
      }
    }
    window.open(1);
  }

  private void quote(Arguments a, TextBuilder text, int i, int scratch) {
    long v = t.get(i);
    if (machine.isString(i)) {
      quoteString(a, text, i);
    } else if (machine.isNumber(i)) {
      quoteNumber(text, i);
    } else if (v == Values.UNDEFINED || Values.isBoolean(v)) {
      machine.toStringMeta(scratch, i);
      text.addString(scratch);
    } else {
      throw a.argumentError(i, "value has no literal form");
    }
  }

  private void quoteNumber(TextBuilder text, int i) {
    if (machine.isInteger(i)) {
      long v = machine.integer(i);
      if (v == Long.MIN_VALUE) {
        word(text, "0x8000000000000000");
      } else {
        text.add(item, 0, NumberWriter.write(v, item, 0));
      }
      return;
    }
    double v = machine.number(i);
    if (Double.isNaN(v)) {
      word(text, "(0/0)");
    } else if (Double.isInfinite(v)) {
      word(text, v > 0 ? "1e9999" : "-1e9999");
    } else {
      text.add(item, 0, floats.write(v, 'a', 0, -1, item, 0));
    }
  }

  private static void word(TextBuilder text, String word) {
    for (int i = 0; i < word.length(); i++) {
      text.add(word.charAt(i));
    }
  }

  private void quoteString(Arguments a, TextBuilder text, int s) {
    window.open(s);
    int length = window.length();
    text.add('"');
    for (int i = 0; i < length; i++) {
      int c = window.at(i);
      if (c == '"' || c == '\\' || c == '\n') {
        text.add('\\');
        text.add(c);
      } else if (Characters.inClass(c, 'c')) {
        text.add('\\');
        int next = window.at(i + 1);
        boolean digit = i + 1 < length && next >= '0' && next <= '9';
        if (c >= 100 || digit) {
          text.add('0' + c / 100);
        }
        if (c >= 10 || digit) {
          text.add('0' + c / 10 % 10);
        }
        text.add('0' + c % 10);
      } else {
        text.add(c);
      }
      if (i % 256 == 255) {
        a.work(64);
      }
    }
    text.add('"');
    window.open(1);
  }
}
