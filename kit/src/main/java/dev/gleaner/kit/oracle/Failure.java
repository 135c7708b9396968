package dev.gleaner.kit.oracle;

import org.apiguardian.api.API;

/**
 * A random program that failed.
 *
 * @param collector the collector's name
 * @param variant the settings it ran under, one of {@link Oracle#variants()}
 * @param seed the seed of the program: it repeats it
 * @param message what was expected and what was found, and the last operations
 * @param scenario a smaller program as the text of a {@code .heap} file, with what must hold at its
 *     end
 * @param reproduces whether the scenario was run and failed too; if not, comments in it say what it
 *     lacks
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record Failure(
    String collector,
    String variant,
    long seed,
    String message,
    String scenario,
    boolean reproduces) {

  @Override
  public String toString() {
    return "%s, %s, program seed %s: %s%s%s"
        .formatted(
            collector,
            variant,
            seed,
            message,
            reproduces ? "\na scenario that fails:\n" : "\na scenario, which does not fail:\n",
            scenario);
  }
}
