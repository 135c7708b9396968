package dev.gleaner.lab.script;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Where the lines of a prompt come from. */
@FunctionalInterface
public interface Lines {
  /**
   * Returns the next line without its end, in ISO 8859-1: a character a byte; null at the end.
   *
   * @param prompt shown before it
   */
  @Nullable String next(String prompt) throws IOException;
}
