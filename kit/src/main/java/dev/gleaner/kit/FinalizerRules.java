package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.spi.CollectionRequest.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What finalizers, on-free callbacks and listeners may do to an operation of the program, and to
 * each other: none keeps it going for ever, and none that throws takes another's turn.
 */
record FinalizerRules(Config config, List<ClassLoader> loaders) {
  private static final int MANY = 20;

  /** No operation that ends has as many calls. */
  private static final int FOR_EVER = 50_000;

  private static final int COLLECTIONS = 10;
  private static final long LIMIT = 64 << 10;

  FinalizerRules {
    config =
        ConfigFactory.parseString("gleaner { memory.max = 64KiB, strings.initial = 16 }")
            .withFallback(config);
  }

  List<Rule> all() {
    return List.of(
        rule("run once in an operation, whatever rescues them", p -> p.rescue(false)),
        rule("run once in an operation, if they are set again, too", p -> p.rescue(true)),
        rule("that they make wait for the next operation", Program::breed),
        rule("that they make at the limit cause one pass of collections", Program::breedAtLimit),
        rule("that found no memory find some in the next operation", Program::exhaust),
        rule("that wait keep their elements", Program::keep),
        rule("that allocate much collect as often as it takes", Program::allocateMuch),
        rule("all run, whatever they throw", Program::throwErrors),
        rule("all run, whatever they throw when the heap closes", Program::throwAtClose),
        rule("run whatever a listener throws", Program::throwToListeners),
        rule("and on-free callbacks run, whatever these throw", Program::throwFromCallbacks),
        rule("and on-free callbacks end, whatever these make", Program::breedNatives),
        rule("run after a visitor has thrown", Program::throwFromVisitor));
  }

  private Rule rule(String text, Function<Program, @Nullable String> check) {
    return PluginRules.rule("finalizers", text, () -> run(check));
  }

  private @Nullable String run(Function<Program, @Nullable String> check) {
    Heap heap = Gleaner.factory(config, loaders).open();
    Program program = new Program(heap);
    try {
      String wrong = check.apply(program);
      if (wrong == null && !heap.isClosed()) {
        wrong = PluginRules.damage(heap);
      }
      program.closes();
      return program.wrong == null ? wrong : program.wrong;
    } catch (Throwable e) { // what was thrown on purpose goes nowhere else
      program.ended = true;
      return "expected no error, found " + e;
    } finally {
      close(heap);
    }
  }

  private static void close(Heap heap) {
    try {
      heap.close();
    } catch (Throwable _) {
      // was told of
    }
  }

