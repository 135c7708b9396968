package dev.gleaner.lab.output;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.HexFormat;

/**
 * Text for a terminal. Names in dumps, scenarios, traces, settings and messages come from others: a
 * control character in them would move the cursor, change colours, or turn the line round.
 *
 * <p>Whatever the commands print goes through {@link #printer}, which escapes all but tabs and ends
 * of lines. A name that is part of a line goes through {@link #line}, which escapes these too: else
 * a name could pretend to be a row of its own. Escapes are those of JSON, such as <code>&#92;u001b
 * </code>, so that a document in JSON stays what it is.
 */
public final class Printable {
  private Printable() {}

  /** Returns a text on one line, every character that is not to be seen escaped. */
  public static String line(String text) {
    return escaped(text, false);
  }

  /** Returns a writer that escapes what is not to be seen, but tabs and ends of lines. */
  public static PrintWriter printer(Writer out) {
    return printer(out, false);
  }

  /**
   * Returns a writer that escapes what is not to be seen, but tabs and ends of lines.
   *
   * @param coloured whether it shows {@link Paint}
   */
  public static PrintWriter printer(Writer out, boolean coloured) {
    Escaping escaping = new Escaping(out);
    return coloured ? new Printer(escaping) : new PrintWriter(escaping, true);
  }

  /** One that paints lines, but not as their text tells it to. */
  static final class Printer extends PrintWriter {
    private final Escaping escaping;

    private Printer(Escaping escaping) {
      super(escaping, true);
      this.escaping = escaping;
    }

    void println(Paint paint, String line) {
      try {
        escaping.raw(paint.begin);
        print(line);
        escaping.raw(Paint.END);
      } catch (IOException e) {
        setError();
      }
      println();
    }
  }

  private static String escaped(CharSequence text, boolean layout) {
    StringBuilder all = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        int whole = Character.toCodePoint(c, text.charAt(++i));
        if (isSeen(Character.getType(whole))) {
          all.appendCodePoint(whole);
        } else {
          escape(all, c);
          escape(all, text.charAt(i));
        }
      } else if ((layout && (c == '\n' || c == '\t')) || isSeen(Character.getType(c))) {
        all.append(c);
      } else {
        escape(all, c);
      }
    }
    return all.toString();
  }

  private static void escape(StringBuilder to, char c) {
    to.append("\\u").append(HexFormat.of().toHexDigits(c));
  }

  private static boolean isSeen(int type) {
    return type != Character.CONTROL
        && type != Character.FORMAT
        && type != Character.SURROGATE
        && type != Character.LINE_SEPARATOR
        && type != Character.PARAGRAPH_SEPARATOR;
  }

  private static final class Escaping extends FilterWriter {
    Escaping(Writer out) {
      super(out);
    }

    void raw(String text) throws IOException {
      out.write(text);
    }

    @Override
    public void write(int c) throws IOException {
      write(String.valueOf((char) c), 0, 1);
    }

    @Override
    public void write(char[] text, int offset, int length) throws IOException {
      write(new String(text, offset, length), 0, length);
    }

    @Override
    public void write(String text, int offset, int length) throws IOException {
      out.write(escaped(text.substring(offset, offset + length), true));
    }
  }
}
