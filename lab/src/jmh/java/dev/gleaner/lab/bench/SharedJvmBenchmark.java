package dev.gleaner.lab.bench;

import static java.util.Objects.requireNonNull;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lab.workload.JvmBaseline;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.Run;
import dev.gleaner.lab.workload.UnmeasuredRun;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.lab.workload.Workloads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a workload costs in a JVM where it also runs under all other collectors, against a JVM of
 * its own: code that all share is compiled for all of them.
 *
 * <p>With {@code jvm=shared} the others run in turn, before the one is measured and before each
 * iteration, outside of the time that is taken.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 4, time = 1)
public class SharedJvmBenchmark {
  private static final long SHARED_WARMUP = TimeUnit.SECONDS.toNanos(6);

  /** The workload under the collector that is measured, and perhaps under the others. */
  @State(Scope.Thread)
  public static class Programs {
    /** The collector that is measured. */
    @Param({"framestack", "hybrid", "marksweep", "refcount", "semispace"})
    public String collector;

    /** Whether the others are at work in this JVM, too. */
    @Param({"alone", "shared"})
    public String jvm;

    /** The workload, and the size that takes some ten milliseconds. */
    @Param({
      "interpreter:n=200000",
      "binary-trees:depth=11",
      "cycles:n=200000",
      "properties:n=20000",
      "strings:n=100000",
      "stores:n=2000000"
    })
    public String workload;

    private Program measured;
    private final List<Program> others = new ArrayList<>();

    /** Has the others do their work until it is compiled. */
    @Setup(Level.Trial)
    public void open() {
      measured = new Program(workload, collector);
      if (jvm.equals("shared")) {
        for (String name : CollectorRegistry.discover(List.of()).names()) {
          if (!name.equals(collector)) {
            others.add(new Program(workload, name));
          }
        }
        long end = System.nanoTime() + SHARED_WARMUP;
        while (System.nanoTime() < end) {
          runOthers();
        }
      }
    }

    /** Has the others work; not measured. */
    @Setup(Level.Iteration)
    public void runOthers() {
      for (Program other : others) {
        other.run();
      }
    }
  }

  /** Opens a heap, runs the workload in it and closes it. */
  @Benchmark
  public long program(Programs programs) {
    return programs.measured.run();
  }

  /** A workload of a size under a collector. */
  private static final class Program {
    private final Workload workload;
    private final Parameters parameters;
    private final HeapFactory factory;

    Program(String sized, String collector) {
      String[] parts = sized.split("[:=]", 3);
      workload =
          switch (parts[0]) {
            case "interpreter" -> new Interpreter();
            case "stores" -> new Stores();
            default -> requireNonNull(Workloads.find(parts[0]));
          };
      parameters = Parameters.of(workload, Map.of(parts[1], parts[2]));
      Config config = ConfigFactory.parseMap(Map.of("gleaner.collector", collector));
      factory = Gleaner.factory(config.withFallback(ConfigFactory.load()));
    }

    long run() {
      try (UnmeasuredRun run = new UnmeasuredRun(factory, parameters)) {
        return workload.run(run);
      }
    }
  }

  /** A program of this benchmark alone; the parameter says how often its loop is run. */
  private abstract static class Own implements Workload {
    @Override
    public String summary() {
      return name();
    }

    @Override
    public Map<String, String> defaults() {
      return Map.of("n", "1");
    }

    @Override
    public @Nullable JvmBaseline baseline() {
      return null;
    }

    @Override
    public long run(Run run) {
      return run(run.openHeap().mutator(), run.parameters().integer("n"));
    }

    abstract long run(Mutator t, int n);
  }

  /** What a heap is for: a guest's program, interpreted, with a call among the instructions. */
  private static final class Interpreter extends Own {
    private static final int ENTER = 0;
    private static final int LEAVE = 1;
    private static final int NEW = 2;
    private static final int STORE = 3;
    private static final int LOAD = 4;
    private static final int STORE_INT = 5;
    private static final int LOAD_INT = 6;
    private static final int COPY = 7;
    private static final int LOOP = 8;

    private static final int[] PROGRAM = {
      NEW, 0, 2, 0,
      NEW, 1, 2, 0,
      STORE_INT, 0, 1, 7,
      STORE_INT, 1, 1, 8,
      STORE, 0, 0, 1,
      LOAD, 2, 0, 0,
      LOAD_INT, 2, 1, 0,
      COPY, 3, 2, 0,
      ENTER, 4, 0, 1,
      LOAD, 1, 0, 0,
      STORE, 0, 1, 1,
      LEAVE, 1, 3, 0,
      LOOP, 0, 0, 0
    };

    @Override
    public String name() {
      return "interpreter";
    }

    @Override
    long run(Mutator t, int n) {
      t.enter(8);
      long sum = interpret(t, PROGRAM, n);
      t.leave();
      return sum;
    }

    private static long interpret(Mutator t, int[] program, int n) {
      int left = n;
      long sum = 0;
      for (int pc = 0; ; pc += 4) {
        int a = program[pc + 1];
        int b = program[pc + 2];
        int c = program[pc + 3];
        switch (program[pc]) {
          case ENTER -> t.enter(a, b, c);
          case LEAVE -> t.leave(a, b);
          case NEW -> t.newRecord(a, b);
          case STORE -> t.store(a, b, c);
          case LOAD -> t.load(a, b, c);
          case STORE_INT -> t.storeInt(a, b, c);
          case LOAD_INT -> sum += t.loadInt(a, b);
          case COPY -> t.copy(a, b);
          case LOOP -> {
            if (--left == 0) {
              return sum;
            }
            pc = -4;
          }
          default -> throw new IllegalStateException();
        }
      }
    }
  }

  /** Stores and loads around the slots of a record, and nothing else: the worst case. */
  private static final class Stores extends Own {
    @Override
    public String name() {
      return "stores";
    }

    @Override
    long run(Mutator t, int n) {
      t.enter(2);
      t.newRecord(0, 16);
      t.newRecord(1, 2);
      for (int i = 0; i < 16; i++) {
        t.store(0, i, 1);
      }
      for (int i = 0; i < n; i++) {
        t.store(0, i & 15, 1);
        t.load(1, 0, (i + 1) & 15);
      }
      t.leave();
      return n;
    }
  }
}
