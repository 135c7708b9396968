package dev.gleaner.lab.tune;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one trial: what the voluntary trigger counts down from, (kept objects + kept
 * strings) × MULT + ADD, and the limit of the heap.
 *
 * @param mult null if it stays as it is
 * @param add null if it stays as it is
 * @param maxMemory as it was written, null if it stays as it is
 */
public record Tuning(@Nullable BigDecimal mult, @Nullable Long add, @Nullable String maxMemory) {

  /** Nothing is changed. */
  public static final Tuning UNCHANGED = new Tuning(null, null, null);

  /** Returns the settings as {@code path=value}. */
  public List<String> overrides(String collector) {
    List<String> overrides = new ArrayList<>();
    String own = "gleaner.collectors." + collector + ".";
    if (mult != null) {
      overrides.add(own + "voluntary.enabled=true"); // else neither would mean anything
      overrides.add(own + "voluntary.mult=" + mult.toPlainString());
    }
    if (add != null) {
      overrides.add(own + "voluntary.add=" + add);
    }
    if (maxMemory != null) {
      overrides.add(own + "memory.max=\"" + maxMemory + "\"");
    }
    return overrides;
  }

  /** Returns what to paste into a configuration file. */
  public String hocon(String collector) {
    StringBuilder text = new StringBuilder("gleaner {\n  collector = " + collector + "\n");
    if (!equals(UNCHANGED)) {
      text.append("  collectors.").append(collector).append(" {\n");
      if (maxMemory != null) {
        text.append("    memory.max = ").append(maxMemory).append('\n');
      }
      if (mult != null) {
        text.append("    voluntary.enabled = true\n");
        text.append("    voluntary.mult = ").append(mult.toPlainString()).append('\n');
      }
      if (add != null) {
        text.append("    voluntary.add = ").append(add).append('\n');
      }
      text.append("  }\n");
    }
    return text.append("}").toString();
  }

  /** Returns MULT, ADD and the limit for a table; {@code as set} for what stays as it is. */
  public List<String> cells() {
    return List.of(
        mult == null ? "as set" : mult.toPlainString(),
        add == null ? "as set" : add.toString(),
        maxMemory == null ? "as set" : maxMemory);
  }

  /** Returns all of it in a few words. */
  public String text() {
    if (equals(UNCHANGED)) {
      return "the settings as they are";
    }
    List<String> parts = new ArrayList<>();
    if (mult != null) {
      parts.add("mult=" + mult.toPlainString());
    }
    if (add != null) {
      parts.add("add=" + add);
    }
    if (maxMemory != null) {
      parts.add("limit=" + maxMemory);
    }
    return String.join(" ", parts);
  }
}
