package dev.gleaner.lab.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.lab.workload.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/grafana-dashboard.json asks for is what {@code /metrics} serves. */
final class GrafanaDashboardTest {
  private static final Path FILE = Path.of("../docs/grafana-dashboard.json");
  private static final Pattern NAME = Pattern.compile("gleaner_[a-z0-9_]+");
  private static final Pattern LABELS = Pattern.compile("(gleaner_[a-z0-9_]+)\\{([^}]*)\\}");
  private static final Pattern BY = Pattern.compile("by \\(([a-z, ]+)\\) \\(.*?(gleaner_[a-z_]+)");
  private static final Pattern LABEL = Pattern.compile("([a-z]+)=");

  /** Added by Prometheus. */
  private static final String INSTANCE = "instance";

  /** The names that are served, with their labels. */
  private static Map<String, Set<String>> served() throws InterruptedException {
    Workload workload = Objects.requireNonNull(Workloads.find("finalizers"));
    Parameters parameters = Parameters.of(workload, Map.of("n", "30000"));
    List<String> collectors =
        CollectorRegistry.discover(List.of()).plugins().stream()
            .map(CollectorRegistry.Plugin::name)
            .toList();
    try (LiveCollectors live =
        new LiveCollectors(
            collectors.stream()
                .map(name ->
                    Gleaner.factory(
                        ConfigFactory.parseString(
                            "gleaner { collector = " + name + ", memory.max = 4MiB }")))
                .toList(),
            workload,
            parameters,
            error -> {})) {
      live.start();
      while (collectors.stream().anyMatch(missing(live))) {
        Thread.sleep(5);
      }
      String text = Objects.requireNonNull(live.pages(workload, parameters).get("/metrics")).text();
      Map<String, Set<String>> names = new HashMap<>();
      for (Matcher m = LABELS.matcher(text); m.find(); ) {
        Set<String> labels = names.computeIfAbsent(m.group(1), name -> new HashSet<>());
        LABEL.matcher(m.group(2)).results().forEach(label -> labels.add(label.group(1)));
      }
      return names;
    }
  }

  private static Predicate<String> missing(LiveCollectors live) {
    return collector ->
        live.registry().find("gleaner.gc.pause").tag("collector", collector).meters().isEmpty();
  }

  @Test
  void everyQueryAsksForWhatIsServed() throws Exception {
    Map<String, Set<String>> served = served();
    JsonNode dashboard = new ObjectMapper().readTree(FILE.toFile());
    Set<String> asked = new TreeSet<>();
    for (JsonNode node : dashboard.findValues("expr")) {
      String query = node.textValue();
      Set<String> names = new TreeSet<>();
      NAME.matcher(query).results().forEach(m -> names.add(m.group()));
      assertThat(names).as(query).isNotEmpty();
      assertThat(served.keySet()).as(query).containsAll(names);
      LABELS
          .matcher(query)
          .results()
          .forEach(m ->
              LABEL
                  .matcher(m.group(2))
                  .results()
                  .map(label -> label.group(1))
                  .filter(label -> !label.equals(INSTANCE))
                  .forEach(label -> assertThat(served.get(m.group(1))).as(query).contains(label)));
      BY.matcher(query)
          .results()
          .forEach(m ->
              assertThat(served.get(m.group(2))).as(query).contains(m.group(1).split(", ", -1)));
      asked.addAll(names);
    }
    for (JsonNode definition : dashboard.findValues("definition")) {
      assertThat(definition.textValue()).containsPattern(NAME);
      NAME.matcher(definition.textValue())
          .results()
          .forEach(m -> assertThat(served).containsKey(m.group()));
    }
    assertThat(asked).hasSizeGreaterThan(15);
  }

  @Test
  void panelsHaveTitlesUnitsAndPlacesOfTheirOwn() throws IOException {
    JsonNode dashboard = new ObjectMapper().readTree(FILE.toFile());
    Set<String> places = new HashSet<>();
    for (JsonNode panel : dashboard.get("panels")) {
      assertThat(panel.get("title").textValue()).isNotBlank();
      assertThat(panel.get("description").textValue()).isNotBlank();
      assertThat(panel.at("/fieldConfig/defaults/unit").textValue()).isNotBlank();
      JsonNode place = panel.get("gridPos");
      assertThat(place.get("x").intValue() + place.get("w").intValue()).isLessThanOrEqualTo(24);
      assertThat(places.add(place.get("x") + "," + place.get("y"))).isTrue();
    }
  }
}
