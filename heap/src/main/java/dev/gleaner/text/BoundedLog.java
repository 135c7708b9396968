package dev.gleaner.text;

import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Logs the warnings of one source, such as a heap, in a bounded number of bytes, however often a
 * program makes them happen.
 *
 * <pre>
 *   the first of a kind        its text, and the trace
 *   the 10th, 100th, 1000th …  its text, and how many there were
 *   the end                    for each kind how many there were, unless that was said
 * </pre>
 *
 * <p>A kind is what failed with the class of what was thrown. Beyond a number of kinds all others
 * are one. Texts, messages, causes and traces are cut. A logger that throws is left alone.
 */
public final class BoundedLog {
  /** Kinds that are told apart. */
  private static final int KINDS = 8;

  private static final int TEXT = 2000;
  private static final int MESSAGE = 500;
  private static final int CAUSES = 3;
  private static final int FRAMES = 256;

  /** What happened of one kind. */
  private static final class Count {
    final String what;
    long all;
    long told;
    long next = 1;

    Count(String what) {
      this.what = what;
    }
  }

  private final String logger;
  private final String source;
  private final int kinds;
  private @Nullable Map<String, Count> counts;

  /**
   * A log without entries.
   *
   * @param logger the name of the {@code System.Logger} that gets the entries
   * @param source what all texts begin with, such as the name of a heap
   */
  public BoundedLog(String logger, String source) {
    this(logger, source, KINDS);
  }

  /**
   * A log without entries.
   *
   * @param logger the name of the {@code System.Logger} that gets the entries
   * @param source what all texts begin with
   * @param kinds that are told apart; half of them are logged with a trace
   */
  public BoundedLog(String logger, String source, int kinds) {
    this.logger = logger;
    this.source = source;
    this.kinds = kinds;
  }

  /**
   * Logs that something failed.
   *
   * @param what failed, one of a few texts
   * @param text the entry
   * @param e what was thrown; null for nothing
   */
  public synchronized void warn(String what, String text, @Nullable Throwable e) {
    try {
      Count count = count(what, e);
      count.all++;
      if (count.all == count.next) {
        count.next *= 10;
        count.told = count.all;
        tell(count, text, e);
      }
    } catch (Throwable _) {
      // A handler's own fault, or the memory or stack that it was to tell of.
    }
  }

  private Count count(String what, @Nullable Throwable e) {
    if (counts == null) {
      counts = new HashMap<>();
    }
    String kind = e == null ? what : what + " with " + e.getClass().getName();
    if (counts.size() >= kinds && !counts.containsKey(kind)) {
      kind = "failures of other kinds";
    }
    return counts.computeIfAbsent(kind, Count::new);
  }

  private void tell(Count count, String text, @Nullable Throwable e) {
    String entry = source + ": " + cut(text, TEXT);
    if (count.all > 1) {
      logger().log(Level.WARNING, entry + " (" + count.all + " times: " + count.what + ")");
    } else if (e == null) {
      logger().log(Level.WARNING, entry);
    } else if (counts != null && counts.size() > kinds / 2) {
      logger().log(Level.WARNING, entry + ": " + name(e));
    } else {
      logger().log(Level.WARNING, entry, isSmall(e) ? e : new Excerpt(e, CAUSES, FRAMES));
    }
  }

  /** Tells how many there were of each kind, unless that was told. */
  public synchronized void end() {
    if (counts == null) {
      return;
    }
    try {
      for (Count count : counts.values()) {
        if (count.told != count.all) {
          count.told = count.all;
          logger().log(Level.WARNING, source + ": " + count.all + " times: " + count.what);
        }
      }
    } catch (Throwable _) {
      // As above.
    }
  }

  private System.Logger logger() {
    return System.getLogger(logger);
  }

  private static boolean isSmall(Throwable e) {
    int causes = 0;
    int frames = 0;
    for (Throwable t = e; t != null; t = t.getCause()) {
      String message = t.getMessage();
      frames += t.getStackTrace().length;
      if (causes++ > CAUSES
          || frames > FRAMES
          || t.getSuppressed().length > 0
          || (message != null && message.length() > MESSAGE)) {
        return false;
      }
    }
    return true;
  }

  private static String name(Throwable e) {
    String message = e.getMessage();
    String type = e.getClass().getName();
    return message == null ? type : type + ": " + cut(message, MESSAGE);
  }

  private static String cut(String text, int most) {
    return text.length() <= most
        ? text
        : text.substring(0, most) + "… (" + text.length() + " characters)";
  }

  /** What is logged of something large that was thrown. */
  @SuppressWarnings("serial") // nobody writes it
  private static final class Excerpt extends Throwable {
    private final String name;
    private final @Nullable Excerpt cause;

    Excerpt(Throwable of, int causes, int frames) {
      super(null, null, false, true);
      StackTraceElement[] trace = of.getStackTrace();
      int kept = Math.min(trace.length, frames);
      this.name =
          name(of) + (trace.length > kept ? " (" + kept + " of " + trace.length + " frames)" : "");
      setStackTrace(Arrays.copyOf(trace, kept));
      Throwable its = of.getCause();
      this.cause = its == null || causes == 0 ? null : new Excerpt(its, causes - 1, frames - kept);
    }

    @Override
    public synchronized @Nullable Throwable getCause() {
      return cause;
    }

    @Override
    public String getMessage() {
      return name;
    }
  }
}
