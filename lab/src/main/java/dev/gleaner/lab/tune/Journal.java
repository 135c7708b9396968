package dev.gleaner.lab.tune;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gleaner.lab.measure.RunResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Trials that are done, a line of JSON each: {@code {"trial": KEY, "machine": TEXT, "runs":
 * [[FIELD, …], …]}}. The key says all that a trial depends on but the machine, so one file can hold
 * those of many sweeps. A line that was cut off, or is no such line, is passed over: its trial is
 * done again. The journal of a shard has a line {@code {"shard": "I/N"}} besides.
 */
public final class Journal {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static final long MOST_BYTES = 256L << 20;

  private final Path file;
  private final Map<String, Entry> done = new LinkedHashMap<>();
  private @Nullable String shard;
  private int unreadable;
  private boolean endsInALine = true;

  /** What is known of a key. */
  record Entry(String machine, List<RunResult> runs) {}

  private Journal(Path file) {
    this.file = file;
  }

  public Path file() {
    return file;
  }

  /** Returns one that knows no trial; what is added goes to the end of the file all the same. */
  public static Journal empty(Path file) throws IOException {
    Journal journal = read(file);
    journal.done.clear();
    journal.unreadable = 0;
    return journal;
  }

  /** Reads what there is; none if there is no such file. */
  public static Journal read(Path file) throws IOException {
    Journal journal = new Journal(file);
    if (Files.exists(file)) {
      if (!Files.isRegularFile(file)) {
        throw new IOException("that is no regular file");
      }
      if (Files.size(file) > MOST_BYTES) {
        throw new IOException(
            "longer than the limit of %d MiB; begin another one".formatted(MOST_BYTES >> 20));
      }
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      text.lines().filter(line -> !line.isBlank()).forEach(journal::accept);
      journal.endsInALine = text.isEmpty() || text.endsWith("\n");
    }
    return journal;
  }

  private void accept(String line) {
    try {
      JsonNode node = MAPPER.readTree(line);
      List<RunResult> runs = new ArrayList<>();
      for (JsonNode run : node.path("runs")) {
        List<String> fields = new ArrayList<>();
        run.forEach(field -> fields.add(field.asText()));
        runs.add(RunResult.ofFields(fields));
      }
      if (node.has("shard")) {
        shard = node.get("shard").asText();
        return;
      }
      String key = node.path("trial").asText();
      if (key.isEmpty() || runs.isEmpty()) {
        unreadable++;
      } else {
        done.put(key, new Entry(node.path("machine").asText(), List.copyOf(runs)));
      }
    } catch (JsonProcessingException | IllegalArgumentException e) {
      unreadable++;
    }
  }

  /** Returns the runs of a trial that was done on this machine, or null. */
  public @Nullable List<RunResult> runs(String key, String machine) {
    Entry entry = done.get(key);
    return entry == null || !entry.machine.equals(machine) ? null : entry.runs;
  }

  /** Returns what there is, by key. */
  Map<String, Entry> entries() {
    return done;
  }

  /** Returns the shard whose trials these are, as {@code I/N}; null if none is named. */
  @Nullable String shard() {
    return shard;
  }

  /** Notes whose trials follow. */
  public void begin(Shard of) throws IOException {
    if (!of.toString().equals(shard)) {
      append(Map.of("shard", of.toString()));
      shard = of.toString();
    }
  }

  /** Returns how many lines say nothing. */
  public int unreadable() {
    return unreadable;
  }

  /** Notes a trial. */
  public void add(String key, String machine, List<RunResult> runs) throws IOException {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("trial", key);
    line.put("machine", machine);
    line.put("runs", runs.stream().map(RunResult::toFields).toList());
    append(line);
    done.put(key, new Entry(machine, List.copyOf(runs)));
  }

  private void append(Map<String, ?> line) throws IOException {
    Files.writeString(
        file,
        (endsInALine ? "" : "\n") + MAPPER.writeValueAsString(line) + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    endsInALine = true;
  }
}
