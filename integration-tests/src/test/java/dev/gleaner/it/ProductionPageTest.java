package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.it.ForkedJvm.Result;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/production.md compiles and runs as it stands. */
class ProductionPageTest {
  @TempDir private Path folder;

  @Test
  void guestsTakeTurns() throws Exception {
    Path module = Path.of(System.getProperty("basedir", System.getProperty("user.dir")));
    List<String> programs =
        PagePrograms.of(Files.readString(module.resolve("../docs/production.md")));
    assertThat(programs).hasSize(1);
    String main = PagePrograms.compile(folder, programs.getFirst());
    String classPath = folder + File.pathSeparator + System.getProperty("java.class.path");
    Result result = ForkedJvm.run(List.of(ForkedJvm.NATIVE_ACCESS), classPath, main);
    assertThat(result.err()).isEmpty();
    assertThat(result.exit()).isZero();
    assertThat(result.out())
        .hasSize(9)
        .contains("{ok=true, n=2}", "{ok=false, n=2}", "2.0 guests are open");
    assertThat(result.out().stream().filter(line -> line.contains("limit of this call reached")))
        .hasSize(4);
  }
}
