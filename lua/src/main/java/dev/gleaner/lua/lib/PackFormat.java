package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.machine.Arguments;

/** Reads a format of packing (§ 6.4.2), one option after the other. */
final class PackFormat {
  /** What an option is. */
  enum Option {
    INTEGER,
    UNSIGNED,
    FLOAT,
    DOUBLE,
    CHARACTERS,
    STRING,
    ZERO_STRING,
    PADDING,
    ALIGNMENT,
    NOTHING
  }

  private static final int MOST_SIZE = 16;
  private static final int WORD = 8;
  private static final int MOST_NUMBER = (Integer.MAX_VALUE - 9) / 10;

  private final Window format;
  private Arguments a;
  private int at;
  private int maxAlign;
  private boolean little;

  // The option at hand.
  private int size;
  private int padding;

  @SuppressWarnings("NullAway.Init") // open comes first
  PackFormat(Mutator t) {
    format = new Window(t, 128);
  }

  /** Begins the format in slot 1. */
  void open(Arguments arguments) {
    a = arguments;
    format.open(1);
    at = 0;
    maxAlign = 1;
    little = true;
  }

  /** Whether there is more; a zero byte ends a format. */
  boolean hasNext() {
    return at < format.length() && format.at(at) != 0;
  }

  /** Whether bytes are in little-endian order now. */
  boolean isLittle() {
    return little;
  }

  /** The bytes of the last option. */
  int size() {
    return size;
  }

  /** The bytes before the last option that align it. */
  int padding() {
    return padding;
  }

  /** Reads an option, which is to stand behind so many bytes. */
  Option next(long position) {
    a.work(1);
    Option option = read();
    int align = size;
    if (option == Option.ALIGNMENT) {
      Option of = hasNext() ? read() : Option.CHARACTERS;
      align = size;
      size = 0;
      if (of == Option.CHARACTERS || align == 0) {
        throw a.argumentError(1, "invalid next option for option 'X'");
      }
    }
    padding = 0;
    if (align > 1 && option != Option.CHARACTERS) {
      align = Math.min(align, maxAlign);
      if ((align & (align - 1)) != 0) {
        throw a.argumentError(1, "format asks for alignment not power of 2");
      }
      padding = (int) (-position & (align - 1));
    }
    return option;
  }

  private Option read() {
    int c = format.at(at++);
    size = 0;
    switch (c) {
      case 'b' -> {
        return sized(1, Option.INTEGER);
      }
      case 'B' -> {
        return sized(1, Option.UNSIGNED);
      }
      case 'h' -> {
        return sized(2, Option.INTEGER);
      }
      case 'H' -> {
        return sized(2, Option.UNSIGNED);
      }
      case 'l', 'j' -> {
        return sized(WORD, Option.INTEGER);
      }
      case 'L', 'J', 'T' -> {
        return sized(WORD, Option.UNSIGNED);
      }
      case 'i' -> {
        return sized(limited(4), Option.INTEGER);
      }
      case 'I' -> {
        return sized(limited(4), Option.UNSIGNED);
      }
      case 's' -> {
        return sized(limited(WORD), Option.STRING);
      }
      case 'f' -> {
        return sized(4, Option.FLOAT);
      }
      case 'd', 'n' -> {
        return sized(WORD, Option.DOUBLE);
      }
      case 'c' -> {
        int n = number(-1);
        if (n == -1) {
          throw a.error("missing size for format option 'c'");
        }
        return sized(n, Option.CHARACTERS);
      }
      case 'z' -> {
        return Option.ZERO_STRING;
      }
      case 'x' -> {
        return sized(1, Option.PADDING);
      }
      case 'X' -> {
        return Option.ALIGNMENT;
      }
      case ' ' -> {}
      case '<', '=' -> little = true;
      case '>' -> little = false;
      case '!' -> maxAlign = limited(WORD);
      default -> throw a.error("invalid format option '" + (char) c + "'");
    }
    return Option.NOTHING;
  }

  private Option sized(int bytes, Option option) {
    size = bytes;
    return option;
  }

  private int limited(int otherwise) {
    int n = number(otherwise);
    if (n < 1 || n > MOST_SIZE) {
      throw a.error("integral size (" + n + ") out of limits [1," + MOST_SIZE + "]");
    }
    return n;
  }

  private int number(int otherwise) {
    if (!isDigit()) {
      return otherwise;
    }
    int n = 0;
    do {
      n = n * 10 + format.at(at++) - '0';
      if (at % 1024 == 0) {
        a.work(64); // a long row of zeros
      }
    } while (isDigit() && n <= MOST_NUMBER);
    return n;
  }

  private boolean isDigit() {
    int c = format.at(at);
    return c >= '0' && c <= '9';
  }
}
