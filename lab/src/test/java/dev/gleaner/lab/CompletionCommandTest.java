package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The scripts, in the shells that they are for. */
@SuppressWarnings("NullAway.Init")
final class CompletionCommandTest {
  @TempDir private Path folder;

  private static String script(String shell) {
    Result result = Result.of("completion", shell);
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isZero();
    return result.out();
  }

  /** Has a shell run a text; returns what it printed. */
  private String run(String text, String... shell) throws Exception {
    Path file = Files.writeString(folder.resolve("commands"), text);
    List<String> command = Stream.concat(Stream.of(shell), Stream.of(file.toString())).toList();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isZero();
    return printed;
  }

  private static void assumeInstalled(String shell) {
    assumeTrue(
        Stream.of("/bin", "/usr/bin").anyMatch(dir -> Files.isExecutable(Path.of(dir, shell))),
        shell + " is not installed");
  }

  private static String completing(String line) {
    return "COMP_LINE='%s'; COMP_POINT=%d; COMPREPLY=(); _gleaner; printf '%%s\\n' \"${COMPREPLY[*]}\"\n"
        .formatted(line, line.length());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "gleaner com|compare completion",
        "gleaner --v|--version",
        "./gleaner compare --ru|--runs",
        "gleaner compare --collector markswee|marksweep",
        "gleaner compare --collector marksweep,hyb|marksweep,hybrid",
        "gleaner compare --collector=semi|semispace",
        "gleaner compare --workload chu|churn churn:",
        "gleaner compare --workload churn:|slots=1_000_000 n=20_000_000",
        "gleaner compare --workload churn:sl|slots=1_000_000",
        "gleaner compare --workload churn:slots=3,n|3,n=20_000_000",
        "gleaner serve --workload=graph:shape=sh|shuffled-list",
        "gleaner compare --format |table json csv",
        "gleaner compare --format=j|json",
        "gleaner compare --quiet --base|--baseline",
        "gleaner compare --baseline |jvm",
        "gleaner completion |bash zsh fish",
        "gleaner bench lua spec|spectral-norm",
        "gleaner compare --runs |''",
        "gleaner run |''",
        "gleaner nonsense --x|''",
      })
  void bashCompletes(String line, String expected) throws Exception {
    String printed = run(script("bash") + completing(line), "bash", "--norc");
    assertThat(printed).isEqualTo((expected.equals("''") ? "" : expected) + "\n");
  }

  @Test
  void bashCompletesEveryCommandAndOption() throws Exception {
    StringBuilder text = new StringBuilder(script("bash"));
    StringBuilder expected = new StringBuilder();
    Program.program()
        .getSubcommands()
        .forEach((name, command) ->
            command
                .getCommandSpec()
                .options()
                .forEach(option -> {
                  text.append(completing("gleaner " + name + " " + option.longestName()));
                  expected.append(option.longestName()).append('\n');
                }));
    assertThat(run(text.toString(), "bash", "--norc").lines().map(s -> s.split(" ", -1)[0]))
        .containsExactlyElementsOf(expected.toString().lines().toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gleaner com|compare completion",
        "gleaner compare --collector marksweep,hyb|marksweep,hybrid",
        "gleaner compare --workload churn:sl|churn:slots=1_000_000",
        "gleaner compare --format=j|--format=json",
      })
  void zshCompletes(String line, String expected) throws Exception {
    assumeInstalled("zsh");
    String begin = "autoload -Uz compinit && compinit -D\n";
    String printed = run(begin + script("zsh") + completing(line), "zsh", "-f");
    assertThat(printed).isEqualTo(expected + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "gleaner compa|compare",
        "gleaner compare --for|--format",
        "gleaner compare --format |table",
        "gleaner compare --collector mark|marksweep",
        "gleaner serve --workload churn|churn:slots=1_000_000",
        "gleaner completion z|zsh",
      })
  void fishCompletes(String line, String expected) throws Exception {
    assumeInstalled("fish");
    String printed = run(script("fish") + "complete -C '" + line + "'\n", "fish", "--no-config");
    assertThat(printed.lines().map(each -> each.split("\t", -1)[0])).contains(expected);
  }

  @Test
  void scriptsAreFreeOfTablesThatWereNotFilledIn() throws IOException {
    assertThat(script("bash")).doesNotContainPattern("@[A-Z]+@").isEqualTo(script("zsh"));
  }
}
