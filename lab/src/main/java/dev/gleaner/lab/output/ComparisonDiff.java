package dev.gleaner.lab.output;

import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.measure.TwoSamples;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Two comparisons of one workload, an earlier and a later one: the later figures over the earlier
 * ones, and which of the differences are beyond the noise.
 *
 * <p>Their runs did not take turns, so {@link TwoSamples} judges them: it knows the noise inside
 * each sitting, and not what had changed on the machine between them. Of four runs or more the
 * first does not count: the JVM compiles in it.
 */
public final class ComparisonDiff {
  /** What is looked at, and how much of a difference matters where there is no noise. */
  private enum Subject {
    TIME(Figure.SECONDS, "time", "takes", 1),
    MEMORY(Figure.PEAK_USED_BYTES, "peak", "needs", 1.02),
    PAUSE(Figure.PAUSE_SECONDS_MAX, "longest\npause", "pauses", 1);

    final Figure figure;
    final String header;
    final String verb;
    final double matters;

    Subject(Figure figure, String header, String verb, double matters) {
      this.figure = figure;
      this.header = header;
      this.verb = verb;
      this.matters = matters;
    }
  }

  private static final String WITHIN = "~";
  private static final String NONE = "–";

  private final Comparison before;
  private final Comparison after;

  /** Takes two comparisons of the same workload. */
  public ComparisonDiff(Comparison before, Comparison after) {
    if (!before.title().equals(after.title())) {
      throw new IllegalArgumentException(before.title() + " and " + after.title());
    }
    this.before = before;
    this.after = after;
  }

  /** The same collector in both. */
  private record Pair(Row before, Row after) {
    TwoSamples samples(Figure figure) {
      return new TwoSamples(figures(before, figure), figures(after, figure));
    }

    boolean differ(Subject subject) {
      TwoSamples samples = samples(subject.figure);
      double ratio = samples.ratio();
      return samples.differs() && Math.max(ratio, 1 / ratio) > subject.matters;
    }

    boolean worse(Subject subject) {
      return differ(subject) && samples(subject.figure).ratio() > 1;
    }

    /** Whether runs fail that did not. */
    boolean fails() {
      return before.ok() && !after.ok();
    }

    private static List<Double> figures(Row row, Figure figure) {
      return row.counted().stream()
          .filter(run -> run.ok() || run.status().equals(RunResult.LEAKED))
          .map(run -> run.figure(figure))
          .filter(Objects::nonNull)
          .toList();
    }
  }

  private List<Pair> pairs() {
    List<Pair> pairs = new ArrayList<>();
    for (Row row : before.rows()) {
      after.rows().stream()
          .filter(other -> other.collector().equals(row.collector()))
          .forEach(other -> pairs.add(new Pair(row, other)));
    }
    return pairs;
  }

  /** Returns whether a collector got worse in something beyond the noise, or its runs fail. */
  public boolean isWorse() {
    return pairs().stream()
        .filter(pair -> !pair.before.isBaseline())
        .anyMatch(pair -> pair.fails() || List.of(Subject.values()).stream().anyMatch(pair::worse));
  }

  /**
   * Returns the lines.
   *
   * @param width the most characters of a sentence's line
   */
  public List<String> lines(int width) {
    List<String> lines = new ArrayList<>(Words.wrapped(before.title(), width));
    List<Pair> pairs = pairs();
    if (!pairs.isEmpty()) {
      lines.add("");
      lines.addAll(table(pairs).lines());
      lines.add("");
    }
    sentences(pairs).forEach(sentence -> lines.addAll(Words.wrapped(sentence, width)));
    return lines;
  }

  private static TextTable table(List<Pair> pairs) {
    TextTable table = new TextTable().column("collector").column("before\ns").column("after\ns");
    for (Subject subject : Subject.values()) {
      table.column(subject.header).textColumn("");
    }
    for (Pair pair : pairs) {
      List<String> cells = new ArrayList<>();
      cells.add(pair.after.collector() + (pair.after.ok() ? "" : " *"));
      TwoSamples times = pair.samples(Figure.SECONDS);
      cells.add(times.isEnough() ? Units.digits(times.before()) : NONE);
      cells.add(times.isEnough() ? Units.digits(times.after()) : NONE);
      for (Subject subject : Subject.values()) {
        TwoSamples samples = pair.samples(subject.figure);
        cells.add(samples.isEnough() ? times(samples.ratio()) : NONE);
        cells.add(samples.isEnough() && !pair.differ(subject) ? WITHIN : "");
      }
      table.row(cells);
    }
    return table;
  }

