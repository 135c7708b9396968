package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Machine;

/** {@code string.pack}, {@code packsize} and {@code unpack}. */
final class Packer {
  private final Machine machine;
  private final Mutator t;
  private final LibraryTexts texts;
  private final PackFormat format;
  private final Window data;

  Packer(Machine machine, LibraryTexts texts) {
    this.machine = machine;
    this.t = machine.mutator();
    this.texts = texts;
    this.format = new PackFormat(t);
    this.data = new Window(t, 512);
  }

  int packsize(Arguments a) {
    a.checkString(1);
    format.open(a);
    long total = 0;
    while (format.hasNext()) {
      PackFormat.Option option = format.next(total);
      if (option == PackFormat.Option.STRING || option == PackFormat.Option.ZERO_STRING) {
        throw a.argumentError(1, "variable-length format");
      }
      long size = (long) format.size() + format.padding();
      if (total > Integer.MAX_VALUE - size) {
        throw a.argumentError(1, "format result too large");
      }
      total += size;
    }
    machine.setInteger(1, total);
    return a.one(1);
  }

  int pack(Arguments a) {
    a.checkString(1);
    format.open(a);
    try (TextBuilder text = texts.open(a, a.scratch(1))) {
      int i = 1;
      while (format.hasNext()) {
        PackFormat.Option option = format.next(text.size());
        text.add(0, format.padding());
        if (option == PackFormat.Option.PADDING) {
          text.add(0);
        } else if (option.compareTo(PackFormat.Option.PADDING) < 0) {
          pack(a, text, option, ++i);
        }
      }
      text.toSlot(1);
      return a.one(1);
    }
  }

  private void pack(Arguments a, TextBuilder text, PackFormat.Option option, int i) {
    int size = format.size();
    switch (option) {
      case INTEGER -> {
        long v = integer(a, i);
        if (size < Long.BYTES && v >> (size * 8 - 1) != 0 && v >> (size * 8 - 1) != -1) {
          throw a.argumentError(i, "integer overflow");
        }
        bytes(text, v, size, v < 0 ? 0xFF : 0);
      }
      case UNSIGNED -> {
        long v = integer(a, i);
        if (size < Long.BYTES && v >>> (size * 8) != 0) {
          throw a.argumentError(i, "unsigned overflow");
        }
        bytes(text, v, size, 0);
      }
      case FLOAT -> bytes(text, floatBits((float) number(a, i)), size, 0);
      case DOUBLE -> bytes(text, doubleBits(number(a, i)), size, 0);
      case CHARACTERS -> {
        int length = string(a, i);
        if (length > size) {
          throw a.argumentError(i, "string longer than given size");
        }
        text.addString(i);
        text.add(0, size - length);
      }
      case STRING -> {
        int length = string(a, i);
        if (size < Integer.BYTES && length >>> (size * 8) != 0) {
          throw a.argumentError(i, "string length does not fit in given size");
        }
        bytes(text, length, size, 0);
        text.addString(i);
      }
      default -> {
        int length = string(a, i);
        data.open(i);
        if (zero(a, 0) < length) {
          throw a.argumentError(i, "string contains zeros");
        }
        text.addString(i);
        text.add(0);
      }
    }
  }

  // NaN has the sign that it is written with.

  private static int floatBits(float v) {
    return Float.isNaN(v) ? 0xFFC0_0000 : Float.floatToRawIntBits(v);
  }

  private static long doubleBits(double v) {
    return Double.isNaN(v) ? 0xFFF8_0000_0000_0000L : Double.doubleToRawLongBits(v);
  }

  // Behind the last argument lua5.4 sees a nil.

  private long integer(Arguments a, int i) {
    requireSome(a, i, "number");
    return a.checkInteger(i);
  }

  private double number(Arguments a, int i) {
    requireSome(a, i, "number");
    return a.checkNumber(i);
  }

  private int string(Arguments a, int i) {
    requireSome(a, i, "string");
    a.checkString(i);
    return t.stringBytes(i);
  }

  private static void requireSome(Arguments a, int i, String expected) {
    if (i == a.count() + 1) {
      throw a.argumentError(i, expected + " expected, got nil");
    }
  }

  private void bytes(TextBuilder text, long v, int size, int fill) {
    for (int k = 0; k < size; k++) {
      int place = format.isLittle() ? k : size - 1 - k;
      text.add(place < Long.BYTES ? (int) (v >>> (place * 8)) : fill);
    }
  }

  int unpack(Arguments a) {
    a.checkString(1);
    a.checkString(2);
    int length = t.stringBytes(2);
    long position = StringLibrary.start(a.optInteger(3, 1), length) - 1;
    if (position > length) {
      throw a.argumentError(3, "initial position out of string");
    }
    format.open(a);
    data.open(2);
    int first = a.scratch(1);
    int results = 0;
    int at = (int) position;
    while (format.hasNext()) {
      PackFormat.Option option = format.next(at);
      if ((long) format.padding() + format.size() > length - at) {
        throw a.argumentError(2, "data string too short");
      }
      at += format.padding();
      if (option.compareTo(PackFormat.Option.PADDING) < 0) {
        at = unpack(a, option, first + results, at);
        results++;
        a.room(1, "stack overflow (too many results)");
      } else {
        at += format.size();
      }
    }
    machine.setInteger(first + results, at + 1L);
    return a.results(first, results + 1);
  }

  /** Reads a value into a slot; answers where it ends. */
  private int unpack(Arguments a, PackFormat.Option option, int d, int at) {
    int size = format.size();
    int end = at + size;
    switch (option) {
      case INTEGER -> machine.setInteger(d, integer(a, at, size, true));
      case UNSIGNED -> machine.setInteger(d, integer(a, at, size, false));
      case FLOAT -> t.set(d, Values.ofDouble(Float.intBitsToFloat((int) raw(at, size))));
      case DOUBLE -> t.set(d, Values.ofDouble(Double.longBitsToDouble(raw(at, size))));
      case CHARACTERS -> machine.substring(d, 2, at, end);
      case STRING -> {
        long length = integer(a, at, size, false);
        if (length < 0 || length > data.length() - end) {
          throw a.argumentError(2, "data string too short");
        }
        machine.substring(d, 2, end, end + (int) length);
        end += (int) length;
      }
      default -> {
        int zero = zero(a, at);
        if (zero == data.length()) {
          throw a.argumentError(2, "unfinished string for format 'z'");
        }
        machine.substring(d, 2, at, zero);
        end = zero + 1;
      }
    }
    return end;
  }

  /** Where the next zero byte is, or the end. */
  private int zero(Arguments a, int from) {
    int at = from;
    while (at < data.length() && data.at(at) != 0) {
      at++;
      if (at % 1024 == 0) {
        a.work(16);
      }
    }
    return at;
  }

  private int at(int start, int size, int place) {
    return data.at(format.isLittle() ? start + place : start + size - 1 - place);
  }

  private long raw(int start, int size) {
    long v = 0;
    for (int place = Math.min(size, Long.BYTES) - 1; place >= 0; place--) {
      v = v << 8 | at(start, size, place);
    }
    return v;
  }

  private long integer(Arguments a, int start, int size, boolean signed) {
    long v = raw(start, size);
    if (size < Long.BYTES) {
      int unused = Long.SIZE - size * 8;
      return signed ? v << unused >> unused : v;
    }
    int fill = signed && v < 0 ? 0xFF : 0;
    for (int place = Long.BYTES; place < size; place++) {
      if (at(start, size, place) != fill) {
        throw a.error(size + "-byte integer does not fit into Lua Integer");
      }
    }
    return v;
  }
}
