package dev.gleaner.it.interpreter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page about the small interpreter shows its code as it is. */
class InterpreterPageTest {
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Path MODULE =
      Path.of(System.getProperty("basedir", System.getProperty("user.dir")));

  @Test
  void quotesWhatStandsInTheSource() throws IOException {
    String source =
        Files.readString(
            MODULE.resolve("src/test/java/dev/gleaner/it/interpreter/SmallInterpreter.java"));
    String page = Files.readString(MODULE.resolve("../docs/interpreter.md"));
    List<String> quotes = JAVA.matcher(page).results().map(r -> r.group(1)).toList();
    assertThat(quotes).hasSizeGreaterThan(8);
    for (String quote : quotes) {
      assertThat(source).contains(quote);
    }
  }
}