  private static String times(double ratio) {
    return String.format(Locale.ROOT, "%.2f", ratio);
  }

  // ---- what is to be said ----

  private List<String> sentences(List<Pair> pairs) {
    List<String> sentences = new ArrayList<>();
    for (Pair pair : pairs) {
      List<String> found = new ArrayList<>();
      for (Subject subject : Subject.values()) {
        if (pair.differ(subject)) {
          found.add(
              "%s %s times as %s"
                  .formatted(
                      subject.verb,
                      times(pair.samples(subject.figure).ratio()),
                      subject == Subject.MEMORY ? "much memory" : "long"));
        }
      }
      if (!found.isEmpty()) {
        sentences.add(pair.after.collector() + " " + Words.and(found) + ".");
      }
    }
    boolean enough = pairs.stream().allMatch(pair -> pair.samples(Figure.SECONDS).isEnough());
    if (!enough) {
      sentences.add("Too few runs to tell differences from noise: --runs 4 or more.");
    } else if (sentences.isEmpty()) {
      sentences.add("No difference is beyond the noise.");
    } else {
      sentences.add("Other differences (" + WITHIN + ") are within the noise.");
    }
    pairs.forEach(pair -> notes(pair, sentences));
    only(before, after, "before").forEach(sentences::add);
    only(after, before, "after").forEach(sentences::add);
    if (!before.machine().equals(after.machine())) {
      sentences.add("The machines differ: " + before.machine().text() + ";");
      sentences.add(after.machine().text() + ".");
    }
    return sentences;
  }

  private static void notes(Pair pair, List<String> sentences) {
    String name = pair.after.collector();
    pair.after
        .failures()
        .forEach((status, n) ->
            sentences.add("* %s: %s (%s)".formatted(name, status, Words.count(n, "run"))));
    Set<Long> checksums = new LinkedHashSet<>();
    List.of(pair.before, pair.after)
        .forEach(row ->
            row.runs().stream()
                .map(RunResult::checksum)
                .filter(Objects::nonNull)
                .forEach(checksums::add));
    if (checksums.size() > 1) {
      sentences.add(name + ": the checksums differ.");
    }
    List<String> changed = changed(pair);
    if (!changed.isEmpty()) {
      sentences.add(name + ": " + Words.and(changed) + ".");
    }
  }

  private static List<String> only(Comparison in, Comparison out, String when) {
    List<String> there = out.rows().stream().map(Row::collector).toList();
    return in.rows().stream()
        .map(Row::collector)
        .filter(name -> !there.contains(name))
        .map(name -> name + " was measured " + when + " only.")
        .toList();
  }

  /** The settings that changed, each with both values. */
  private static List<String> changed(Pair pair) {
    Map<String, String> earlier = new TreeMap<>();
    flatten("", pair.before.settings().getOrDefault("gleaner", Map.of()), earlier);
    Map<String, String> later = new TreeMap<>();
    flatten("", pair.after.settings().getOrDefault("gleaner", Map.of()), later);
    Set<String> names = new LinkedHashSet<>(earlier.keySet());
    names.addAll(later.keySet());
    return names.stream()
        .filter(name -> !Objects.equals(earlier.get(name), later.get(name)))
        .map(name ->
            "%s %s, not %s"
                .formatted(
                    name,
                    later.getOrDefault(name, "not there"),
                    earlier.getOrDefault(name, "not there")))
        .toList();
  }

  private static void flatten(String path, Object value, Map<String, String> into) {
    if (value instanceof Map<?, ?> map) {
      map.forEach((key, v) -> flatten(path + "." + key, Objects.requireNonNull(v), into));
    } else {
      into.put("gleaner" + path, String.valueOf(value));
    }
  }

  /** Pairs the comparisons of two files by workload. */
  public static Map<String, ComparisonDiff> of(List<Comparison> before, List<Comparison> after) {
    Map<String, ComparisonDiff> diffs = new LinkedHashMap<>();
    for (Comparison b : before) {
      after.stream()
          .filter(a -> a.title().equals(b.title()))
          .findFirst()
          .ifPresent(a -> diffs.put(b.title(), new ComparisonDiff(b, a)));
    }
    return diffs;
  }
}
