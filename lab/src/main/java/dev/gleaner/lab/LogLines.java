package dev.gleaner.lab;

import java.io.PrintWriter;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Shows what heaps of this JVM log, such as a finalizer that fails, in a line each; until it is
 * closed.
 */
final class LogLines extends Handler implements AutoCloseable {
  /** Held, because a logger that nobody holds forgets its handlers. */
  private static final List<Logger> LOGGERS =
      List.of(Logger.getLogger("dev.gleaner.heap"), Logger.getLogger("dev.gleaner.trace"));

  private final PrintWriter err;

  private LogLines(PrintWriter err) {
    this.err = err;
  }

  static LogLines open(PrintWriter err) {
    LogLines log = new LogLines(err);
    for (Logger logger : LOGGERS) {
      logger.setUseParentHandlers(false);
      logger.addHandler(log);
    }
    return log;
  }

  @Override
  public void publish(LogRecord entry) {
    Throwable thrown = entry.getThrown();
    err.println(entry.getMessage() + (thrown == null ? "" : ": " + thrown.getMessage()));
  }

  @Override
  public void flush() {
    err.flush();
  }

  @Override
  public void close() {
    for (Logger logger : LOGGERS) {
      logger.removeHandler(this);
      logger.setUseParentHandlers(true);
    }
  }
}
