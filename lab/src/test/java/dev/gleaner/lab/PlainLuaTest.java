package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** What picocli would read of the arguments of {@code gleaner lua}, without it. */
class PlainLuaTest {
  @TempDir private Path folder;

  private static String[] words(String line) {
    return line.isEmpty() ? new String[0] : line.split(" ", -1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lua -e print(1)",
        "lua hello.lua",
        "lua hello.lua -e --help -x --sandbox=3 a=b",
        "lua --sandbox -e x=1 -e y=2 hello.lua 1 2",
        "lua --collector hybrid --max-memory 8MiB hello.lua",
        "lua -e x=1 --collector semispace"
      })
  void readsWhatPicocliReads(String line) {
    PlainLua plain = Objects.requireNonNull(PlainLua.of(words(line)), line);
    CommandLine program = Program.program();
    ParseResult lua = program.parseArgs(words(line)).subcommand();
    assertThat(plain.collector()).isEqualTo(lua.matchedOptionValue("--collector", null));
    assertThat(plain.maxMemory()).isEqualTo(lua.matchedOptionValue("--max-memory", null));
    assertThat(plain.sandbox()).isEqualTo(lua.matchedOptionValue("--sandbox", false));
    assertThat(plain.statements()).isEqualTo(lua.matchedOptionValue("-e", List.of()));
    assertThat(plain.arguments()).isEqualTo(lua.matchedPositionalValue(0, List.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "lua",
        "run hello.lua",
        "lua --help",
        "lua --sandbox",
        "lua - a b",
        "lua -i",
        "lua -e",
        "lua -e -e",
        "lua -eprint(1)",
        "lua --collector=hybrid hello.lua",
        "lua --collector a --collector b hello.lua",
        "lua --sandbox --sandbox hello.lua",
        "lua @arguments",
        "lua hello.lua @arguments",
        "lua -- hello.lua",
        "lua --stats hello.lua",
        "lua -D gleaner.verify=off hello.lua",
        "lua -e  hello.lua"
      })
  void leavesAllElseToPicocli(String line) {
    assertThat(PlainLua.of(words(line))).isNull();
  }

  @Test
  void aScriptStartsWithoutPicocliAndLoggers() throws Exception {
    Path classes = folder.resolve("classes");
    List<String> flags = List.of("-Xlog:class+load:file=" + classes);
    Path out = folder.resolve("out");
    List<String> command = Forked.command(flags, Main.class, "lua", "-e", "print(1)");
    try (Forked program = Forked.start(folder, Redirect.to(out.toFile()), command)) {
      assertThat(program.process.waitFor()).isZero();
    }
    assertThat(out).hasContent("1");
    List<String> read = new ArrayList<>();
    for (String line : Files.readAllLines(classes)) {
      int name = line.indexOf("] ") < 0 ? -1 : line.lastIndexOf("] ") + 2;
      if (name > 0 && line.contains(" source: ") && !line.contains("shared objects file")) {
        read.add(line.substring(name, line.indexOf(" source: ")));
      }
    }
    assertThat(read).contains(Main.class.getName(), LuaCommand.class.getName());
    assertThat(read).noneMatch(name -> name.startsWith("picocli."));
    assertThat(read).noneMatch(name -> name.startsWith("java.util.logging."));
    assertThat(read).noneMatch(name -> name.startsWith("com.google."));
    assertThat(read).as("a tenth more than there are").hasSizeLessThan(1230);
  }
}
