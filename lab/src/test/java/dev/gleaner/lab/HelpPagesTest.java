package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.gleaner.testing.Tier;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Every command's help has all parts of a manual page. */
final class HelpPagesTest {

  static Stream<String> commands() {
    return Program.program().getSubcommands().keySet().stream();
  }

  static IntStream widths() {
    return Tier.exhaustive() ? IntStream.of(40, 55, 80, 81) : IntStream.of(0, 72, 120);
  }

  private static CommandSpec spec(String name) {
    return Objects.requireNonNull(Program.program().getSubcommands().get(name)).getCommandSpec();
  }

  @Test
  void foldsLinesWithTheirIndent() {
    assertThat(HelpPages.folded("      what it does, in a line", 20))
        .containsExactly("      what it does,", "      in a line");
    assertThat(HelpPages.folded("  gleaner tune --collector hybrid --runs 2", 30))
        .containsExactly("  gleaner tune --collector \\", "    hybrid --runs 2");
    assertThat(HelpPages.folded("", 30)).containsExactly("");
  }

  /** The examples: lines of the help that are a command. */
  private static List<String> examples(String name) {
    return String.join("\n", spec(name).usageMessage().footer())
        .replaceAll(" \\\\\n *", " ")
        .lines()
        .filter(line -> line.startsWith("  gleaner "))
        .map(String::strip)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void hasAllParts(String name) {
    String help = spec(name).commandLine().getUsageMessage(CommandLine.Help.Ansi.OFF);
    assertThat(help).startsWith("Usage: gleaner " + name + " ");
    assertThat(help).containsSubsequence("\nOptions:\n", "\nExit status:\n", "\nExamples:\n");
    assertThat(spec(name).usageMessage().description()).isNotEmpty();
    assertThat(String.join(" ", spec(name).usageMessage().description())).endsWith(".");
    assertThat(spec(name).usageMessage().exitCodeList()).containsKeys("0", "2");
  }

  @ParameterizedTest
  @MethodSource("widths")
  @Tag("seeds")
  void fitsTheTerminal(int columns) {
    CommandLine program = Program.program(columns);
    Stream<CommandLine> all =
        Stream.concat(Stream.of(program), program.getSubcommands().values().stream());
    assertThat(all)
        .allSatisfy(command ->
            assertThat(command.getUsageMessage(CommandLine.Help.Ansi.OFF).lines())
                .allMatch(line -> line.length() < Math.clamp(columns, 56, 80)));
  }

  @Test
  @Tag("seeds")
  void helpIsAWordToo() {
    assertThat(Result.of("help")).isEqualTo(Result.of("--help"));
    for (String name : Tier.exhaustive() ? commands().toList() : List.of("compare")) {
      Result help = Result.of("help", name);
      assertThat(help).isEqualTo(Result.of(name, "--help"));
      assertThat(help.status()).isZero();
    }
    assertThat(Result.of("help", "compar").err())
        .contains("\"compar\": no such command", "(compare?)");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void saysOfEachOptionWhatItIsAndItsDefault(String name) {
    for (ArgSpec arg : spec(name).args()) {
      String text = String.join(" ", arg.description());
      assertThat(text).as("%s", arg).isNotBlank().endsWith(".");
      assertThat(text).as("picocli takes it for a format").doesNotContain("%");
      if (arg instanceof OptionSpec && arg.arity().max() > 0 && !arg.required()) {
        assertThat(text).as("%s", arg).containsPattern("default: [^;]+\\.$");
      }
      if (arg.paramLabel().equals("SIZE")) {
        assertThat(text).as("%s", arg).contains("bytes");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("commands")
  void hasExamplesThatCanBeGiven(String name) {
    assertThat(examples(name)).isNotEmpty();
    for (String example : examples(name)) {
      assertThat(example).startsWith("gleaner " + name);
      String[] arguments = example.substring("gleaner ".length()).split(" ", -1);
      assertThatCode(() -> Program.program().parseArgs(arguments))
          .as(example)
          .doesNotThrowAnyException();
    }
  }
}
