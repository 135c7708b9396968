package dev.gleaner.settings;

import java.util.List;
import org.apiguardian.api.API;

/**
 * A configuration that cannot be used. The message lists every problem, each with where it comes
 * from and what would be right.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class ConfigurationException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  @SuppressWarnings("serial") // an immutable list of strings
  private final List<String> problems;

  ConfigurationException(List<String> problems) {
    super(message(problems));
    this.problems = List.copyOf(problems);
  }

  /** {@return the problems, one text each, in the order of the message} */
  public List<String> problems() {
    return problems;
  }

  private static String message(List<String> problems) {
    int n = problems.size();
    return (n == 1 ? "1 problem" : n + " problems")
        + " in the configuration\n  "
        + String.join("\n  ", problems);
  }
}
