package dev.gleaner.kit;

import org.apiguardian.api.API;

/**
 * What came of checking a collector against one rule.
 *
 * @param rule what was checked, such as a scenario's file name
 * @param status whether it held
 * @param message what was expected and what was found, or what a skipped rule needs; else empty
 */
@API(status = API.Status.STABLE, since = "0.1")
public record Verdict(String rule, Status status, String message) {
  /** How a check ended. */
  public enum Status {
    PASSED,
    FAILED,
    /** The rule does not apply to the collector. */
    SKIPPED
  }
}
