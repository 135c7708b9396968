package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.it.ForkedJvm.Result;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the heap and Lua log reaches SLF4J as docs/production.md says. */
class Slf4jTest {
  @Test
  void takesTheLogsOfHeapAndGuest() throws Exception {
    Path module = Path.of(System.getProperty("basedir", System.getProperty("user.dir")));
    List<String> classPath = new ArrayList<>();
    try (Stream<Path> jars = Files.list(module.resolve("target/slf4j"))) {
      jars.map(Path::toString).forEach(classPath::add);
    }
    assertThat(classPath).anyMatch(jar -> jar.contains("slf4j-jdk-platform-logging"));
    Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(part -> !part.contains("slf4j"))
        .forEach(classPath::add);
    Result result =
        ForkedJvm.run(
            List.of(ForkedJvm.NATIVE_ACCESS, "-Dorg.slf4j.simpleLogger.showThreadName=false"),
            String.join(File.pathSeparator, classPath),
            LoggedFaults.class.getName());
    assertThat(result.exit()).isZero();
    assertThat(result.err())
        .anyMatch(line -> line.matches("WARN dev\\.gleaner\\.heap - heap watched: .*listener.*"))
        .contains("java.lang.IllegalStateException: the listener's own")
        .anyMatch(line -> line.matches("WARN dev\\.gleaner\\.lua - .*finalizer.*"));
  }
}
