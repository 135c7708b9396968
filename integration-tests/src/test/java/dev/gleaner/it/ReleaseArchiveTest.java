package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./gleaner release} packs runs elsewhere with a JDK alone. */
@EnabledOnOs(OS.LINUX)
@Tag("exhaustive")
class ReleaseArchiveTest {
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", System.getProperty("user.dir")), "..").normalize();
  private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));

  @TempDir private Path folder;
  private Path unpacked;

  private record Result(int exit, String text) {}

  @SuppressWarnings("NullAway.Init") // JUnit sets the folder
  ReleaseArchiveTest() {}

  @BeforeEach
  void packAndUnpack() throws Exception {
    assumeTrue(
        Files.exists(ROOT.resolve("lab/target/gleaner-lab.jar")), "only mvn verify packs the jars");
    Result packed =
        run(
            JAVA_HOME.resolve("bin/java").toString(),
            ROOT.resolve(".ci/Release.java").toString(),
            ROOT.toString(),
            "1.2.3",
            folder.toString());
    assertThat(packed.exit()).as(packed.text()).isZero();
    assertThat(run("unzip", "-q", "gleaner-1.2.3.zip").exit()).isZero();
    unpacked = folder.resolve("gleaner-1.2.3");
  }

  /** In a folder of its own, with no Maven on the PATH. */
  private Result run(String... command) throws IOException, InterruptedException {
    Path out = folder.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(out.toFile());
    builder.environment().put("JAVA_HOME", JAVA_HOME.toString());
    builder.environment().put("PATH", "/usr/bin:/bin");
    int exit = builder.start().waitFor();
    return new Result(exit, Files.readString(out));
  }

  private Result gleaner(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(unpacked.resolve("gleaner").toString()));
    command.addAll(List.of(arguments));
    return run(command.toArray(String[]::new));
  }

  @Test
  void comparesAndConforms() throws Exception {
    Result compared =
        gleaner(
            "compare",
            "--collector=marksweep,refcount",
            "--workload=binary-trees:depth=8",
            "--runs=1",
            "--quiet");
    assertThat(compared.exit()).as(compared.text()).isZero();
    assertThat(compared.text()).contains("marksweep", "refcount", "gleaner-report.html");
    assertThat(folder.resolve("gleaner-report.html")).exists();
    Result conformed = gleaner("conform", "--collector=marksweep", "--programs=1", "--quiet");
    assertThat(conformed.exit()).as(conformed.text()).isZero();
  }

  @Test
  void everyFileIsInTheSumsAndEveryDependencyHasALicence() throws Exception {
    Result sums = run("sh", "-c", "cd gleaner-1.2.3 && sha256sum -c --quiet SHA256SUMS");
    assertThat(sums.exit()).as(sums.text()).isZero();
    List<String> named =
        Files.readAllLines(unpacked.resolve("SHA256SUMS")).stream()
            .map(line -> line.substring(66))
            .toList();
    try (Stream<Path> files = Files.walk(unpacked)) {
      assertThat(
              files
                  .filter(Files::isRegularFile)
                  .map(file -> unpacked.relativize(file).toString())
                  .filter(name -> !name.equals("SHA256SUMS")))
          .containsExactlyInAnyOrderElementsOf(named)
          .contains("gleaner.cmd", "docs/commands.md", "LICENSE", "licenses/picocli.txt");
    }
    try (Stream<Path> jars = Files.list(unpacked.resolve("lib"))) {
      assertThat(
              jars.map(jar -> jar.getFileName().toString())
                  .filter(jar -> !jar.startsWith("gleaner-"))
                  .map(jar -> "licenses/" + jar.replaceFirst("-\\d.*", "") + ".txt"))
          .isSubsetOf(named);
    }
    assertThat(Files.readString(folder.resolve("gleaner-1.2.3.zip.sha256")))
        .endsWith("  gleaner-1.2.3.zip\n");
    assertThat(Files.readString(unpacked.resolve("gleaner.cmd")))
        .as("lines as Windows has them")
        .doesNotContainPattern("[^\r]\n");
  }
}
