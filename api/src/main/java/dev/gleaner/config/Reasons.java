package dev.gleaner.config;

import java.lang.reflect.InvocationTargetException;
import java.util.ServiceConfigurationError;

/** What plug-ins throw, in words. */
final class Reasons {

  private static final int DEEPEST = 8;

  private Reasons() {}

  /** Returns the throwable and its causes in one line. */
  static String text(Throwable e) {
    StringBuilder text = new StringBuilder();
    Throwable at = e;
    for (int depth = 0; at != null && depth < DEEPEST; depth++) {
      if (!isWrapper(at) || at.getCause() == null) {
        text.append(text.isEmpty() ? "" : ": ").append(one(at));
      }
      if (at instanceof NoClassDefFoundError && at.getCause() instanceof ClassNotFoundException) {
        break; // which says the same once more
      }
      at = at.getCause();
    }
    return text.toString().replaceAll("\\s+", " ");
  }

  private static boolean isWrapper(Throwable e) {
    return e instanceof InvocationTargetException || e instanceof ExceptionInInitializerError;
  }

  private static String one(Throwable e) {
    String message = e.getMessage();
    if (message != null && e instanceof NoClassDefFoundError && message.matches("[^ ]+")) {
      return "it needs the class "
          + message.replace('/', '.')
          + ", which is missing: put the jar that has it beside the plug-in's";
    }
    // The text of a ServiceConfigurationError says all by itself.
    return message != null && e instanceof ServiceConfigurationError ? message : e.toString();
  }
}
