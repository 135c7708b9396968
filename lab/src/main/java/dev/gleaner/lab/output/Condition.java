package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.settings.Quantities;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the shown run of each collector, such as {@code semispace.pause.p99 > 5ms};
 * without a collector's name it is one on all of them.
 *
 * @param text as it was given
 * @param collector its name, or null for all but the baseline
 * @param figure what is compared
 * @param operator one of {@code < <= > >= == !=}
 * @param value seconds, bytes or a number
 */
public record Condition(
    String text, @Nullable String collector, Figure figure, String operator, double value) {
  private static final Pattern FORM =
      Pattern.compile("\\s*([\\w.-]+)\\s*(<=|>=|==|!=|<|>)\\s*([0-9].*?)\\s*");
  private static final Map<String, Figure> NAMES = new LinkedHashMap<>();

  static {
    NAMES.put("time", Figure.SECONDS);
    NAMES.put("cpu", Figure.CPU_SECONDS);
    NAMES.put("collections", Figure.COLLECTIONS);
    NAMES.put("pause.total", Figure.PAUSE_SECONDS_TOTAL);
    NAMES.put("pause.p50", Figure.PAUSE_SECONDS_P50);
    NAMES.put("pause.p99", Figure.PAUSE_SECONDS_P99);
    NAMES.put("pause.max", Figure.PAUSE_SECONDS_MAX);
    NAMES.put("peak", Figure.PEAK_USED_BYTES);
    NAMES.put("bytes-per-element", Figure.BYTES_PER_ELEMENT);
    NAMES.put("allocated", Figure.ALLOCATED_BYTES);
    NAMES.put("reclaimed", Figure.RECLAIMED_ELEMENTS);
    NAMES.put("moved", Figure.MOVED_ELEMENTS);
    NAMES.put("finalizers", Figure.FINALIZERS_RUN);
    NAMES.put("left", Figure.LIVE_ELEMENTS_AT_END);
  }

  /**
   * Reads a condition.
   *
   * @throws IllegalArgumentException if it is none, with what would be right
   */
  public static Condition parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "no condition; write one as [COLLECTOR.]FIGURE > VALUE, such as"
              + " 'semispace.pause.p99 > 5ms'");
    }
    String name = form.group(1);
    for (Map.Entry<String, Figure> known : NAMES.entrySet()) {
      if (name.equals(known.getKey()) || name.endsWith("." + known.getKey())) {
        int dot = name.length() - known.getKey().length() - 1;
        return new Condition(
            text.strip(),
            dot < 0 ? null : name.substring(0, dot),
            known.getValue(),
            form.group(2),
            value(known.getValue(), form.group(3)));
      }
    }
    throw new IllegalArgumentException(
        "no figure \"" + name + "\"; there are " + String.join(", ", NAMES.keySet()));
  }

  private static double value(Figure figure, String text) {
    @Nullable Number value =
        switch (figure) {
          case SECONDS,
              CPU_SECONDS,
              PAUSE_SECONDS_TOTAL,
              PAUSE_SECONDS_P50,
              PAUSE_SECONDS_P99,
              PAUSE_SECONDS_MAX -> {
            if (text.matches("[0-9.]+")) {
              throw new IllegalArgumentException("\"" + text + "\" needs a unit, such as ms");
            }
            Long nanos = Quantities.nanos(text);
            yield nanos == null ? null : Double.valueOf(nanos / 1e9);
          }
          case PEAK_USED_BYTES, ALLOCATED_BYTES -> Quantities.bytes(text);
          default -> Quantities.decimal(text.replace("_", ""));
        };
    if (value == null) {
      throw new IllegalArgumentException("\"" + text + "\" is no value of that figure");
    }
    return value.doubleValue();
  }

  /**
   * Returns where it holds, a line each: the collector and what was found.
   *
   * @param comparisons any number
   */
  public List<String> met(List<Comparison> comparisons) {
    List<String> lines = new ArrayList<>();
    for (Comparison comparison : comparisons) {
      for (Row row : comparison.rows()) {
        Double found = row.shown().figure(figure);
        boolean meant = collector == null ? !row.isBaseline() : row.collector().equals(collector);
        if (meant && found != null && holds(found)) {
          lines.add(
              "%s: %s on %s: %s".formatted(text, row.collector(), comparison.title(), show(found)));
        }
      }
    }
    return lines;
  }

  private boolean holds(double found) {
    return switch (operator) {
      case "<" -> found < value;
      case "<=" -> found <= value;
      case ">" -> found > value;
      case ">=" -> found >= value;
      case "==" -> found == value;
      default -> found != value;
    };
  }

  private String show(double found) {
    return figure.key().contains("seconds")
        ? Units.seconds(found)
        : figure.key().endsWith("bytes") ? Units.bytes(found) : Units.count(found);
  }
}
