package dev.gleaner.lab.output;

import java.util.Locale;

/** The forms of output. */
public enum Format {
  /** Aligned columns. */
  TABLE,
  /** One JSON document. */
  JSON,
  /** One line for each run or thing, and a header. */
  CSV;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
