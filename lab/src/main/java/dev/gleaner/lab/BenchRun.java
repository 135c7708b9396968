package dev.gleaner.lab;

import dev.gleaner.lab.measure.ProgramTimes;
import dev.gleaner.lab.script.LuaProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32;

/** Processes in which Lua programs are measured: a {@link BenchWorker}, or lua5.4. */
final class BenchRun {
  /** The name of the interpreter that others are compared with. */
  static final String LUA = "lua5.4";

  private static final String CLOCK = "\nio.stderr:write(('%.6f'):format(os.clock()))\n";

  private BenchRun() {}

  /** Returns whether lua5.4 can be started. */
  static boolean isLuaInstalled() {
    try {
      Process process = new ProcessBuilder(LUA, "-v").redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Runs a program by lua5.4, a process for each run, which tells its own CPU time. */
  static ProgramTimes byLua(LuaProgram program, int runs) {
    try {
      Path script = Files.createTempFile("gleaner-bench", ".lua");
      Path clock = Files.createTempFile("gleaner-bench", ".time");
      try {
        Files.write(script, measured(program));
        return byLua(program, runs, script, clock);
      } finally {
        Files.delete(script);
        Files.delete(clock);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static ProgramTimes byLua(LuaProgram program, int runs, Path script, Path clock)
      throws IOException, InterruptedException {
    List<Double> seconds = new ArrayList<>();
    CRC32 printed = new CRC32();
    for (int i = 0; i < runs; i++) {
      Process process =
          new ProcessBuilder(LUA, script.toString(), Integer.toString(program.size()))
              .redirectError(clock.toFile())
              .start();
      printed.reset();
      printed.update(process.getInputStream().readAllBytes());
      String told = Files.readString(clock);
      if (process.waitFor() != 0) {
        return ProgramTimes.failed(program.name(), LUA, told.lines().findFirst().orElse(""));
      }
      seconds.add(Double.valueOf(told));
    }
    return new ProgramTimes(program.name(), LUA, seconds, printed.getValue(), "");
  }

  /** A program that may return at any place, and then says what it took. */
  private static byte[] measured(LuaProgram program) {
    String source = new String(program.source(), StandardCharsets.UTF_8);
    return "(function(...) %s\nend)(...)%s"
        .formatted(source, CLOCK)
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Runs a program in a JVM of its own. */
  static ProgramTimes inJvm(WorkerRequest request, List<String> flags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), BenchWorker.class.getName()));
    command.addAll(request.toArguments());
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      Thread killer = new Thread(process::destroyForcibly, "end-worker");
      Runtime.getRuntime().addShutdownHook(killer);
      try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
        return read(request, lines);
      } finally {
        process.destroyForcibly();
        Runtime.getRuntime().removeShutdownHook(killer);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ProgramTimes read(WorkerRequest request, BufferedReader lines) throws IOException {
    List<Double> seconds = new ArrayList<>();
    long checksum = 0;
    String failure = "its JVM ended, or did not go on";
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ", 3);
      switch (words[0]) {
        case "run" -> {
          seconds.add(Long.parseLong(words[1]) / 1e9);
          checksum = Long.parseLong(words[2]);
        }
        case "end" -> failure = "";
        case "failed" -> failure = line.substring("failed ".length());
        default -> failure = line;
      }
    }
    if (seconds.isEmpty() && failure.isEmpty()) {
      failure = String.format(Locale.ROOT, "no run of %d ended", request.runs());
    }
    return new ProgramTimes(request.workload(), request.collector(), seconds, checksum, failure);
  }

  private static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("interrupted", e);
  }
}
