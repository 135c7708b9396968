package dev.gleaner.lab.output;

import java.io.PrintWriter;

/** How a line looks on a terminal with colours; without any it says the same. */
public enum Paint {
  /** As any other text. */
  PLAIN(""),
  /** A heading, or what all comes to. */
  STRONG("\u001b[1m"),
  /** Passed, or the best. */
  GOOD("\u001b[32m"),
  /** Failed. */
  BAD("\u001b[31m");

  static final String END = "\u001b[0m";

  final String begin;

  Paint(String begin) {
    this.begin = begin;
  }

  /** Prints a line, painted where the writer is one of {@link Printable} for colours. */
  public void println(PrintWriter out, String line) {
    if (this != PLAIN && out instanceof Printable.Printer printer) {
      printer.println(this, line);
    } else {
      out.println(line);
    }
  }
}
