package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.gleaner.testing.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class GrowthCommandTest {
  private static final String LIST =
      """
      parameter n 10
      set list null
      repeat $n {
        record next 1
        set next.0 list
        set list next
        drop next
      }
      """;

  private static final String LOOP =
      """
      parameter n 10
      frame {
        record last 1
        repeat $n {
          record next 1
          set next.0 1
          set last next
          tail last
        }
      }
      """;

  /** F(ni) of the diary: each step shares a number of many digits with the one before. */
  private static final String DIGITS =
      """
      parameter n 10
      frame {
        set digits null
        repeat 500 {
          record more 1
          set more.0 digits
          set digits more
          drop more
        }
        record last 2
        set last.0 digits
        tail last
        repeat $n {
          record next 2
          set next.0 last.0
          set next.1 1
          set last next
          tail last
        }
      }
      """;

  @TempDir private Path dir;

  private String file(String name, String text) throws IOException {
    return Files.writeString(dir.resolve(name), text).toString();
  }

  private static Result growth(String program, String... more) {
    List<String> arguments = new ArrayList<>(List.of("growth", program, "--format", "csv"));
    arguments.addAll(List.of(more));
    return Result.of(arguments);
  }

  /** Every collector's verdict is this one. */
  private static void all(Result result, String verdict) {
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isZero();
    assertThat(result.out().lines().skip(1))
        .hasSizeGreaterThan(1)
        .allMatch(l -> l.endsWith("," + verdict));
  }

  static List<Arguments> programs() {
    return Tier.exhaustive()
        ? List.of(
            Arguments.of("md5", 20_000),
            Arguments.of("parser", 4000),
            Arguments.of("document", 4000),
            Arguments.of("tail", 4000))
        : List.of(Arguments.of("monad", 4000));
  }

  /** The programs of fble's diary, as it demands of them. */
  @ParameterizedTest
  @MethodSource("programs")
  @Tag("seeds")
  void theDiarysProgramsRunInConstantMemory(String program, int n) {
    String sizes = n + "," + 2 * n;
    all(growth(program, "--n", sizes), "constant");
    for (String mode : List.of("owned", "copying")) {
      all(
          growth(
              program,
              "--n",
              sizes,
              "--collector",
              "framestack",
              "-D",
              "gleaner.collectors.framestack.mode=" + mode),
          "constant");
    }
  }

  /** The diary's last leak: each step abandons the cycle, so that nothing is ever found. */
  @ParameterizedTest
  @Tag("F5b")
  @CsvSource({"finish, constant", "abandon, linear"})
  void aLoopLeaksWhereCyclesAreAbandoned(String onLeave, String verdict) throws IOException {
    Result result =
        growth(
            file("digits.heap", DIGITS),
            "--n",
            "2000,4000",
            "--collector",
            "framestack",
            "--peaks-alone",
            "-D",
            "gleaner.collectors.framestack.mode=owned",
            "-D",
            "gleaner.collectors.framestack.cycle.on-leave=" + onLeave);
    all(result, verdict);
  }

  @Test
  void scenariosAndWorkloadsHaveTheirN() throws IOException {
    all(growth(file("list.heap", LIST)), "linear");
    all(growth(file("loop.heap", LOOP)), "constant");
    all(growth("list:through=one", "--n", "10000,20000"), "linear");
  }

  @Test
  @Tag("exhaustive")
  void scriptsGrowAsTheyKeep() throws IOException {
    String kept = "local n = tonumber(...) local t for i = 1, %s do t = {t} end print(t ~= nil)";
    all(growth(file("linear.lua", kept.formatted("n")), "--n", "2000,4000"), "linear");
    all(growth(file("more.lua", kept.formatted("n * n // 1000")), "--n", "2000,4000"), "more");
    String log = kept.formatted("math.floor(math.log(n, 2) * 2000)");
    all(growth(file("log.lua", log), "--n", "1000,2000,4000"), "logarithmic");
    all(growth(file("none.lua", kept.formatted("100")), "--n", "1000,2000"), "constant");
  }

  @Test
  void theStatusIsThatOfTheCondition() throws IOException {
    String list = file("list.heap", LIST);
    assertThat(growth(list, "--fail-if", "more").status()).isZero();
    Result linear = growth(list, "--fail-if", "linear", "--collector", "hybrid");
    assertThat(linear.status()).isEqualTo(1);
    assertThat(linear.err()).isEqualTo("gleaner: --fail-if linear: hybrid is linear\n");
    assertThat(growth(list, "--fail-if", "logarithmic", "--collector", "hybrid").status())
        .isEqualTo(1);
    assertThat(growth(file("l.heap", LOOP), "--fail-if", "logarithmic").status()).isZero();
  }

  @Test
  void aRunThatFailsIsARow() throws IOException {
    String text = LIST + "expect alive <= 15000\n";
    Result result =
        Result.of(
            "growth",
            file("f.heap", text),
            "--collector",
            "marksweep",
            "--report",
            dir.resolve("r.html").toString());
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.out())
        .contains("marksweep     157 KiB           –          –  failed")
        .contains("marksweep: n = 20000: line 9: expected alive <= 15000, found 20000");
    assertThat(dir.resolve("r.html")).content().contains("<svg").contains("failed");
    Result skipped = growth(file("s.heap", "requires moving\n" + LIST), "--collector", "hybrid");
    assertThat(skipped.status()).isEqualTo(1);
    assertThat(skipped.out()).isEqualTo("collector,n,peak_used_bytes,collections,verdict\n");
    Result large =
        Result.of(
            "growth",
            "tail",
            "--n",
            "10,9000000000",
            "--collector",
            "hybrid",
            "--report",
            dir.resolve("l.html").toString());
    assertThat(large.status()).isEqualTo(1);
    assertThat(large.out()).contains("hybrid: n = 9000000000: the largest is");
  }

  @Test
  void aSizeThatIsTooLargeIsNamedOnce() {
    Result result =
        Result.of(
            "growth",
            "tail",
            "--n",
            "10,9000000000",
            "--collector",
            "marksweep",
            "--report",
            dir.resolve("g.html").toString());
    assertThat(result.out()).containsOnlyOnce("9000000000").contains("failed");
  }

  @Test
  void jsonAndReportHaveEveryRun() throws IOException {
    Path report = dir.resolve("g.html");
    Result result =
        Result.of(
            "growth",
            file("list.heap", LIST),
            "--n",
            "1_000,2000,64000",
            "--collector",
            "hybrid,semispace",
            "--format",
            "json",
            "--report",
            report.toString());
    JsonNode json = new ObjectMapper().readTree(result.out());
    assertThat(json.at("/schema").asInt()).isEqualTo(1);
    assertThat(json.at("/results")).hasSize(2);
    assertThat(json.at("/results/0/verdict").asText()).isEqualTo("linear");
    assertThat(json.at("/results/0/bytes_for_each").asDouble()).isEqualTo(16.0);
    assertThat(json.at("/results/1/runs/2/n").asLong()).isEqualTo(64000);
    assertThat(report)
        .content()
        .contains("Peak memory by n")
        .contains("hybrid linear, semispace linear")
        .contains("64,000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tail --n 5 | the largest is at least twice the smallest",
        "tail --n 5,9 | the largest is at least twice the smallest",
        "tail --n 0,9 | \"0\" is no whole number from 1 on",
        "tail --n 5,,10 | \"\" is no whole number from 1 on",
        "tail --n 5,99999999999999999999 | is no whole number from 1 on",
        "tail --fail-if constant | --fail-if constant: one of [logarithmic, linear, more]",
        "tail:n=7 | --n says what n is",
        "binary-trees | binary-trees has no parameter n",
        "nowhere.heap | nowhere.heap: there is no such file to read",
        "nowhere.lua | nowhere.lua: there is no such file to read",
        "taill | gleaner: \"taill\": no such workload",
        "tail:x | gleaner: tail:x: \"x\": parameters are given as key=value",
        "tail --collector non | no such collector",
      })
  void whatIsWrongIsSaid(String arguments, String message) {
    List<String> words = List.of(arguments.split(" ", -1));
    Result result = growth(words.getFirst(), words.subList(1, words.size()).toArray(String[]::new));
    assertThat(result.err()).contains(message);
    assertThat(result.status()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
  }

  @Test
  void aScenarioWithoutNIsRefused() throws IOException {
    Result result = growth(file("no.heap", "record a 1\n"));
    assertThat(result.err()).contains("expected a line 'parameter n N' before the first statement");
    assertThat(result.status()).isEqualTo(2);
  }
}
