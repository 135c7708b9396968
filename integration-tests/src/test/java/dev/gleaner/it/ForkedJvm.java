package dev.gleaner.it;

import static org.assertj.core.api.Assertions.fail;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A main class in a JVM of its own, with this one's class path. */
final class ForkedJvm {
  static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

  /** What environment variables could add to the flags, and to what is printed. */
  private static final List<String> FLAG_VARIABLES =
      List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS");

  /** These JVMs run for seconds. */
  private static final List<String> FAST = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** Many times what any of them takes: a build that hangs must say where. */
  private static final long LONGEST_MINUTES = 20;

  /** What became of it. */
  record Result(int exit, List<String> out, List<String> err) {}

  private ForkedJvm() {}

  static Result run(List<String> flags, Class<?> main, String... arguments) throws Exception {
    return run(flags, System.getProperty("java.class.path"), main.getName(), arguments);
  }

  static Result run(List<String> flags, String classPath, String main, String... arguments)
      throws IOException, InterruptedException {
    List<String> options = new ArrayList<>(flags);
    options.addAll(List.of("-cp", classPath, main));
    options.addAll(List.of(arguments));
    return run(options);
  }

  /** Runs Java with these options, which say what is run. */
  static Result run(List<String> options) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FAST);
    command.addAll(options);
    File out = File.createTempFile("forked", ".out");
    File err = File.createTempFile("forked", ".err");
    try {
      ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out).redirectError(err);
      builder.environment().keySet().removeAll(FLAG_VARIABLES);
      Process process = builder.start();
      if (!process.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        fail("still running after %d minutes: %s", LONGEST_MINUTES, command);
      }
      return new Result(
          process.exitValue(), Files.readAllLines(out.toPath()), Files.readAllLines(err.toPath()));
    } finally {
      Files.delete(out.toPath());
      Files.delete(err.toPath());
    }
  }
}
