package dev.gleaner.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Catches what a heap logs, and keeps it from the output. */
public final class Log extends Handler implements AutoCloseable {
  private final Logger logger;
  private final boolean parents;
  public final List<LogRecord> records = new CopyOnWriteArrayList<>();

  public Log() {
    this("dev.gleaner.heap");
  }

  /** Catches what goes to another logger. */
  public Log(String name) {
    logger = Logger.getLogger(name);
    parents = logger.getUseParentHandlers();
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
