package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./gleaner test} on two small modules: what it compiles, what it runs, what it says. */
class TestCommandTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path SHARED = Path.of("src/test/java/dev/gleaner/testing");

  @TempDir private static Path compiled;

  @TempDir private Path root;

  /** The launcher has Java compile the source at each call. */
  @BeforeAll
  static void compile() {
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-d",
                compiled.toString(),
                ROOT.resolve(".ci/Test.java").toString());
    assertThat(status).isZero();
  }

  @BeforeEach
  void makeModules() throws IOException {
    for (String file : List.of("Runner.java", "Tier.java", "OneCollector.java")) {
      write(
          "api/" + SHARED + "/" + file,
          Files.readString(ROOT.resolve("api").resolve(SHARED).resolve(file)));
    }
    String services =
        "src/test/resources/META-INF/services/org.junit.jupiter.api.extension.Extension";
    write("api/" + services, Files.readString(ROOT.resolve("api").resolve(services)));
    write(
        "api/src/main/java/p/Base.java",
        "package p; public class Base { public static final int N = 1; public int f() { return 1; }"
            + " }");
    write("api/src/main/java/p/Sub.java", "package p; public class Sub extends Base {}");
    write("api/src/test/java/p/BaseTest.java", "package p; class BaseTest {}");
    write("collector-one/pom.xml", "");
    write("collector-two/pom.xml", "");
    write(
        "user/src/main/java/u/User.java",
        "package u; public class User { public static long f(p.Sub s) { return s.f() + p.Base.N; }"
            + " }");
    write(
        "user/src/test/java/u/UserTest.java",
        """
        package u;
        import static org.junit.jupiter.api.Assertions.assertEquals;
        import org.junit.jupiter.api.*;
        import org.junit.jupiter.params.*;
        import org.junit.jupiter.params.provider.*;
        class UserTest {
          @Test void two() { assertEquals(2, User.f(new p.Sub())); }
          @ParameterizedTest @ValueSource(strings = {"one", "two"}) void each(String collector) {}
          @Test @Tag("exhaustive") void seven() { assertEquals("7", System.getProperty("gleaner.seed")); }
        }
        """);
    write("user/src/test/java/u/BaseTest.java", "package u; class BaseTest {}");
    write(
        "user/src/test/java/u/IdleTest.java",
        """
        package u;
        import static org.junit.jupiter.api.Assumptions.assumeTrue;
        import java.util.stream.Stream;
        import org.junit.jupiter.api.*;
        class IdleTest {
          @Nested class Failing {
            @BeforeAll static void fail() { throw new IllegalStateException("not ready"); }
            @Test void a() {}
          }
          @Nested class Unwilling {
            @BeforeAll static void stop() { assumeTrue(false, "no shell"); }
            @Test void b() {}
            @Test void c() {}
          }
          @Test void willing() { assumeTrue(false, "no browser"); }
          @Test @Disabled("too old") void disabled() {}
          @TestFactory Stream<DynamicTest> none() { return Stream.empty(); }
          @Nested class Good { @Test void d() {} }
        }
        """);
    write("pom.xml", "");
    String libraries =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(e -> e.matches(".*/(junit-|opentest4j|apiguardian|jspecify)[^/]*\\.jar"))
            .collect(Collectors.joining(File.pathSeparator));
    for (String module : List.of("api", "user")) {
      write(module + "/pom.xml", "");
      write(
          "target/test-command/" + module + "/class-path",
          module.equals("api")
              ? libraries
              : root.toRealPath().resolve("api/target/classes") + File.pathSeparator + libraries);
    }
  }

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private void replace(String file, String from, String to) throws IOException {
    String text = Files.readString(root.resolve(file));
    assertThat(text).contains(from);
    write(file, text.replace(from, to));
  }

  private String test(int status, String... arguments) throws Exception {
    List<String> options = new ArrayList<>(List.of("-cp", compiled.toString(), "Test"));
    options.add(root.toRealPath().toString());
    options.add("");
    options.addAll(List.of(arguments));
    ForkedJvm.Result result = ForkedJvm.run(options);
    String all = String.join("\n", result.err()) + "\n" + String.join("\n", result.out());
    assertThat(result.exit()).as(all).isEqualTo(status);
    return all.replaceAll("in [\\d.]+ s", "in N s").strip();
  }

  @Test
  void aWrongRequestSaysWhatWouldBeRight() throws Exception {
    assertThat(test(2, "UsrTest"))
        .isEqualTo(
            "gleaner test: there is no class of tests 'UsrTest'; the nearest name is UserTest");
    assertThat(test(2)).isEqualTo("gleaner test: which test? For example: gleaner test BudgetTest");
    assertThat(test(2, "BaseTest"))
        .isEqualTo("gleaner test: several classes have the name BaseTest: p.BaseTest, u.BaseTest");
    assertThat(test(2, "p.BaseTest", "UserTest"))
        .isEqualTo(
            "gleaner test: p.BaseTest is in api and UserTest in user; one run takes tests of one"
                + " module");
    assertThat(test(2, "UserTest", "--collector", "thre"))
        .isEqualTo("gleaner test: there is no collector 'thre'; those there are: one, poison, two");
    assertThat(test(2, "UserTest", "--seed=x"))
        .isEqualTo("gleaner test: --seed is an integer, not 'x'");
  }

  @Test
  @Tag("exhaustive")
  void runsWhatIsAskedFor() throws Exception {
    assertThat(test(0, "UserTest")).endsWith("3 passed, 0 failed, 0 skipped, in N s");
    assertThat(test(0, "u.UserTest#two")).isEqualTo("1 passed, 0 failed, 0 skipped, in N s");
    assertThat(test(0, "UserTest", "--collector=two"))
        .isEqualTo("2 passed, 0 failed, 1 skipped, in N s");
    assertThat(test(0, "UserTest", "--exhaustive", "--seed", "7"))
        .isEqualTo("1 passed, 0 failed, 0 skipped, in N s");
    assertThat(test(2, "UserTest#seven"))
        .isEqualTo("gleaner test: all such tests are in the exhaustive tier: add --exhaustive");
    assertThat(test(2, "UserTest#none"))
        .isEqualTo("gleaner test: UserTest has no method 'none'; it has each, seven, two");
  }

  @Test
  @Tag("exhaustive")
  void whatDidNotRunIsNoSuccess() throws Exception {
    assertThat(test(1, "IdleTest"))
        .contains(
            "FAILED IdleTest > Failing\n  java.lang.IllegalStateException: not ready",
            "SKIPPED IdleTest > Unwilling: Assumption failed: no shell")
        .doesNotContain("disabled")
        .endsWith("1 passed, 1 failed, 4 skipped, in N s");
    Map<String, String> nothing =
        Map.of(
            "willing", "SKIPPED IdleTest > willing(): Assumption failed: no browser\n",
            "disabled", "SKIPPED IdleTest > disabled(): too old\n",
            "none", "",
            "b", "SKIPPED IdleTest > Unwilling: Assumption failed: no shell\n");
    for (Map.Entry<String, String> one : nothing.entrySet()) {
      assertThat(test(1, "IdleTest#" + one.getKey()))
          .contains(one.getValue() + "0 passed, 0 failed, ")
          .endsWith("gleaner test: no test ran");
    }
  }

  @Test
  @Tag("exhaustive")
  void aProgramThatIsDeletedIsGone() throws Exception {
    Path program = root.resolve("lua/src/test/resources/programs/fib.lua");
    write("lua/src/test/resources/programs/fib.lua", "return 1");
    write("lua/pom.xml", "");
    write("lab/pom.xml", "");
    write(
        "target/test-command/lab/class-path",
        Files.readString(root.resolve("target/test-command/user/class-path")));
    write(
        "lab/src/test/java/l/ProgramsTest.java",
        """
        package l;
        import static org.junit.jupiter.api.Assertions.assertNotNull;
        import org.junit.jupiter.api.*;
        class ProgramsTest {
          @Test void isThere() {
            assertNotNull(getClass().getResource("/dev/gleaner/lab/script/programs/fib.lua"));
          }
        }
        """);
    assertThat(test(0, "ProgramsTest")).endsWith("1 passed, 0 failed, 0 skipped, in N s");
    Files.delete(program);
    assertThat(test(1, "ProgramsTest")).endsWith("0 passed, 1 failed, 0 skipped, in N s");
  }

  @Test
  @Tag("exhaustive")
  void compilesWhatNoticesAChange() throws Exception {
    assertThat(test(0, "UserTest#two"))
        .startsWith(
            """
            gleaner test: compiling api (2 files)…
            gleaner test: compiling user (1 file)…
            gleaner test: compiling api's tests (3 files)…
            gleaner test: compiling user's tests (3 files)…
            """);
    // Code alone: nobody notices.
    replace("api/src/main/java/p/Base.java", "return 1", "return 0 + 1");
    assertThat(test(0, "UserTest#two"))
        .isEqualTo("gleaner test: compiling api (1 file)…\n1 passed, 0 failed, 0 skipped, in N s");
    // A constant is in the code of who uses it.
    replace("api/src/main/java/p/Base.java", "N = 1", "N = 2");
    assertThat(test(1, "UserTest#two"))
        .contains("FAILED UserTest > two()", "expected: <2> but was: <3>");
    // The user calls what another class inherits.
    replace("api/src/main/java/p/Base.java", "int f() { return 0 + 1", "long f() { return 0");
    assertThat(test(0, "UserTest#two"))
        .contains("compiling api (1 file)", "compiling user (1 file)");
    replace("api/src/main/java/p/Base.java", "long f()", "long g()");
    assertThat(test(1, "UserTest#two"))
        .contains("cannot find symbol")
        .endsWith("gleaner test: user does not compile");
    replace("api/src/main/java/p/Base.java", "long g()", "long f()");
    assertThat(test(0, "UserTest#two")).endsWith("1 passed, 0 failed, 0 skipped, in N s");
    Files.delete(root.resolve("api/src/main/java/p/Sub.java"));
    assertThat(test(1, "UserTest#two")).endsWith("gleaner test: user does not compile");
  }
}
