package dev.gleaner.lab.output;

import dev.gleaner.lab.tune.Finals;
import dev.gleaner.lab.tune.SweepResult;
import dev.gleaner.lab.tune.Trial;
import dev.gleaner.lab.tune.Tuning;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A sweep as JSON, schema 1, or as CSV. */
public final class SweepJson {
  private SweepJson() {}

  /** Returns the document. */
  public static String text(SweepResult sweep) {
    Map<String, @Nullable Object> document = new LinkedHashMap<>();
    document.put("schema", 1);
    document.put("collector", sweep.collector());
    document.put("version", sweep.version());
    Map<String, Object> workload = new LinkedHashMap<>();
    workload.put("name", sweep.workload());
    workload.put("parameters", sweep.parameters());
    document.put("workload", workload);
    document.put("machine", ComparisonJson.machine(sweep.machine()));
    List<Map<String, @Nullable Object>> trials = new ArrayList<>();
    sweep.trials().forEach(trial -> trials.add(trial(sweep, trial)));
    document.put("trials", trials);
    Finals finals = sweep.finals();
    List<Map<String, @Nullable Object>> finalists = new ArrayList<>();
    if (finals != null) {
      finals.finalists().forEach(trial -> finalists.add(trial(sweep, trial)));
    }
    document.put("finalists", finalists);
    document.put("beyond_the_noise", finals == null ? null : !finals.nothingBeyondTheNoise());
    Trial recommended = sweep.tradeOff().recommended();
    document.put("recommended", recommended == null ? null : settings(recommended.tuning()));
    document.put(
        "hocon", recommended == null ? null : recommended.tuning().hocon(sweep.collector()));
    return ComparisonJson.write(document);
  }

  private static Map<String, @Nullable Object> trial(SweepResult sweep, Trial trial) {
    Map<String, @Nullable Object> fields = settings(trial.tuning());
    fields.put("same", trial.same().stream().map(SweepJson::settings).toList());
    fields.put("front", sweep.tradeOff().front().contains(trial));
    List<Map<String, @Nullable Object>> runs = new ArrayList<>();
    trial.runs().forEach(run -> runs.add(ComparisonJson.run(run)));
    fields.put("runs", runs);
    return fields;
  }

  private static Map<String, @Nullable Object> settings(Tuning tuning) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("mult", tuning.mult());
    fields.put("add", tuning.add());
    fields.put("max_memory", tuning.maxMemory());
    return fields;
  }

  /** Returns a header and a line a trial, with its median run. */
  public static List<String> csv(SweepResult sweep) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "collector,workload,mult,add,max_memory,seconds,peak_used_bytes,pause_seconds_max,front,recommended,status");
    for (Trial trial : sweep.trials()) {
      Tuning tuning = trial.tuning();
      lines.add(
          ComparisonCsv.line(
              List.of(
                  sweep.collector(),
                  sweep.workload(),
                  text(tuning.mult()),
                  text(tuning.add()),
                  text(tuning.maxMemory()),
                  trial.ok() ? Double.toString(trial.seconds()) : "",
                  trial.ok() ? Long.toString(Math.round(trial.peakBytes())) : "",
                  trial.ok() ? Double.toString(trial.longestPause()) : "",
                  Boolean.toString(sweep.tradeOff().front().contains(trial)),
                  Boolean.toString(sweep.isRecommended(trial)),
                  trial.status())));
    }
    return lines;
  }

  private static String text(@Nullable Object value) {
    return value instanceof BigDecimal number
        ? number.toPlainString()
        : value == null ? "" : value.toString();
  }
}
