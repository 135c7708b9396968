package dev.gleaner.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code gleaner serve --port 0} in a JVM of its own. */
final class Serving implements AutoCloseable {
  final Process process;
  final BufferedReader out;
  final String url;

  Serving(String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "serve",
                "--port",
                "0"));
    command.addAll(List.of(arguments));
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    out = process.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    if (line == null || line.length() > 80 || !line.contains(" at http://")) {
      process.destroyForcibly();
      throw new AssertionError(line + "\n" + out.readAllAsString());
    }
    url = line.substring(line.indexOf("http://"), line.indexOf(", Prometheus"));
  }

  /** Returns the status when it has ended, which it must by itself. */
  int status() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("goes on");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
