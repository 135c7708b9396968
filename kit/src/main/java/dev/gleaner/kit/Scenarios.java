package dev.gleaner.kit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apiguardian.api.API;

/** The kit's own scenarios. */
@API(status = API.Status.STABLE, since = "0.1")
public final class Scenarios {
  private static final String FOLDER = "scenarios/";

  private Scenarios() {}

  /** {@return the names of all scenarios, such as {@code strings/one-copy.heap}, in order} */
  public static List<String> names() {
    return text("index.txt").lines().toList();
  }

  /**
   * {@return a scenario's text}
   *
   * @param name one of {@link #names}
   */
  public static String text(String name) {
    try (InputStream in = Scenarios.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new IllegalArgumentException("the kit has no scenario " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * {@return what a scenario shows: its first line, such as {@code D10: one copy of a string}}
   *
   * @param name one of {@link #names}
   */
  public static String title(String name) {
    return text(name).lines().findFirst().orElse("").replaceFirst("^#\\s*", "");
  }
}
