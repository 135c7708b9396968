package dev.gleaner.lab;

import com.typesafe.config.ConfigRenderOptions;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.tune.Journal;
import dev.gleaner.lab.tune.MergedJournals;
import dev.gleaner.lab.tune.Trial;
import dev.gleaner.lab.tune.Tuning;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Does the trials of a sweep that no journal has, one after another, and its final in turns.
 *
 * @param runs of each trial
 * @param errors told, a line at a time, what workers say beside their results
 */
record TuneTrials(
    Settings settings,
    Contender contender,
    WorkloadSpec subject,
    int runs,
    Consumer<String> errors) {

  private static String machine() {
    return Machine.current().text();
  }

  private Settings tuned(Tuning tuning) {
    return settings.with(tuning.overrides(contender.name()));
  }

  /** Returns the keys of trials, as journals have them. */
  List<String> keys(List<Tuning> tunings) {
    return tunings.stream().map(tuning -> key(tuning, runs)).toList();
  }

  /** Does trials, or finds them in the journal, and keeps them there. */
  List<Trial> run(List<Tuning> tunings, Journal journal, ProgressDisplay progress) {
    List<Trial> trials = new ArrayList<>();
    for (Tuning tuning : tunings) {
      String key = key(tuning, runs);
      List<RunResult> known = journal.runs(key, machine());
      progress.start(tuning.text());
      if (known == null) {
        Settings tuned = tuned(tuning);
        known =
            new Tournament(new Installed(tuned), tuned, runs, 0, Machine.current(), errors)
                .run(subject, contender, progress::update)
                .runs();
        keep(journal, key, known);
      }
      progress.finish();
      trials.add(new Trial(tuning, known));
    }
    return trials;
  }

  /** Returns the trials of journals that have them all. */
  List<Trial> merged(List<Tuning> tunings, MergedJournals journals) {
    List<Trial> trials = new ArrayList<>();
    for (Tuning tuning : tunings) {
      List<RunResult> known = journals.runs(key(tuning, runs));
      if (known == null) {
        throw new IllegalStateException("no trial of " + tuning.text());
      }
      trials.add(new Trial(tuning, known));
    }
    return trials;
  }

  /**
   * Runs finalists in turns, or finds their final in the journal.
   *
   * @param turns how many
   */
  List<Trial> inTurns(List<Trial> finalists, int turns, Journal journal, ProgressDisplay progress) {
    String among =
        String.join("; ", finalists.stream().map(trial -> trial.tuning().text()).toList());
    List<String> keys =
        finalists.stream()
            .map(trial -> "final among " + among + ": " + key(trial.tuning(), turns))
            .toList();
    List<List<RunResult>> known = new ArrayList<>();
    for (String key : keys) {
      @Nullable List<RunResult> found = journal.runs(key, machine());
      if (found != null) {
        known.add(found);
      }
    }
    if (known.size() < keys.size()) {
      known = compete(finalists, turns, progress);
      for (int i = 0; i < keys.size(); i++) {
        keep(journal, keys.get(i), known.get(i));
      }
    }
    List<Trial> trials = new ArrayList<>();
    for (int i = 0; i < finalists.size(); i++) {
      Trial finalist = finalists.get(i);
      trials.add(new Trial(finalist.tuning(), known.get(i), finalist.same()));
    }
    return trials;
  }

  private List<List<RunResult>> compete(
      List<Trial> finalists, int turns, ProgressDisplay progress) {
    progress.steps(finalists.size() * turns);
    List<Tournament.Started> workers = new ArrayList<>();
    List<String> remarks = new ArrayList<>();
    try {
      for (Trial trial : finalists) {
        Settings tuned = tuned(trial.tuning());
        workers.add(
            new Tournament(new Installed(tuned), tuned, turns, 0, Machine.current(), errors)
                .enter(subject, contender));
      }
      for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < workers.size(); i++) {
          progress.start("final, " + finalists.get(i).tuning().text());
          boolean _ = workers.get(i).worker.go(progress::update);
          progress.finish();
        }
      }
      List<List<RunResult>> results = new ArrayList<>();
      workers.forEach(worker -> results.add(worker.row(remarks).runs()));
      return results;
    } finally {
      workers.forEach(Tournament.Started::close);
      remarks.forEach(errors);
    }
  }

  /** Keeps what another try would not find otherwise. */
  private static void keep(Journal journal, String key, List<RunResult> runs) {
    if (runs.stream().noneMatch(RunResult::isLost)) {
      try {
        journal.add(key, machine(), runs);
      } catch (IOException e) {
        throw new UncheckedIOException("--journal " + journal.file() + ": " + e.getMessage(), e);
      }
    }
  }

  /** Returns all that the runs depend on but the machine: files count with their size and time. */
  private String key(Tuning tuning, int count) {
    StringBuilder key = new StringBuilder();
    key.append(contender.name()).append(' ').append(contender.version()).append(", ");
    key.append(subject.workload().name());
    subject
        .parameters()
        .values()
        .forEach((name, value) -> {
          key.append(' ').append(name).append('=').append(value).append(stamp(value));
        });
    key.append(", ").append(count).append(" runs, ");
    return key.append(
            new Installed(tuned(tuning))
                .config(contender.name(), subject)
                .root()
                .render(ConfigRenderOptions.concise()))
        .toString();
  }

  private static String stamp(String value) {
    try {
      Path file = Path.of(value);
      return Files.isRegularFile(file)
          ? "(" + Files.size(file) + " bytes of " + Files.getLastModifiedTime(file) + ")"
          : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InvalidPathException e) {
      return "";
    }
  }
}
