package dev.gleaner.lab;

import dev.gleaner.lab.measure.Message;
import dev.gleaner.lab.measure.RunResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Worker} in a JVM of its own: the same Java and class path as this one, the options of
 * {@link JvmFlags}.
 *
 * <p>A worker that crashes, or prints what is not a message, loses no run that it reported; the
 * runs that it owed are one failed run. What it wrote to its standard error is kept, the last 64
 * KiB of it.
 */
final class WorkerProcess {
  private static final int KEPT_ERRORS = 64 << 10;

  private final List<String> command = new ArrayList<>();
  private final int runs;
  private final List<RunResult> results = new ArrayList<>();
  private final StringBuilder noise = new StringBuilder();
  private boolean ended;

  /**
   * Prepares the start.
   *
   * @param flags the options of the JVM
   */
  WorkerProcess(WorkerRequest request, List<String> flags) {
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Worker.class.getName());
    command.addAll(request.toArguments());
    this.runs = request.runs();
  }

  /**
   * Runs the worker to its end. Interrupting this thread, or ending this JVM, ends the worker.
   *
   * @param progress told how much is done, from 0 to 1
   */
  Outcome run(DoubleConsumer progress) {
    try {
      Path errors = Files.createTempFile("gleaner-worker", ".err");
      errors.toFile().deleteOnExit();
      try {
        Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        int exit = follow(process, progress);
        if (!ended) {
          results.add(RunResult.lost(exit));
        } else if (results.size() < runs && results.stream().allMatch(RunResult::ok)) {
          results.add(RunResult.failed("the worker reported no more runs"));
        }
        return new Outcome(List.copyOf(results), noise + tail(errors));
      } finally {
        Files.deleteIfExists(errors);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start a worker", e);
    }
  }

  /**
   * What a worker left.
   *
   * @param runs a result for each run that was reported, and one for those that were not
   * @param errors what it wrote beside its messages; empty if all is well
   */
  record Outcome(List<RunResult> runs, String errors) {}

  private int follow(Process process, DoubleConsumer progress) throws IOException {
    Thread killer = new Thread(process::destroyForcibly, "end-worker");
    Runtime.getRuntime().addShutdownHook(killer);
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        accept(message(line), progress);
      }
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroyForcibly();
      removeHook(killer);
    }
  }

  private static void removeHook(Thread killer) {
    try {
      Runtime.getRuntime().removeShutdownHook(killer);
    } catch (IllegalStateException e) {
      waitForTheEnd();
    }
  }

  /** This JVM is ending, and its worker has: what is missing is nobody's result. */
  private static void waitForTheEnd() {
    while (true) {
      LockSupport.park(WorkerProcess.class);
    }
  }

  private void accept(@Nullable Message message, DoubleConsumer progress) {
    switch (message) {
      case Message.Progress p -> progress.accept(p.fraction());
      case Message.Ran r when r.number() > 0 || !r.result().ok() -> results.add(r.result());
      case Message.End _ -> ended = true;
      case null, default -> {}
    }
  }

  private @Nullable Message message(String line) {
    try {
      Message message = Message.ofLine(line);
      if (message != null) {
        return message;
      }
    } catch (IllegalArgumentException e) {
      // printed as it is
    }
    noise.append(line).append('\n');
    return null;
  }

  private static String tail(Path errors) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(errors.toFile(), "r")) {
      long from = Math.max(0, file.length() - KEPT_ERRORS);
      file.seek(from);
      byte[] bytes = new byte[(int) (file.length() - from)];
      file.readFully(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
