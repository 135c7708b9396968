package dev.gleaner.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Catches what a heap logs, and keeps it from the output. */
public final class Log extends Handler implements AutoCloseable {
  private final Logger logger = Logger.getLogger("dev.gleaner.heap");
  private final boolean parents = logger.getUseParentHandlers();
  public final List<LogRecord> records = new ArrayList<>();

  public Log() {
    logger.setUseParentHandlers(false);
    logger.addHandler(this);
  }

  public List<String> messages() {
    return records.stream().map(LogRecord::getMessage).toList();
  }

  @SuppressWarnings("ReferenceEquality") // the very same error
  public boolean warnedOf(String text, Throwable thrown) {
    return records.stream()
        .anyMatch(r ->
            r.getLevel() == Level.WARNING
                && r.getMessage().contains(text)
                && r.getThrown() == thrown);
  }

  @Override
  public void publish(LogRecord r) {
    records.add(r);
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(parents);
  }
}
