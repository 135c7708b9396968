package dev.gleaner.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bounds of {@link Hocon}: what is at them is read, what is beyond is not. */
class HoconTest {
  @TempDir private Path folder;

  private static String nested(int depth) {
    return "a = " + "[".repeat(depth) + "]".repeat(depth);
  }

  @Test
  void depthHasABound() {
    assertThat(Hocon.parse(nested(100), "text").getList("a")).hasSize(1);
    assertThatThrownBy(() -> Hocon.parse("\n\n" + nested(101), "text"))
        .isInstanceOf(ConfigException.class)
        .hasMessage("text: 3: braces and brackets more than 100 deep");
  }

  @Test
  void pathsHaveABound() {
    String path = "a" + ".a".repeat(99);
    assertThat(Hocon.parse(path + " = 1", "text").getInt(path)).isEqualTo(1);
    assertThatThrownBy(() -> Hocon.parse(path + ".a = 1", "text"))
        .isInstanceOf(ConfigException.class)
        .hasMessage("text: 1: a path of more than 100 parts");
  }

  private static String chain(int substitutions) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < substitutions; i++) {
      text.append("a%d = ${a%d}\n".formatted(i, i + 1));
    }
    return text.append("a%d = 7".formatted(substitutions)).toString();
  }

  @Test
  void substitutionsHaveABound() {
    Config config = Hocon.parse(chain(500), "text");
    assertThat(Hocon.guarded("text", config::resolve).getInt("a0")).isEqualTo(7);
    assertThatThrownBy(() -> Hocon.parse(chain(501), "text"))
        .isInstanceOf(ConfigException.class)
        .hasMessage("text: 501: more than 500 substitutions");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a = \"%s\"",
        "a = \"\\\" %s\"",
        "a = \"\"\"\n\" %s\"\"\"",
        "a = 1 # %s",
        "a = 1 // %s\n",
        "# \" %s\na = 1"
      })
  void textsAndCommentsDoNotCount(String text) {
    assertThat(Hocon.parse(text.formatted("[".repeat(1000)), "text").hasPath("a")).isTrue();
  }

  @Test
  void whatIsIncludedIsFoundBesideTheFileAndHasBoundsToo() throws IOException {
    Path file = Files.writeString(folder.resolve("a.conf"), "include \"b\"\na = 1");
    Path included = Files.writeString(folder.resolve("b.conf"), "b = 2");
    Path relative = Path.of("").toAbsolutePath().relativize(file);
    assertThat(Hocon.parseFile(relative).getInt("b")).isEqualTo(2);
    Files.writeString(file, "include \"b.conf\"");
    Files.writeString(included, nested(101));
    assertThatThrownBy(() -> Hocon.parseFile(relative))
        .isInstanceOf(ConfigException.class)
        .hasMessageEndingWith("b.conf: 1: braces and brackets more than 100 deep");
  }

  @Test
  void whatOverflowsAllTheSameIsAnError() {
    assertThatThrownBy(() ->
            Hocon.guarded(
                "text",
                () -> {
                  throw new StackOverflowError();
                }))
        .isInstanceOf(ConfigException.class)
        .hasMessage("text: substitutions, includes or values are nested too deeply");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "include url(\"%s\")",
        "include required(url(\"%s\"))",
        "include \"%s\"",
        "a { include url(\"%s\") }"
      })
  void aUrlHasTheBoundsOfAFile(String include) throws IOException {
    Path included = Files.writeString(folder.resolve("b.conf"), "b = 2");
    Path file = Files.writeString(folder.resolve("a.conf"), include.formatted(included.toUri()));
    assertThat(Hocon.parseFile(file).entrySet()).hasSize(1);
    Files.writeString(included, "# " + "x".repeat(2 << 20));
    assertThatThrownBy(() -> Hocon.parseFile(file))
        .isInstanceOf(ConfigException.class)
        .hasMessageEndingWith("b.conf: 1: longer than 1048576 bytes");
    Files.writeString(file, include.formatted("http://localhost:9/a.conf"));
    assertThatThrownBy(() -> Hocon.parseFile(file))
        .isInstanceOf(ConfigException.class)
        .hasMessage("http://localhost:9/a.conf: only files and resources can be included");
  }

  @Test
  void aNameWithoutAnExtensionHasTheBoundsToo() throws IOException {
    Path file = Files.writeString(folder.resolve("a.conf"), "include \"b\"");
    Files.writeString(
        folder.resolve("b.json"), "{\"b\": " + "[".repeat(101) + "]".repeat(101) + "}");
    assertThatThrownBy(() -> Hocon.parseFile(file))
        .isInstanceOf(ConfigException.class)
        .hasMessageEndingWith("b.json: 1: braces and brackets more than 100 deep");
  }

  @Test
  void filesThatIncludeEachOtherTwiceAreCounted() throws IOException {
    for (int i = 0; i < 30; i++) {
      String next = "include \"f%d.conf\"\n".formatted(i + 1);
      Files.writeString(folder.resolve("f%d.conf".formatted(i)), next + next);
    }
    Files.writeString(folder.resolve("f30.conf"), "a = 1");
    assertThatThrownBy(() -> Hocon.parseFile(folder.resolve("f0.conf")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("more than 1000 files, or 4194304 bytes, are included");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"${a%1$d}${a%1$d}", "[${a%1$d}, ${a%1$d}]", "{ x = ${a%1$d}, y = ${a%1$d} }"})
  void substitutionsThatDoubleAreCountedBeforeTheyAreMade(String twice) {
    StringBuilder text = new StringBuilder("a0 = 1234567890\n");
    for (int i = 0; i < 40; i++) {
      text.append("a%d = %s\n".formatted(i + 1, twice.formatted(i)));
    }
    Config config = Hocon.parse(text.toString(), "text");
    assertThatThrownBy(() -> Hocon.resolve(config, "text"))
        .isInstanceOf(ConfigException.class)
        .hasMessageMatching("text: \\d+: .*substitutions make more than 16777216 characters.*");
    Config few = Hocon.parse("a = 1, b = ${a}${a}, c { d = ${b}, e = ${c.d} }, a = ${a}2", "text");
    assertThat(Hocon.resolve(few, "text").getString("c.e")).isEqualTo("1212");
  }
}
