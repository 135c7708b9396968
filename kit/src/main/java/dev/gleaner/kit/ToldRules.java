package dev.gleaner.kit;

import com.typesafe.config.Config;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.LeakReport;
import dev.gleaner.heap.Mutator;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Code of the host that the heap calls to tell, to ask or to allocate: all ways in, but for
 * finalizers and on-free callbacks, which may use the heap ({@link CallbackRules}).
 *
 * <p>Each is called once at least, and tries to enter, leave, write, collect, release and close:
 * every try is refused, and the frame of the program is the same afterwards.
 */
record ToldRules(Config config, List<ClassLoader> loaders) {
  private static final int SLOTS = 4;
  private static final int MARK = 42;

  /** One that is likely to be larger than the limit, whatever that is. */
  private static final int LARGE = 1 << 23;

  Rule rule() {
    return PluginRules.rule("callbacks", "that are only told look, and change nothing", this::tell);
  }

  /** A heap with code of the host wherever the heap calls some. */
  private final class Program {
    private final Heap heap;
    private final Mutator t;

    /** The ways in by which the heap was called. */
    private final TreeSet<String> called = new TreeSet<>();

    private final List<String> wrong = new ArrayList<>();
    private boolean ready;

    Program() {
      heap =
          Gleaner.factory(config, loaders).open("told", defaults -> new Functions(this, defaults));
      t = heap.mutator();
      t.enter(SLOTS);
      t.setInt(0, MARK);
      heap.addListener(new Listener(this));
      ready = true;
    }

    /** What code does that is called in this way. */
    void call(String way) {
      if (!ready) {
        return;
      }
      called.add(way);
      Map<String, Runnable> tries = new LinkedHashMap<>();
      tries.put("enter", () -> t.enter(1));
      tries.put("leave", t::leave);
      tries.put("leave with a value", () -> t.leave(0, 0));
      tries.put("leaveTo", () -> t.leaveTo(0));
      tries.put("resizeFrame", () -> t.resizeFrame(1));
      tries.put("setInt", () -> t.setInt(0, 0));
      tries.put("newRecord", () -> t.newRecord(0, 1));
      tries.put("collect", heap::collect);
      tries.put("release", heap::release);
      tries.put("close", heap::close);
      for (Map.Entry<String, Runnable> e : tries.entrySet()) {
        try {
          e.getValue().run();
          wrong.add("expected that " + way + " cannot " + e.getKey());
        } catch (HeapUsageException _) {
          // as it is to be
        } catch (RuntimeException other) {
          wrong.add("expected that " + way + " is refused " + e.getKey() + ", found " + other);
        }
      }
    }

    void expectFrame(String after) {
      if (t.frameDepth() != 1 || t.frameSize() != SLOTS || t.getInt(0) != MARK) {
        wrong.add("expected the frame as it was after " + after);
      }
    }

    void run() throws IOException {
      Logger log = Logger.getLogger("dev.gleaner.heap");
      Handler handler = new Logging(this);
      log.addHandler(handler);
      try {
        look();
        fail();
        heap.close();
      } finally {
        log.removeHandler(handler);
      }
    }

    private void look() throws IOException {
      t.newFunction(1, 0, 0);
      t.setFunctionCode(1, 7);
      heap.inspect().setFunctionNames(code -> name());
      expectFrame("allocation functions");
      heap.collect();
      expectFrame("a collection");
      heap.inspect().forEachElement((_, _) -> call("a visitor"));
      expectFrame("a walk");
      heap.inspect().writeSnapshot(new Stream(this));
      expectFrame("a snapshot");
      List<String> _ = heap.inspect().pathToRoot(1);
      expectFrame("a search");
    }

    private @Nullable String name() {
      call("names of functions");
      return "f";
    }

    private void fail() {
      try {
        t.newBuffer(2, (long) LARGE << 20);
      } catch (HeapExhaustedException _) {
        expectFrame("a refusal");
      }
      t.newRecord(2, 1);
      t.setFinalizer(
          2,
          "fails",
          (_, _) -> {
            throw new IllegalStateException("thrown on purpose");
          });
      t.setUndefined(2);
      heap.collect();
      heap.collect();
      expectFrame("a finalizer that failed");
      t.newRecord(2, 1);
      t.setFinalizer(2, "refuses", new Refusing(this));
    }
  }

  private record Functions(Program program, AllocationFunctions defaults)
      implements AllocationFunctions {
    @Override
    public long alloc(long bytes) {
      program.call("alloc");
      return defaults.alloc(bytes);
    }

    @Override
    public long realloc(long block, long bytes) {
      program.call("realloc");
      return defaults.realloc(block, bytes);
    }

    @Override
    public void free(long block) {
      program.call("free");
      defaults.free(block);
    }
  }

  private record Listener(Program program) implements HeapListener {
    @Override
    public void collectionStarting() {
      program.call("collectionStarting");
    }

    @Override
    public void collectionFinished(CollectionEvent event) {
      program.call("collectionFinished");
      if (program.heap.statistics().collections() < 0
          || !program.heap.inspect().verify().isEmpty()) {
        program.wrong.add("expected that a listener looks at a whole heap");
      }
    }

    @Override
    public boolean mayCollectAgain() {
      program.call("mayCollectAgain");
      return true;
    }

    @Override
    public void finalizerFailed(Heap heap, String label, Throwable error) {
      program.call("finalizerFailed");
    }

    @Override
    public void exhausted(Heap heap, HeapExhaustedException refusal) {
      program.call("exhausted");
    }

    @Override
    public void leaked(Heap heap, LeakReport report) {
      program.call("leaked");
    }

    @Override
    public void heapClosed(Heap heap) {
      program.call("heapClosed");
    }
  }

  private static final class Stream extends OutputStream {
    private final Program program;

    Stream(Program program) {
      this.program = program;
    }

    @Override
    public void write(int b) {
      program.call("a stream");
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      program.call("a stream");
    }
  }

  private static final class Logging extends Handler {
    private final Program program;

    Logging(Program program) {
      this.program = program;
    }

    @Override
    public void publish(LogRecord line) {
      program.call("a handler of the log");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private record Refusing(Program program) implements Finalizer {
    @Override
    public void run(Mutator mutator, boolean closing) {}

    @Override
    public boolean refuses() {
      program.call("refuses");
      return true;
    }
  }

  private @Nullable String tell() {
    Program program = new Program();
    try {
      program.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (HeapException e) {
      return "expected no error, found " + e;
    }
    for (String way :
        List.of(
            "a stream",
            "a visitor",
            "alloc",
            "collectionFinished",
            "collectionStarting",
            "exhausted",
            "finalizerFailed",
            "free",
            "heapClosed",
            "mayCollectAgain",
            "names of functions",
            "refuses")) {
      if (!program.called.contains(way)) {
        program.wrong.add("expected a call of " + way);
      }
    }
    return program.wrong.isEmpty() ? null : program.wrong.getFirst();
  }
}
