package dev.gleaner.lab.workload;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A workload's parameters: its defaults with what was given over them, checked.
 *
 * @param values a value for every parameter of the workload, in its order
 */
public record Parameters(Map<String, String> values) {

  /** Copies the map, keeping its order. */
  public Parameters {
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  /**
   * Puts what was given over a workload's defaults.
   *
   * @throws IllegalArgumentException if a name is not a parameter of the workload or a value does
   *     not fit; the message lists every problem, one a line
   */
  public static Parameters of(Workload workload, Map<String, String> given) {
    Map<String, String> values = new LinkedHashMap<>(workload.defaults());
    List<String> problems = new ArrayList<>();
    given.forEach((key, value) -> {
      String fallback = workload.defaults().get(key);
      if (fallback == null) {
        problems.add(unknown(workload, key));
        return;
      }
      List<String> choices = workload.choices().get(key);
      if (choices != null && !choices.contains(value)) {
        problems.add(
            UnknownName.message(
                "workload " + workload.name() + ": " + key + " = ", value, "value", choices));
      } else if (isWhole(fallback) && !isWhole(value)) {
        problems.add(
            "workload %s: %s = \"%s\": a whole number is needed, such as %s"
                .formatted(workload.name(), key, value, fallback));
      } else {
        values.put(key, value);
      }
    });
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("\n", problems));
    }
    return new Parameters(values);
  }

  /** Returns the value as it was written. */
  public String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no parameter " + name + "; there are " + values.keySet());
    }
    return value;
  }

  /** Returns the value as a whole number of zero or more. */
  public long number(String name) {
    return Long.parseLong(digits(text(name)));
  }

  /**
   * Returns the value as a whole number of zero or more.
   *
   * @throws IllegalArgumentException if it is larger than an int
   */
  public int integer(String name) {
    long value = number(name);
    if (value > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "%s = %d: the largest is %d".formatted(name, value, Integer.MAX_VALUE));
    }
    return (int) value;
  }

  /**
   * Returns the value as a whole number of one or more.
   *
   * @throws IllegalArgumentException if it is 0, or larger than an int
   */
  int positive(String name) {
    int value = integer(name);
    if (value == 0) {
      throw new IllegalArgumentException(name + " = 0: the least is 1");
    }
    return value;
  }

  /** Returns a map of names to values, in the order given: name, value, name, value… */
  static Map<String, String> defaults(String... namesAndValues) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return Collections.unmodifiableMap(map);
  }

  private static String unknown(Workload workload, String key) {
    if (workload.defaults().isEmpty()) {
      return "workload %s: \"%s\": it has no parameters".formatted(workload.name(), key);
    }
    return UnknownName.message(
        "workload " + workload.name() + ": ",
        key,
        "parameter",
        List.copyOf(workload.defaults().keySet()));
  }

  private static boolean isWhole(String value) {
    try {
      return Long.parseLong(digits(value)) >= 0;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static String digits(String value) {
    return value.replace("_", "");
  }
}
