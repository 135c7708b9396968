package dev.gleaner.config;

import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ServiceConfigurationError;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What plug-ins throw, in words. */
final class Reasons {

  private static final int DEEPEST = 8;

  /** A name in gleaner-api, as linkage errors write it. */
  private static final Pattern API =
      Pattern.compile("\\bdev[./]gleaner[./](?!(collector|kit|lab)[./])\\w");

  private Reasons() {}

  /** Returns the throwable and its causes in one line. */
  static String text(Throwable e) {
    return text(e, null);
  }

  /**
   * Returns the throwable and its causes in one line.
   *
   * @param location of the plug-in's jar; null if it is not known
   */
  static String text(Throwable e, @Nullable String location) {
    StringBuilder text = new StringBuilder();
    Throwable at = e;
    for (int depth = 0; at != null && depth < DEEPEST; depth++) {
      if (!isWrapper(at) || at.getCause() == null) {
        text.append(text.isEmpty() ? "" : ": ").append(one(at, location));
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

  private static String one(Throwable e, @Nullable String location) {
    String message = e.getMessage();
    if (e instanceof LinkageError && message != null && API.matcher(message).find()) {
      return otherApi(location) + e;
    }
    if (message != null && e instanceof NoClassDefFoundError && message.matches("[^ ]+")) {
      return "it needs the class "
          + message.replace('/', '.')
          + ", which is missing: put the jar that has it beside the plug-in's";
    }
    // The text of a ServiceConfigurationError says all by itself.
    return message != null && e instanceof ServiceConfigurationError ? message : e.toString();
  }

  /** The plug-in asks for what this gleaner-api has not: says which versions these are. */
  private static String otherApi(@Nullable String location) {
    String installed = CodeSource.of(Reasons.class).version();
    CodeSource jar = location == null ? CodeSource.NONE : CodeSource.of(Path.of(location));
    String built =
        jar.apiVersion().equals(CodeSource.UNKNOWN)
            ? "another version of gleaner-api (its manifest has no " + CodeSource.API_VERSION + ")"
            : "gleaner-api " + jar.apiVersion();
    return "version %s of it was built against %s, and installed is gleaner-api %s: "
        .formatted(jar.version(), built, installed);
  }
}
