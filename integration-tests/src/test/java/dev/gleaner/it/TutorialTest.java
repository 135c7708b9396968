package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.config.PluginPath;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.it.ForkedJvm.Result;
import dev.gleaner.refusal.HeapExhaustedException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The collectors of docs/tutorial.md do what it says, and it shows their code as it is. */
@Tag("exhaustive")
class TutorialTest {
  private static final int STEPS = 5;
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path folder;

  private final List<PluginPath> opened = new ArrayList<>();

  private PluginPath plugin(int step) throws IOException {
    PluginJar.build(PluginJar.sources("tutorial/step" + step), folder.resolve("tutorial.jar"));
    PluginPath path = PluginPath.of(List.of(folder.resolve("tutorial.jar")));
    assertThat(path.problems()).isEmpty();
    opened.add(path);
    return path;
  }

  private Heap open(int step, String settings) throws IOException {
    return Gleaner.factory(
            ConfigFactory.parseString("gleaner { collector = tutorial\n" + settings + "\n}"),
            List.of(plugin(step).loader()))
        .open();
  }

  @AfterEach
  void close() {
    opened.forEach(PluginPath::close);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void everyStepRunsWhatFits(int step) throws IOException {
    try (Heap heap = open(step, "memory.max = 64KiB")) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, 2);
      for (int i = 0; i < 1000; i++) {
        t.newRecord(1, 2);
        t.storeInt(1, 0, i);
        t.store(1, 1, 0);
        t.copy(0, 1);
      }
      int[] more = {0};
      assertThatThrownBy(
              () -> {
                while (true) {
                  t.newRecord(1, 2);
                  t.store(1, 1, 0);
                  t.copy(0, 1);
                  more[0]++;
                }
              })
          .isInstanceOf(HeapExhaustedException.class);
      assertThat(heap.statistics().usedBytes()).isBetween((64 << 10) - 24L, 64L << 10);
      assertThat(heap.inspect().verify()).isEmpty();
      for (int i = 0; i < more[0]; i++) {
        t.load(0, 0, 1);
      }
      assertThat(t.loadInt(0, 0)).isEqualTo(999);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5})
  void fromTheSecondStepOnGarbageGoes(int step) throws IOException {
    try (Heap heap = open(step, "memory.max = 1MiB")) {
      Mutator t = heap.mutator();
      t.enter(3);
      t.newRecord(0, 100);
      for (int i = 0; i < 100_000; i++) {
        t.newRecord(1, 2);
        t.storeInt(1, 0, i);
        t.newRecord(2, i % 100 == 0 ? 20_000 : 1); // one of them alone in its chunk
        t.store(2, 0, 1);
        t.store(1, 1, 2);
        t.store(0, i % 100, 1);
      }
      heap.collect();
      assertThat(heap.inspect().verify()).isEmpty();
      assertThat(heap.statistics().collections()).isGreaterThan(5);
      for (int i = 0; i < 100; i++) {
        t.load(1, 0, i);
        assertThat(t.loadInt(1, 0)).isEqualTo(99_900 + i);
        t.load(2, 1, 1);
        t.load(2, 2, 0);
        assertThat(t.same(1, 2)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5})
  void fromTheThirdStepOnWhatIsWeakWorks(int step) throws IOException {
    List<String> log = new ArrayList<>();
    try (Heap heap = open(step, "verify = after-collection")) {
      Mutator t = heap.mutator();
      t.enter(3);
      t.newString(0, "stays");
      t.newString(1, "goes");
      t.newObject(2);
      t.putProperty(2, 0, 0);
      t.newNative(1, "value", (value, closing) -> log.add("freed " + value));
      WeakRef weak = t.newWeak(2);
      t.newRecord(1, 0);
      t.setFinalizer(1, "label", (thread, closing) -> log.add("finalized"));
      t.setUndefined(1);
      int hash = t.identityHash(2);
      heap.collect();
      assertThat(log).containsExactly("freed value", "finalized");
      assertThat(heap.statistics().strings()).isEqualTo(1);
      assertThat(t.findString(1, "goes")).isFalse();
      assertThat(t.findString(1, "stays") && t.same(0, 1)).isTrue();
      assertThat(t.identityHash(2)).isEqualTo(hash);
      assertThat(t.getWeak(1, weak) && t.same(1, 2)).isTrue();
      t.getProperty(1, 2, 0);
      assertThat(t.same(0, 1)).isTrue();
      t.wipe(0);
      heap.collect();
      assertThat(weak.isCleared()).isTrue();
      assertThat(heap.statistics().strings()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, STEPS})
  void theLastStepsConform(int step) throws Exception {
    PluginPath _ = plugin(step);
    PluginJar.expectToConform(folder, "tutorial");
  }

  @Test
  void theLastStepIsComparedWithTheOthers() throws Exception {
    PluginPath _ = plugin(STEPS);
    Result result =
        PluginJar.gleaner(
            "compare",
            "--plugin-path=" + folder,
            "--collector=tutorial,marksweep",
            "--workload=binary-trees:depth=10",
            "--runs=1",
            "--report=" + folder.resolve("report.html"),
            "--format=json",
            "--quiet");
    assertThat(result.err()).isEmpty();
    assertThat(result.exit()).isZero();
    JsonNode json = new ObjectMapper().readTree(String.join("\n", result.out()));
    assertThat(json.at("/results/0/collector").textValue()).isEqualTo("tutorial");
    assertThat(json.at("/results/1/collector").textValue()).isEqualTo("marksweep");
    assertThat(json.findValuesAsText("checksum").stream().distinct()).hasSize(1);
  }

  @Test
  void theCodeOfTheTutorialIsThatOfTheSteps() throws IOException {
    Path steps = PluginJar.sources("tutorial");
    StringBuilder sources = new StringBuilder();
    try (Stream<Path> files = Files.walk(steps)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        sources.append(words(Files.readString(file))).append(' ');
      }
    }
    String tutorial = Files.readString(steps.resolve("../../../docs/tutorial.md"));
    List<String> quotes = JAVA.matcher(tutorial).results().map(r -> r.group(1)).toList();
    assertThat(quotes).hasSizeGreaterThan(STEPS);
    for (String quote : quotes) {
      assertThat(sources.toString()).contains(words(quote));
    }
    for (int step = 1; step <= STEPS; step++) {
      assertThat(tutorial).contains("tutorial/step" + step);
    }
  }

  /** All of them but those that start the program, which may build first. */
  @Test
  void itsCommandsMakeThePlugin() throws Exception {
    assumeTrue(File.separatorChar == '/', "a shell is needed");
    Path root = PluginJar.sources("tutorial").resolve("../../..").normalize();
    assumeTrue(Files.isDirectory(root.resolve("lab/target/lib")), "only mvn verify copies jars");
    String commands =
        Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(root.resolve("docs/tutorial.md")))
            .results()
            .map(r -> r.group(1))
            .collect(Collectors.joining());
    assertThat(commands).contains("./gleaner collectors --plugin-path /tmp/tutorial/tutorial.jar");
    String here = commands.replaceAll("\\./gleaner .*", "").replace("/tmp/tutorial", "" + folder);
    Files.writeString(folder.resolve("commands"), "set -eu\n" + here);
    ProcessBuilder shell =
        new ProcessBuilder("sh", folder.resolve("commands").toString())
            .directory(root.toFile())
            .redirectErrorStream(true);
    shell
        .environment()
        .merge("PATH", System.getProperty("java.home") + "/bin", (path, bin) -> bin + ":" + path);
    Process process = shell.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    try (PluginPath path = PluginPath.of(List.of(folder.resolve("tutorial.jar")))) {
      assertThat(path.problems()).isEmpty();
      assertThat(CollectorRegistry.discover(List.of(path.loader())).names()).contains("tutorial");
    }
  }

  private static String words(String text) {
    return text.strip().replaceAll("\\s+", " ");
  }
}