  /** What they throw, one after the other; a checked exception among it. */
  private static Throwable thrown(int i) {
    return switch (i % 5) {
      case 0 -> new IllegalStateException("thrown on purpose");
      case 1 -> new Error("thrown on purpose");
      case 2 -> new Exception("thrown on purpose");
      case 3 -> new OutOfMemoryError("thrown on purpose");
      default -> new StackOverflowError("thrown on purpose");
    };
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Throwable> X sneaky(Throwable e) throws X {
    throw (X) e;
  }

  private static void fail(int i) {
    Throwable e = thrown(i);
    e.setStackTrace(new StackTraceElement[0]); // it is logged
    throw FinalizerRules.<RuntimeException>sneaky(e);
  }

  /** A heap, and what was called on it in which operation. */
  private static final class Program implements HeapListener {
    final Heap heap;
    final Mutator t;
    @Nullable String wrong;
    boolean ended;
    private int operation;
    private int calls;
    private int callsInOperation;
    private int inside;
    private int collectionsInside;
    private int told;

    Program(Heap heap) {
      this.heap = heap;
      t = heap.mutator();
      t.enter(4);
      heap.addListener(this);
    }

    /** Refused requests of finalizers may collect ten times, if that frees little. */
    @Override
    public void collectionFinished(CollectionEvent event) {
      boolean refused = event.cause() == Cause.EXHAUSTED || event.cause() == Cause.EMERGENCY;
      if (inside > 0 && refused && operation > 0) {
        collectionsInside++;
        if (collectionsInside > COLLECTIONS) {
          note(collectionsInside + " collections for what finalizers allocate");
        }
      }
      if (event.collectionFinished() && event.reclaimedBytes() >= LIMIT / 8) {
        collectionsInside = 0;
      }
    }

    private void note(String what) {
      if (wrong == null) {
        wrong = "found " + what + ", in one operation";
      }
      ended = true;
    }

    /** One operation of the program. */
    private void run(Runnable what) {
      operation++;
      callsInOperation = 0;
      collectionsInside = 0;
      try {
        what.run();
      } catch (HeapExhaustedException _) {
        // as it may
      }
    }

    /** Closing is several operations. */
    void closes() {
      operation = -1;
      callsInOperation = 0;
      heap.close();
    }

    /** Sets a finalizer that notes a second call in an operation, and in the one it was set in. */
    private void set(Mutator mutator, int slot, Finalizer body) {
      int[] last = {inside > 0 ? operation : 0};
      mutator.setFinalizer(
          slot,
          "f",
          (x, closing) -> {
            calls++;
            if (operation > 0 && last[0] == operation) {
              note("a finalizer called twice, or made and called");
            }
            last[0] = operation;
            if (++callsInOperation > FOR_EVER) {
              note(callsInOperation + " calls");
            }
            inside++;
            try {
              if (!ended) {
                body.run(x, closing);
              }
            } finally {
              inside--;
            }
          });
    }

    private void lose(Finalizer body) {
      run(() -> t.newRecord(0, 1));
      run(() -> set(t, 0, body));
      run(() -> t.setUndefined(0));
    }

    private @Nullable String expect(String what, long expected, long found) {
      return expected == found || wrong != null
          ? null
          : "expected " + expected + " " + what + ", found " + found;
    }

    /** Elements that take each other's place in one global. */
    @Nullable String rescue(boolean again) {
      var global = heap.newGlobal();
      Finalizer[] rescues = new Finalizer[1];
      rescues[0] =
          (x, _) -> {
            if (again) {
              set(x, 0, rescues[0]);
            }
            x.setGlobal(global, 0);
          };
      for (int i = 0; i < 3; i++) {
        run(() -> t.newRecord(0, 1));
        run(() -> set(t, 0, rescues[0]));
        run(() -> t.setGlobal(global, 0));
      }
      for (int i = 0; i < 20; i++) {
        run(() -> t.setUndefined(0));
        run(heap::collect);
        run(() -> t.newBuffer(2, LIMIT)); // refused ten times
        run(() -> t.newRecord(0, 2));
      }
      return again || calls >= 3 ? null : "expected calls in later operations, found " + calls;
    }

    /** Each makes two more, which nothing refers to. */
    private void makes(Mutator x, int children) {
      for (int i = 0; i < children; i++) {
        x.newRecord(1, 1);
        set(x, 1, (y, _) -> makes(y, children));
      }
    }

    @Nullable String breed() {
      lose((x, _) -> makes(x, 1));
      for (int i = 0; i < 10; i++) {
        int before = calls;
        run(heap::collect);
        if (calls == before) {
          return "expected a call in the next operation, found none in operation " + i;
        }
      }
      return null;
    }

    @Nullable String breedAtLimit() {
      lose((x, _) -> makes(x, 40));
      for (int i = 0; i < 5; i++) {
        run(heap::collect);
        run(() -> t.newRecord(0, 100));
        run(() -> t.setUndefined(0));
      }
      return null;
    }

    /** One that keeps all it gets, and in a later operation one that drops it, in little room. */
    @Nullable String exhaust() {
      var global = heap.newGlobal();
      t.newBuffer(3, LIMIT / 16);
      t.newRecord(2, 1);
      set(t, 2, (x, _) -> allocate(x, 12, LIMIT / 64));
      lose((x, _) -> {
        while (true) {
          x.newRecord(2, 10);
          x.getGlobal(1, global);
          x.store(2, 0, 1);
          x.setGlobal(global, 2);
        }
      });
      run(heap::collect);
      run(() -> t.setUndefined(3));
      run(() -> t.setUndefined(2));
      run(heap::collect);
      run(heap::collect);
      String error = expect("finalizers that failed", 1, heap.statistics().finalizersFailed());
      return error == null ? expect("calls", 2, calls) : error;
    }

    /** What the first one makes is on the list when the second one collects. */
    @Nullable String keep() {
      var global = heap.newGlobal();
      t.newRecord(0, 1);
      set(t, 0, (_, _) -> PluginRules.collectThrice(heap));
      t.setGlobal(global, 0);
      t.setUndefined(0);
      lose((x, _) -> {
        x.newRecord(1, 1);
        set(x, 1, (_, _) -> {});
        x.setUndefined(1);
        heap.collect();
        x.setGlobal(global, 1);
        heap.collect();
      });
      run(heap::collect);
      run(heap::collect);
      return expect("calls", 3, calls);
    }

    private static void allocate(Mutator x, int buffers, long bytes) {
      for (int n = 0; n < buffers; n++) {
        x.newBuffer(1, bytes);
      }
    }

    /** A hundred times the limit, all garbage. */
    @Nullable String allocateMuch() {
      for (int i = 0; i < 10; i++) {
        lose((x, _) -> allocate(x, 40, LIMIT / 4));
      }
      for (int i = 0; i < 3; i++) {
        run(heap::collect);
      }
      return expect("finalizers that failed", 0, heap.statistics().finalizersFailed());
    }

    @Nullable String throwErrors() {
      for (int i = 0; i < MANY; i++) {
        int n = i;
        lose((x, _) -> {
          x.enter(3);
          fail(n);
        });
      }
      PluginRules.collectThrice(heap);
      String error = expect("finalizers that failed", calls, heap.statistics().finalizersFailed());
      return error == null ? expect("calls", MANY, calls) : error;
    }

    @Nullable String throwAtClose() {
      t.newRecord(1, MANY);
      for (int i = 0; i < MANY; i++) {
        int n = i;
        t.newRecord(0, 1);
        set(t, 0, (_, _) -> fail(n));
        t.store(1, i, 0);
      }
      t.newNative(2, "native", (_, _) -> told++);
      closes();
      String error = expect("calls", MANY, calls);
      return error == null ? expect("on-free callbacks", 1, told) : error;
    }

    @Nullable String throwToListeners() {
      for (int i = 0; i < 5; i++) {
        int n = i;
        heap.addListener(
            new HeapListener() {
              @Override
              public void collectionFinished(CollectionEvent event) {
                fail(n);
              }

              @Override
              public void heapClosed(Heap h) {
                fail(n);
              }
            });
      }
      heap.addListener(
          new HeapListener() {
            @Override
            public void collectionFinished(CollectionEvent event) {
              told++;
              heap.removeListener(this);
            }

            @Override
            public void heapClosed(Heap h) {
              told++;
            }
          });
      for (int i = 0; i < MANY; i++) {
        lose((_, _) -> {});
      }
      heap.collect();
      String error = expect("calls", MANY, calls);
      long failed = heap.statistics().callbacksFailed();
      if (error == null && failed == 0) {
        error = "expected listeners that failed, found none";
      }
      lose((_, _) -> {});
      closes();
      error = error == null ? expect("listeners that were told", 1, told) : error;
      return error == null ? expect("calls at the end", MANY + 1, calls) : error;
    }

    @Nullable String throwFromCallbacks() {
      List<Boolean> closing = new ArrayList<>();
      FreeCallback throwing =
          (v, c) -> {
            closing.add(c);
            fail((int) v);
          };
      t.newRecord(1, 20);
      for (int i = 0; i < 40; i++) {
        t.newNative(0, i, throwing);
        if (i < 20) {
          t.store(1, i, 0);
        }
      }
      t.setUndefined(0);
      PluginRules.collectThrice(heap);
      long failed = heap.statistics().callbacksFailed();
      String error = expect("on-free callbacks", 20, closing.size());
      error = error == null ? expect("that failed", 20, failed) : error;
      closes();
      error = error == null ? expect("on-free callbacks in all", 40, closing.size()) : error;
      return error == null
          ? expect("that failed in all", 40, heap.statistics().callbacksFailed())
          : error;
    }

    /** Each makes a native, which goes at once where elements are counted. */
    @Nullable String breedNatives() {
      FreeCallback[] makes = new FreeCallback[1];
      makes[0] =
          (_, _) -> {
            if (++told > FOR_EVER) {
              note(told + " on-free callbacks");
              return;
            }
            t.newNative(3, "next", makes[0]);
            t.setUndefined(3);
          };
      t.newNative(0, "first", makes[0]);
      for (int i = 0; i < 8; i++) {
        run(() -> t.setUndefined(0));
        run(() -> t.setUndefined(3));
        run(heap::collect);
      }
      closes();
      return told > 2 ? null : "expected calls in later operations, found " + told;
    }

    @Nullable String throwFromVisitor() {
      lose((_, _) -> {});
      try {
        heap.inspect().forEachElement((_, _) -> fail(0));
        return "expected what the visitor throws, found nothing";
      } catch (IllegalStateException _) {
        // went through
      }
      String damage = PluginRules.damage(heap);
      heap.collect();
      return damage == null ? expect("calls", 1, calls) : damage;
    }
  }
}
