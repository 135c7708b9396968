package dev.gleaner.lab.report;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A browser without a window, driven by its command line alone. */
record Chromium(Path program) {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");

  /** What became of a page: its document after the scripts ran, and what it told the console. */
  record Page(String dom, List<String> console) {}

  /** Returns the one on the PATH, null if there is none. */
  static @Nullable Chromium installed() {
    String path = System.getenv().getOrDefault("PATH", "");
    for (String folder : path.split(Pattern.quote(File.pathSeparator), -1)) {
      for (String name : NAMES) {
        Path program = Path.of(folder, name);
        if (Files.isExecutable(program)) {
          return new Chromium(program);
        }
      }
    }
    return null;
  }

  /** Opens a file in a window that is 1280 wide. */
  Page open(Path file, String... options) throws IOException, InterruptedException {
    Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
    Path out = folder.resolve("dom.html");
    Path err = folder.resolve("stderr.txt");
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(List.of("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"));
    command.addAll(List.of("--disable-dev-shm-usage", "--enable-logging=stderr", "--v=0"));
    command.add("--user-data-dir=" + folder.resolve("profile"));
    command.addAll(List.of("--window-size=1280,2000", "--virtual-time-budget=2000"));
    command.addAll(List.of(options));
    command.addAll(List.of("--dump-dom", file.toUri().toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    if (!process.waitFor(5, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new IOException("the browser does not end");
    }
    List<String> console =
        Files.readString(err).lines().filter(line -> line.contains(":CONSOLE")).toList();
    return new Page(Files.readString(out), console);
  }
}
