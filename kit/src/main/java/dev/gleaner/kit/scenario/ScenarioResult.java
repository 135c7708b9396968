package dev.gleaner.kit.scenario;

import dev.gleaner.kit.Verdict;
import org.apiguardian.api.API;

/**
 * What came of running a scenario.
 *
 * @param file the scenario's file, as it was given
 * @param status how it went
 * @param line where it failed, from 1 on; else 0
 * @param message {@code expected …, found …} of a scenario that failed, {@code needs …} of one that
 *     was skipped; else empty
 */
@API(status = API.Status.STABLE, since = "0.1")
public record ScenarioResult(String file, Verdict.Status status, int line, String message) {

  static ScenarioResult passed(String file) {
    return new ScenarioResult(file, Verdict.Status.PASSED, 0, "");
  }

  static ScenarioResult skipped(String file, String why) {
    return new ScenarioResult(file, Verdict.Status.SKIPPED, 0, why);
  }

  static ScenarioResult failed(String file, int line, String message) {
    return new ScenarioResult(file, Verdict.Status.FAILED, line, message);
  }

  /** {@return the kit's verdict, whose message begins with file and line if it failed} */
  public Verdict verdict() {
    boolean failed = status == Verdict.Status.FAILED;
    return new Verdict(file, status, failed ? file + ":" + line + ": " + message : message);
  }
}
