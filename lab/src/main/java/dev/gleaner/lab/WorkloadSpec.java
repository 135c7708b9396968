package dev.gleaner.lab;

import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Workload;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A workload as it is asked for: {@code NAME} or {@code NAME:key=value,key=value}.
 *
 * @param given what was given over the defaults
 * @param parameters all parameters
 */
record WorkloadSpec(Workload workload, Map<String, String> given, Parameters parameters) {

  /**
   * Reads it.
   *
   * @throws RequestException if there is no such workload or parameter, or a value does not fit
   */
  static WorkloadSpec parse(String text) {
    return parse("--workload ", text);
  }

  /** Does {@link #parse(String)}; {@code option} stands before the text in a message. */
  static WorkloadSpec parse(String option, String text) {
    int colon = text.indexOf(':');
    Workload workload = Catalog.find(option, colon < 0 ? text : text.substring(0, colon));
    Map<String, String> given = new LinkedHashMap<>();
    if (colon >= 0) {
      for (String part : text.substring(colon + 1).split(",", -1)) {
        int equals = part.indexOf('=');
        if (equals <= 0) {
          throw new RequestException(
              "%s%s: \"%s\": parameters are given as key=value,key=value"
                  .formatted(option, text, part));
        }
        given.put(part.substring(0, equals).strip(), part.substring(equals + 1).strip());
      }
    }
    return of(workload, given);
  }

  /** Returns the name with what was given. */
  String title() {
    StringBuilder title = new StringBuilder(workload.name());
    given.forEach((key, value) ->
        title.append(title.indexOf(":") < 0 ? ':' : ',').append(key).append('=').append(value));
    return title.toString();
  }

  /**
   * Checks what was given.
   *
   * @throws RequestException if there is no such parameter or a value does not fit
   */
  static WorkloadSpec of(Workload workload, Map<String, String> given) {
    try {
      return new WorkloadSpec(workload, given, Parameters.of(workload, given));
    } catch (IllegalArgumentException e) {
      throw new RequestException(String.valueOf(e.getMessage()), e);
    }
  }
}
