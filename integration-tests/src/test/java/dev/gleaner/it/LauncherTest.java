package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher in a checkout of its own: without permission to write, without a Java, without
 * Maven, without a network.
 *
 * <p>The checkout has what the launcher needs of this one, the jars that {@code mvn verify} packed.
 * Root may write anywhere, so root starts it as nobody.
 */
@EnabledOnOs(OS.LINUX)
class LauncherTest {
  private static final String NOBODY = "65534";
  private static final List<String> TOOLS =
      List.of(
          "bash", "sh", "mount", "dirname", "readlink", "mkdir", "find", "head", "sed", "flock");
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", System.getProperty("user.dir")), "..").normalize();

  @TempDir private Path folder;

  private record Result(int exit, List<String> lines) {}

  @BeforeEach
  void checkOut() throws Exception {
    Files.copy(ROOT.resolve("gleaner"), folder.resolve("gleaner"));
    Files.writeString(folder.resolve("pom.xml"), "<project/>");
    run("chmod", "755", folder.toString(), folder.resolve("gleaner").toString());
  }

  @AfterEach
  void letItBeDeleted() throws Exception {
    run("chmod", "-R", "u+w", folder.toString());
  }

  private void addJars() throws Exception {
    Path lab = ROOT.resolve("lab/target");
    assumeTrue(Files.exists(lab.resolve("gleaner-lab.jar")), "only mvn verify packs the jars");
    Path to = Files.createDirectories(folder.resolve("lab/target"));
    run("cp", "-rL", lab.resolve("gleaner-lab.jar").toString(), to.toString());
    run("cp", "-rL", lab.resolve("lib").toString(), to.toString());
    Files.createFile(to.resolve("build-started"));
  }

  private void makeReadOnly() throws Exception {
    run("chmod", "-R", "a-w,a+rX", folder.toString());
  }

  private static Result run(String... command) throws Exception {
    return run(List.of(command), Map.of());
  }

