package dev.gleaner.lab.tune;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A part of a sweep: of its trials, every so manieth.
 *
 * @param index from 1 on
 * @param count how many parts there are
 */
public record Shard(int index, int count) {
  private static final Pattern TEXT = Pattern.compile("(\\d{1,6})/(\\d{1,6})");
  private static final String KUBERNETES = "JOB_COMPLETION_INDEX";
  private static final String KUBERNETES_COUNT = "JOB_COMPLETION_COUNT";
  private static final String SLURM = "SLURM_ARRAY_TASK_";

  /** Checks. */
  public Shard {
    if (index < 1 || index > count) {
      throw new IllegalArgumentException(
          "shard %d of %d: from 1 to %d".formatted(index, count, count));
    }
  }

  /**
   * Reads {@code I/N}, or {@code auto}: what Slurm and Kubernetes tell the tasks of an array, or
   * the pods of an indexed job.
   *
   * @throws IllegalArgumentException if it is neither, or out of range; the message says why
   */
  public static Shard parse(String text, Map<String, String> environment) {
    if (text.equals("auto")) {
      return ofEnvironment(environment);
    }
    Matcher m = TEXT.matcher(text);
    if (!m.matches()) {
      throw new IllegalArgumentException("I/N such as 2/4, or auto");
    }
    return new Shard(Integer.parseInt(m.group(1)), Integer.parseInt(m.group(2)));
  }

  private static Shard ofEnvironment(Map<String, String> environment) {
    if (environment.containsKey(SLURM + "ID")) {
      int step = number(environment, SLURM + "STEP", 1);
      int first = number(environment, SLURM + "MIN", null);
      int id = number(environment, SLURM + "ID", null);
      return new Shard(
          (id - first) / Math.max(1, step) + 1, number(environment, SLURM + "COUNT", null));
    }
    if (environment.containsKey(KUBERNETES)) {
      return new Shard(
          number(environment, KUBERNETES, null) + 1, number(environment, KUBERNETES_COUNT, null));
    }
    throw new IllegalArgumentException(
        "neither %sID (Slurm) nor %s (Kubernetes) is set".formatted(SLURM, KUBERNETES));
  }

  private static int number(Map<String, String> environment, String name, @Nullable Integer none) {
    String value = environment.get(name);
    if (value == null && none != null) {
      return none;
    }
    if (value == null) {
      throw new IllegalArgumentException(
          name
              + " is not set"
              + (name.equals(KUBERNETES_COUNT) ? "; give it the job's completions" : ""));
    }
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " = " + value + " is no number", e);
    }
  }

  /** Returns which of some trials are this part's. */
  public <T> List<T> of(List<T> all) {
    List<T> part = new ArrayList<>();
    for (int i = index - 1; i < all.size(); i += count) {
      part.add(all.get(i));
    }
    return part;
  }

  /** Returns the name of its journal. */
  public String fileName() {
    return "gleaner-tune-%d-of-%d.jsonl".formatted(index, count);
  }

  /** Returns {@code I/N}. */
  @Override
  public String toString() {
    return index + "/" + count;
  }
}
