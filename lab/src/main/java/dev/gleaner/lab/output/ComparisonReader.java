package dev.gleaner.lab.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gleaner.lab.measure.Figure;
import dev.gleaner.lab.measure.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads comparisons that {@link ComparisonJson} wrote. */
public final class ComparisonReader {
  private static final long MOST_BYTES = 64L << 20;
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

  private final Path file;

  private ComparisonReader(Path file) {
    this.file = file;
  }

  /**
   * Reads a file.
   *
   * @return at least one
   * @throws IllegalArgumentException if it is none, with the file and what is wrong
   */
  public static List<Comparison> read(Path file) {
    return new ComparisonReader(file).documents();
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException(file + ": " + what);
  }

  private List<Comparison> documents() {
    JsonNode root = root();
    List<Comparison> comparisons = new ArrayList<>();
    for (JsonNode document : root.isArray() ? root : List.of(root)) {
      comparisons.add(comparison(document));
    }
    if (comparisons.isEmpty()) {
      throw wrong("no comparison in it");
    }
    return comparisons;
  }

  private JsonNode root() {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw wrong("more than " + Units.bytes(MOST_BYTES));
      }
      return MAPPER.readTree(file.toFile());
    } catch (JsonProcessingException e) {
      throw wrong("no JSON: line " + e.getLocation().getLineNr());
    } catch (NoSuchFileException _) {
      throw wrong("no such file");
    } catch (IOException e) {
      throw wrong("cannot be read: " + e.getMessage());
    }
  }

  private JsonNode part(JsonNode node, String name) {
    JsonNode part = node.get(name);
    if (part == null) {
      throw wrong("no \"" + name + "\"; gleaner compare --format json writes what is read here");
    }
    return part;
  }

  private Comparison comparison(JsonNode document) {
    int schema = part(document, "schema").asInt();
    if (schema != ComparisonJson.SCHEMA) {
      throw wrong("schema " + schema + ", not " + ComparisonJson.SCHEMA);
    }
    JsonNode workload = part(document, "workload");
    Map<String, String> parameters = new LinkedHashMap<>();
    part(workload, "parameters")
        .properties()
        .forEach(p -> parameters.put(p.getKey(), p.getValue().asText()));
    List<Row> rows = new ArrayList<>();
    part(document, "results").forEach(result -> rows.add(row(result)));
    return new Comparison(
        part(workload, "name").asText(), parameters, machine(part(document, "machine")), rows);
  }

  private Machine machine(JsonNode on) {
    return new Machine(
        part(on, "cpu").asText(),
        part(on, "cores").asInt(),
        part(on, "memory_bytes").asLong(),
        part(on, "os").asText(),
        part(on, "jvm").asText());
  }

  private Row row(JsonNode result) {
    String collector = part(result, "collector").asText();
    List<RunResult> runs = new ArrayList<>();
    part(result, "runs").forEach(run -> runs.add(run(run)));
    if (runs.isEmpty()) {
      throw wrong("no runs of " + collector);
    }
    return new Row(
        collector,
        part(result, "version").asText(),
        MAPPER.convertValue(part(result, "settings"), OBJECT),
        runs);
  }

  private RunResult run(JsonNode run) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      String pause = figure.pauseKey();
      JsonNode value = pause == null ? run.get(figure.key()) : run.path("pause_seconds").get(pause);
      if (value != null && value.isNumber()) {
        figures.put(figure, value.doubleValue());
      }
    }
    Map<String, Double> extras = new LinkedHashMap<>();
    run.path("extras").properties().forEach(e -> extras.put(e.getKey(), e.getValue().asDouble()));
    JsonNode checksum = run.get("checksum");
    return new RunResult(
        part(run, "status").asText(),
        checksum == null || checksum.isNull() ? null : checksum.asLong(),
        figures,
        extras);
  }
}
