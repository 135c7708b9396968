package dev.gleaner.lab;

import com.typesafe.config.Config;
import dev.gleaner.lab.script.LuaJ;
import dev.gleaner.lab.script.LuaProgram;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.CheckedOutputStream;

/**
 * Runs a Lua program some times in this JVM, each time in a guest of its own; or in LuaJ's
 * interpreter.
 *
 * <p>For each run it prints a line, {@code run NANOSECONDS CHECKSUM}; at the end {@code end}, or
 * {@code failed WHY}. It ends when its input does, so that it does not outlive who started it. A
 * program that takes too long has fewer runs; one that hangs is ended.
 *
 * <p>Times are CPU times of the thread: what the JVM's compiler does beside it is not in them.
 * LuaJ's coroutines are threads that wait for each other, so there a program with coroutines has
 * the time that passed.
 */
final class BenchWorker {
  /** The interpreter that is no collector, in the place of a collector's name. */
  static final String LUAJ = "luaj";

  /** The parameter with the program's size. */
  static final String SIZE = "size";

  /** The parameter with LuaJ's jar. */
  static final String JAR = "jar";

  private static final long ENOUGH_NANOS = 60_000_000_000L;
  private static final long HANGS_MILLIS = 90_000;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private BenchWorker() {}

  /** Once: what it prints goes to a stream. */
  @FunctionalInterface
  private interface Runner {
    void run(OutputStream out) throws Exception;
  }

  /** Does what the arguments say; see {@link WorkerRequest}. */
  public static void main(String... arguments) throws IOException {
    PrintStream lines = System.out;
    System.setOut(System.err);
    daemon(BenchWorker::followInput);
    daemon(BenchWorker::watch);
    Installed.silenceDiscovery();
    WorkerRequest request = WorkerRequest.ofArguments(arguments);
    int size = Integer.parseInt(request.parameters().getOrDefault(SIZE, "1"));
    LuaProgram program = new LuaProgram(request.workload(), size);
    if (request.collector().equals(LUAJ)) {
      try (LuaJ luaj = new LuaJ(Path.of(request.parameters().getOrDefault(JAR, "")))) {
        boolean threads = program.name().equals("ring");
        measure(request.runs(), threads, out -> luaj.run(program, out), lines);
      }
    } else {
      measure(request.runs(), false, guest(request, program), lines);
    }
    System.exit(0); // LuaJ's coroutines would go on
  }

  @SuppressWarnings("ClosingStandardOutputStreams") // a guest leaves them open
  private static Runner guest(WorkerRequest request, LuaProgram program) {
    Settings settings = request.settings();
    List<ClassLoader> loaders = Installed.loaders(settings.pluginPath());
    Config config = settings.config(request.collector(), 0);
    Lua lua = Lua.of(config, loaders);
    byte[] source = program.source();
    String size = Integer.toString(program.size());
    return out -> {
      try (Guest guest = lua.openTrusted(InputStream.nullInputStream(), out, System.err)) {
        guest.setArguments(program.file(), size);
        guest.run(source, "@" + program.file(), size);
      }
    };
  }

  private static void measure(int runs, boolean threads, Runner runner, PrintStream lines) {
    String last = "end";
    long start = System.nanoTime();
    for (int i = 0; i < runs && (i == 0 || System.nanoTime() - start < ENOUGH_NANOS); i++) {
      CheckedOutputStream out =
          new CheckedOutputStream(OutputStream.nullOutputStream(), new CRC32());
      long before = now(threads);
      try {
        runner.run(out);
      } catch (InvocationTargetException e) {
        last = failed(Objects.requireNonNullElse(e.getCause(), e));
        break;
      } catch (Exception e) {
        last = failed(e);
        break;
      }
      long nanos = now(threads) - before;
      print(lines, "run " + nanos + " " + out.getChecksum().getValue());
    }
    print(lines, last);
  }

  private static long now(boolean threads) {
    return threads ? System.nanoTime() : THREADS.getCurrentThreadCpuTime();
  }

  private static String failed(Throwable why) {
    String message = why.getMessage() == null ? why.getClass().getName() : why.getMessage();
    return "failed " + message.lines().findFirst().orElse("");
  }

  private static void print(PrintStream lines, String line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    lines.write(bytes, 0, bytes.length);
    lines.flush();
  }

  private static void daemon(Runnable body) {
    Thread thread = new Thread(body, "gleaner-bench-watch");
    thread.setDaemon(true);
    thread.start();
  }

  private static void followInput() {
    try {
      while (System.in.read() >= 0) {
        // nothing is asked of it
      }
    } catch (IOException e) {
      // as good as its end
    }
    Runtime.getRuntime().halt(1);
  }

  private static void watch() {
    try {
      Thread.sleep(HANGS_MILLIS);
    } catch (InterruptedException e) {
      return;
    }
    Runtime.getRuntime().halt(1);
  }
}
