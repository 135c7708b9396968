package dev.gleaner.lab;

import com.typesafe.config.Config;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.measure.BaselineRun;
import dev.gleaner.lab.measure.GcLog;
import dev.gleaner.lab.measure.Message;
import dev.gleaner.lab.measure.MeteredRun;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.workload.JvmBaseline;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Workload;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.DoubleConsumer;

/**
 * Runs one workload under one collector, or on plain Java objects, some times over, in this JVM.
 *
 * <p>Reports {@link Message}s on the standard output. Whatever else is printed goes to the standard
 * error. Each byte of its standard input lets it do one more run, so that workers can take turns;
 * an {@code e} ends it. It ends when its input does, so that it does not outlive the front end.
 */
public final class Worker {
  /** Steps of progress of a run that are worth a line. */
  private static final int STEPS = 200;

  /** The byte that ends it before it did all runs that it may do. */
  static final int NO_MORE = 'e';

  private final WorkerRequest request;
  private final PrintStream messages;
  private final Semaphore turns = new Semaphore(0);
  private volatile boolean over;
  private int lastStep;

  private Worker(WorkerRequest request, PrintStream messages) {
    this.request = request;
    this.messages = messages;
  }

  /** Does what the arguments say; see {@link WorkerRequest}. */
  public static void main(String... arguments) {
    PrintStream messages = System.out;
    System.setOut(System.err);
    Worker worker = new Worker(WorkerRequest.ofArguments(arguments), messages);
    worker.followInput();
    Installed.silenceDiscovery();
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    try (LogLines _ = LogLines.open(err)) {
      worker.work();
    }
  }

  private void work() {
    Workload workload = Catalog.find(request.workload());
    Parameters parameters = Parameters.of(workload, request.parameters());
    Task task =
        request.collector().equals(WorkerRequest.JVM)
            ? baseline(workload, parameters)
            : metered(workload, parameters);
    int all = request.warmup() + request.runs();
    for (int i = 0; i < all; i++) {
      turns.acquireUninterruptibly();
      if (over) {
        break;
      }
      lastStep = 0;
      RunResult result = task.run(this::progress);
      send(new Message.Ran(Math.max(0, i + 1 - request.warmup()), result));
    }
    send(new Message.End());
  }

  /** One run. */
  @FunctionalInterface
  private interface Task {
    RunResult run(DoubleConsumer progress);
  }

  private Task metered(Workload workload, Parameters parameters) {
    Settings settings = request.settings();
    Config config = settings.config(request.collector(), workload, parameters);
    List<ClassLoader> loaders = Installed.loaders(settings.pluginPath());
    HeapFactory factory = Gleaner.factory(config, loaders);
    Workload ready = workload.under(config, loaders);
    return progress -> MeteredRun.execute(ready, factory, parameters, progress);
  }

  private Task baseline(Workload workload, Parameters parameters) {
    JvmBaseline baseline = Objects.requireNonNull(workload.baseline());
    GcLog log = new GcLog(Objects.requireNonNull(request.gcLog()));
    return progress -> BaselineRun.execute(baseline, log, parameters, progress);
  }

  private void progress(double fraction) {
    int step = (int) (fraction * STEPS);
    if (step > lastStep) {
      lastStep = step;
      send(new Message.Progress(fraction));
    }
  }

  private void send(Message message) {
    byte[] line = (message.toLine() + "\n").getBytes(StandardCharsets.UTF_8);
    messages.write(line, 0, line.length);
    messages.flush();
  }

  private void followInput() {
    Thread watcher =
        new Thread(
            () -> {
              try {
                for (int turn = System.in.read(); turn >= 0; turn = System.in.read()) {
                  over |= turn == NO_MORE;
                  turns.release();
                }
              } catch (IOException e) {
                // as good as its end
              }
              Runtime.getRuntime().halt(1);
            },
            "follow-input");
    watcher.setDaemon(true);
    watcher.start();
  }
}
