package dev.gleaner.lab;

import dev.gleaner.lab.measure.Message;
import dev.gleaner.lab.measure.RunResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
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
 * {@link JvmFlags}. It waits between its runs, so several can take turns.
 *
 * <p>A worker that crashes, or prints what is not a message, loses no run that it reported; the
 * runs that it owed are one failed run. What it wrote to its standard error is kept, the last 64
 * KiB of it. Closing it, or ending this JVM, ends the worker.
 */
final class WorkerProcess implements AutoCloseable {
  private static final int KEPT_ERRORS = 64 << 10;

  private final int runs;
  private final int warmup;
  private final Path errors;
  private final Process process;
  private final BufferedReader lines;
  private final Thread killer;
  private final List<RunResult> results = new ArrayList<>();
  private final StringBuilder noise = new StringBuilder();
  private int asked;
  private boolean ended;

  /**
   * Starts the worker.
   *
   * @param flags the options of the JVM
   */
  WorkerProcess(WorkerRequest request, List<String> flags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Worker.class.getName());
    command.addAll(request.toArguments());
    this.runs = request.runs();
    this.warmup = request.warmup();
    try {
      this.errors = Files.createTempFile("gleaner-worker", ".err");
      errors.toFile().deleteOnExit();
      this.process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start a worker", e);
    }
    this.lines = process.inputReader(StandardCharsets.UTF_8);
    this.killer = new Thread(process::destroyForcibly, "end-worker");
    Runtime.getRuntime().addShutdownHook(killer);
  }

  /**
   * Lets the worker do its next run, and waits for it.
   *
   * @param progress told how much of the run is done, from 0 to 1
   * @return false if the worker is over
   */
  boolean go(DoubleConsumer progress) {
    allowRun();
    return read(progress);
  }

  private boolean read(DoubleConsumer progress) {
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Message message = message(line);
        if (message instanceof Message.Progress p) {
          progress.accept(p.fraction());
        } else if (message instanceof Message.Ran r) {
          if (r.number() > 0 || !r.result().ok()) {
            results.add(r.result());
          }
          return true;
        } else if (message instanceof Message.End) {
          ended = true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One that ended already says so by the end of its output. */
  private void allowRun() {
    asked++;
    tell('\n');
  }

  private void tell(int turn) {
    try {
      OutputStream turns = process.getOutputStream();
      turns.write(turn);
      turns.flush();
    } catch (IOException e) {
      // the worker is over
    }
  }

  /** Returns the results until now. */
  List<RunResult> results() {
    return List.copyOf(results);
  }

  /** Waits for the worker's end, and tells what it left. Call it once, after the last run. */
  Outcome end() {
    try {
      tell(Worker.NO_MORE);
      while (read(done -> {})) {
        // a run that was asked for
      }
      int exit = process.waitFor();
      if (!ended) {
        results.add(RunResult.lost(exit));
      } else if (results.size() < Math.min(runs, asked - warmup)
          && results.stream().allMatch(RunResult::ok)) {
        results.add(RunResult.failed("the worker reported no more runs"));
      }
      return new Outcome(List.copyOf(results), noise + tail(errors));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      Runtime.getRuntime().removeShutdownHook(killer);
    } catch (IllegalStateException e) {
      waitForTheEnd();
    }
    try {
      Files.deleteIfExists(errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What a worker left.
   *
   * @param runs a result for each run that was reported, and one for those that were not
   * @param errors what it wrote beside its messages; empty if all is well
   */
  record Outcome(List<RunResult> runs, String errors) {}

  /** This JVM is ending, and its worker has: what is missing is nobody's result. */
  private static void waitForTheEnd() {
    while (true) {
      LockSupport.park(WorkerProcess.class);
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
