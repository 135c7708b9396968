package dev.gleaner.kit.scenario;

import org.apiguardian.api.API;

/** A scenario that cannot be read. The message says where, what stands there, and what could. */
@API(status = API.Status.STABLE, since = "0.1")
public final class ScenarioSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String file;
  private final int line;
  private final int column;

  ScenarioSyntaxException(String file, int line, int column, String read, String expected) {
    super("%s:%d:%d: read %s, expected %s".formatted(file, line, column, read, expected));
    this.file = file;
    this.line = line;
    this.column = column;
  }

  /** {@return the file's name as it was given} */
  public String file() {
    return file;
  }

  /** {@return the line, from 1 on} */
  public int line() {
    return line;
  }

  /** {@return the column in characters (code points), from 1 on} */
  public int column() {
    return column;
  }
}