  private static Result run(List<String> command, Map<String, String> variables)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.contains("JAVA") || name.contains("JDK"));
    builder.environment().putAll(variables);
    builder.redirectInput(Path.of("/dev/null").toFile());
    Process process = builder.start();
    try (Stream<String> lines = process.inputReader(StandardCharsets.UTF_8).lines()) {
      List<String> all = lines.toList();
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
      return new Result(process.exitValue(), all);
    }
  }

  /** Starts it as somebody who may write only what everybody may. */
  private Result gleaner(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    if (run("id", "-u").lines().equals(List.of("0"))) {
      command.addAll(
          List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--"));
    }
    command.add(folder.resolve("gleaner").toString());
    command.addAll(List.of(arguments));
    return run(
        command, Map.of("JAVA_HOME", System.getProperty("java.home"), "HOME", "/nonexistent"));
  }

  @Test
  void runsWhereNothingCanBeWritten() throws Exception {
    addJars();
    makeReadOnly();
    Result result = gleaner("collectors", "--format", "csv");
    assertThat(result.lines()).first().asString().startsWith("collector,version,");
    assertThat(result.exit()).isZero();
  }

  @Test
  void saysThatItCannotBuildWhereNothingCanBeWritten() throws Exception {
    makeReadOnly();
    expectNoBuild(folder.resolve("target"));
  }

  @Test
  void saysThatItCannotBuildAnewWhereNothingCanBeWritten() throws Exception {
    addJars();
    run("touch", "-d", "tomorrow", folder.resolve("pom.xml").toString());
    makeReadOnly();
    expectNoBuild(folder.resolve("target"));
  }

  private void expectNoBuild(Path unwritable) throws Exception {
    Result result = gleaner("collectors");
    assertThat(result.lines())
        .containsExactly(
            "gleaner: the jars are missing or older than the sources, and "
                + unwritable
                + " cannot be written to build them.");
    assertThat(result.exit()).isEqualTo(2);
  }

  @Test
  void saysThatMavenIsMissing() throws Exception {
    Result result =
        run(
            List.of("bash", folder.resolve("gleaner").toString(), "collectors"),
            Map.of("JAVA_HOME", System.getProperty("java.home"), "PATH", pathOfShell()));
    assertThat(result.lines()).singleElement().asString().contains("there is no mvn on the PATH");
    assertThat(result.exit()).isEqualTo(2);
  }

  /** What the build that runs this test has fetched is all that it takes. */
  @Test
  @Tag("exhaustive")
  void buildsWithoutANetworkOnceItHasBuilt() throws Exception {
    assumeTrue(Files.exists(ROOT.resolve("lab/target/gleaner-lab.jar")), "nothing is fetched yet");
    assumeTrue(run("sh", "-c", "command -v mvn").exit() == 0, "a Maven of an IDE");
    run("cp", "-r", ROOT.resolve(".mvn").toString(), folder.toString());
    Files.writeString(
        folder.resolve(".mvn/maven.config"), "\n--offline\n", StandardOpenOption.APPEND);
    for (Path pom : poms()) {
      Path to = Files.createDirectories(folder.resolve(ROOT.relativize(pom)).getParent());
      run("cp", pom.toString(), to.toString());
      for (String sources : List.of("src/main", "src/jmh")) {
        Path from = pom.resolveSibling(sources);
        if (Files.exists(from)) {
          Files.createDirectories(to.resolve("src"));
          run("cp", "-r", from.toString(), to.resolve("src").toString());
        }
      }
    }
    Result result =
        run(
            List.of(folder.resolve("gleaner").toString(), "collectors", "--format", "csv"),
            Map.of("JAVA_HOME", System.getProperty("java.home")));
    assertThat(result.lines()).first().isEqualTo("gleaner: building (first run)…");
    assertThat(result.lines()).element(1).asString().startsWith("collector,version,");
    assertThat(result.exit()).isZero();
  }

  private static List<Path> poms() throws IOException {
    try (Stream<Path> folders = Files.list(ROOT)) {
      return Stream.concat(Stream.of(ROOT), folders)
          .map(f -> f.resolve("pom.xml"))
          .filter(Files::exists)
          .toList();
    }
  }

  /** In a view of the files in which the folders of JDKs are empty. */
  @Test
  void saysThatJavaIsMissing() throws Exception {
    List<String> hidden = new ArrayList<>(List.of("unshare", "--map-root-user", "--mount", "sh"));
    assumeTrue(
        run("unshare", "--map-root-user", "--mount", "true").exit() == 0, "no view of its own");
    hidden.addAll(
        List.of(
            "-c",
            """
            for folder in /usr/lib/jvm /usr/lib64/jvm /usr/java /usr/local /opt /home/linuxbrew; do
              if [ -d $folder ]; then mount -t tmpfs none $folder || exit 9; fi
            done
            exec bash "$0" collectors\
            """,
            folder.resolve("gleaner").toString()));
    Result result = run(hidden, Map.of("HOME", "/nonexistent", "PATH", pathOfShell()));
    assertThat(result.lines())
        .containsExactly(
            "gleaner: JDK 25 or newer is needed, and there is none in JAVA_HOME, in the usual"
                + " install folders, nor on the PATH.");
    assertThat(result.exit()).isEqualTo(2);
  }

  /** A folder with what the launcher calls, and neither java nor mvn. */
  private String pathOfShell() throws Exception {
    Path bin = Files.createDirectories(folder.resolve("bin"));
    for (String tool : TOOLS) {
      for (String place : List.of("/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/")) {
        if (Files.exists(Path.of(place + tool))) {
          Files.writeString(
              bin.resolve(tool), "#!/bin/sh\nexec %s \"$@\"\n".formatted(place + tool));
        }
      }
    }
    run("chmod", "-R", "a+x", bin.toString());
    return bin.toString();
  }
}
