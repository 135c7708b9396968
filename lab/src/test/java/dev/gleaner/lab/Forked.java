package dev.gleaner.lab;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The program in a JVM of its own. */
final class Forked implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 120;

  final Process process;
  private final File err;

  private Forked(Process process, File err) {
    this.process = process;
    this.err = err;
  }

  /** Returns the command that runs a main class. */
  static List<String> command(List<String> flags, Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /** Starts it in a folder, with nothing on its standard input. */
  static Forked start(Path folder, ProcessBuilder.Redirect out, List<String> command)
      throws IOException {
    File err = File.createTempFile("forked", ".err");
    return new Forked(
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(new File("/dev/null"))
            .redirectOutput(out)
            .redirectError(err)
            .start(),
        err);
  }

  /** Sends a signal, such as INT. */
  void signal(String name) throws Exception {
    signal(name, process);
  }

  /**
   * Sends a signal to a process that this one has started. Skips the test if that cannot hear it:
   * who was started with a signal ignored, as a job in the background is with SIGINT, hands that
   * down, and a JVM leaves it so.
   */
  static void signal(String name, Process process) throws Exception {
    assumeTrue(
        name.equals("KILL") || isHeard(name),
        () -> "this JVM was started with SIG" + name + " ignored, and so are those that it starts");
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    if (kill.waitFor() != 0) {
      throw new AssertionError("ended before");
    }
  }

  /** A shell cannot trap what was ignored when it was started. */
  private static boolean isHeard(String name) throws Exception {
    String test = "trap 'exit 3' " + name + "; kill -" + name + " $$; exit 0";
    return new ProcessBuilder("sh", "-c", test).start().waitFor() == 3;
  }

  /** Returns the status once it has ended, which it must by itself. */
  int status() throws InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("goes on");
    }
    return process.exitValue();
  }

  /** Returns what it wrote to its standard error. */
  List<String> err() throws IOException {
    return Files.readAllLines(err.toPath());
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.delete(err.toPath());
  }
}
