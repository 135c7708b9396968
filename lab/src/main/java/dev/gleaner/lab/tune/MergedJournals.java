package dev.gleaner.lab.tune;

import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Words;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The journals of all shards of a sweep, read as one. A trial that several have counts once: the
 * first journal by name has it.
 */
public final class MergedJournals {
  private final Map<String, Journal.Entry> done = new LinkedHashMap<>();
  private final Map<String, List<Path>> shards = new TreeMap<>();
  private final Map<Path, Integer> unreadable = new LinkedHashMap<>();
  private final TreeSet<String> doubled = new TreeSet<>();
  private int files;

  private MergedJournals() {}

  /**
   * Reads all files {@code *.jsonl} of a folder.
   *
   * @throws IOException if one cannot be read
   */
  public static MergedJournals read(Path folder) throws IOException {
    MergedJournals merged = new MergedJournals();
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> journals = Files.newDirectoryStream(folder, "*.jsonl")) {
      journals.forEach(found::add);
    }
    Collections.sort(found);
    for (Path file : found) {
      merged.add(file, Journal.read(file));
    }
    return merged;
  }

  private void add(Path file, Journal journal) {
    files++;
    if (journal.unreadable() > 0) {
      unreadable.put(file, journal.unreadable());
    }
    if (journal.shard() != null) {
      shards.computeIfAbsent(journal.shard(), shard -> new ArrayList<>()).add(file);
    }
    journal
        .entries()
        .forEach((key, entry) -> {
          if (done.putIfAbsent(key, entry) != null) {
            doubled.add(key);
          }
        });
  }

  /** Returns the runs of a trial, on whatever machine it was done; null if there are none. */
  public @Nullable List<RunResult> runs(String key) {
    Journal.Entry entry = done.get(key);
    return entry == null ? null : entry.runs();
  }

  /**
   * Returns what is to be said of the journals of a sweep that is whole.
   *
   * @param keys of all its trials
   */
  public List<String> remarks(List<String> keys) {
    List<String> remarks = new ArrayList<>(lines());
    shards.forEach((shard, of) -> {
      if (of.size() > 1) {
        remarks.add("shard " + shard + " is there " + of.size() + " times: " + names(of));
      }
    });
    long twice = keys.stream().filter(doubled::contains).count();
    if (twice > 0) {
      remarks.add(twice + " trials are there more than once; each counts once");
    }
    TreeSet<String> machines = new TreeSet<>();
    for (String key : keys) {
      Journal.Entry entry = done.get(key);
      if (entry != null) {
        machines.add(entry.machine());
      }
    }
    if (machines.size() > 1) {
      remarks.add(
          "the trials are from machines that differ, so times of the table do not compare well;"
              + " the final is run here: "
              + String.join("; ", machines));
    }
    return remarks;
  }

  /**
   * Returns why a sweep is not whole: which shards lack trials; empty if it is.
   *
   * @param keys of all its trials, in their order
   */
  public List<String> missing(List<String> keys) {
    List<Integer> missing = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      if (!done.containsKey(keys.get(i))) {
        missing.add(i);
      }
    }
    if (missing.isEmpty()) {
      return List.of();
    }
    List<String> lines = new ArrayList<>(lines());
    lines.add(
        "%d of %d trials are missing in %s"
            .formatted(missing.size(), keys.size(), Words.count(files, "journal")));
    int count =
        shards.keySet().stream()
            .mapToInt(shard -> Integer.parseInt(shard.substring(shard.indexOf('/') + 1)))
            .max()
            .orElse(0);
    for (int index = 1; index <= count; index++) {
      Shard shard = new Shard(index, count);
      int at = index - 1;
      long lacks = missing.stream().filter(i -> i % count == at).count();
      if (lacks > 0) {
        lines.add(
            shards.containsKey(shard.toString())
                ? "shard %s lacks %d of its %d: run it again, it does the rest"
                    .formatted(shard, lacks, shard.of(keys).size())
                : "shard %s has no journal here: run it".formatted(shard));
      }
    }
    if (count > 0 && missing.size() == keys.size()) {
      lines.add("are the collector, workload, settings and runs those of the shards?");
    }
    return lines;
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    unreadable.forEach((file, count) ->
        lines.add(
            "%s: %d %s no trial (cut off?)"
                .formatted(file.getFileName(), count, count == 1 ? "line is" : "lines are")));
    return lines;
  }

  private static String names(List<Path> files) {
    return String.join(
        ", ", files.stream().map(file -> String.valueOf(file.getFileName())).toList());
  }
}
