package dev.gleaner.kit;

import org.apiguardian.api.API;

/**
 * What came of checking a collector against one rule.
 *
 * @param rule what was checked, such as a scenario's file name
 * @param status whether it held
 * @param message what was expected and what was found, or what a skipped rule needs; else empty
 * @param scenario a {@code .heap} file that shows the failure, if the kit made one; else empty
 */
@API(status = API.Status.STABLE, since = "0.1")
public record Verdict(String rule, Status status, String message, String scenario) {
  /**
   * Makes a verdict without a scenario of its own.
   *
   * @param rule the rule's name
   * @param status how it went
   * @param message what was found, if it failed; why, if it was skipped
   */
  public Verdict(String rule, Status status, String message) {
    this(rule, status, message, "");
  }

  /** How a check ended. */
  public enum Status {
    /** The rule holds. */
    PASSED,
    /** The rule does not hold. */
    FAILED,
    /** The rule does not apply to the collector. */
    SKIPPED
  }
}
