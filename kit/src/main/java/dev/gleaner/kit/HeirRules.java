package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.Capability;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finalizers that objects inherit from their prototypes (Duktape: the finalizer is a property, and
 * is looked up when the object dies).
 *
 * <p>Most rules make a few objects, drop them, and look at what was called. The last ones run a
 * random program twice: once objects inherit, once each gets the same finalizer for itself. Both
 * runs must call the same finalizers at the same times.
 */
record HeirRules(Config config, List<ClassLoader> loaders) {
  private static final int PROGRAMS = 4;
  private static final int STEPS = 300;
  private static final int SLOTS = 8;
  private static final int NAME = 0;
  private static final int SORT = 1;
  private static final int HELD = 2;
  private static final int INLINE = 3;
  private static final int MANY = 40;

  /** What an heir is charged with, in bytes. */
  private static final long CHARGE = 80;

  /** The sorts of objects of a random program. */
  private static final int PLAIN = 0;

  private static final int HEIR = 1;
  private static final int OWNER = 2;
  private static final int LENDER = 4;

  List<Rule> all() {
    return List.of(
        rule("comes from the nearest prototype of a chain", Program::chain),
        rule("is hidden by an object's own", Program::own),
        rule("is there for objects that exist already", Program::late),
        rule("comes with a prototype that others have already", Program::reparented),
        rule("is gone when it is removed before they die", Program::removed),
        rule("runs for all when the prototype dies with them", Program::together),
        rule("runs for all when the heap closes", Program::closed),
        rule("runs again as one of its own would", Program::rescued),
        rule("comes from a built-in, too", Program::builtin),
        rule("is for objects alone", Program::refused),
        rule("is all or nothing where memory is refused", Program::exhausted),
        rule("is charged to the limit for each that inherits it", Program::charged),
        rule("is refused where the limit leaves no room", Program::full),
        rule("comes again to its own heirs alone", Program::apart),
        programs("runs as one of its own would", ""),
        programs(
            "runs as one of its own would, under torture", "torture { gc = 3, finalizers = on }"),
        programs(
            "runs as one of its own would, in the order of setting",
            "finalizer-order = registration"),
        programs(
            "runs as one of its own would, in slices",
            "incremental { enabled = true, allocations-per-slice = 2, slice = 1us }, voluntary {"
                + " mult = 0, add = 20 }"));
  }

  private Rule rule(String text, Function<Program, @Nullable String> check) {
    return PluginRules.rule(
        "inherited finalizer",
        text,
        () -> {
          Heap heap = open("");
          try (heap) {
            if (!PluginRules.reclaims(heap)) {
              return null;
            }
            String wrong = check.apply(new Program(heap));
            return wrong != null || heap.isClosed() ? wrong : PluginRules.damage(heap);
          }
        });
  }

  private Heap open(String settings) {
    Config all =
        ConfigFactory.parseString(
                "gleaner { voluntary.enabled = false, verify = after-collection, "
                    + settings
                    + " }")
            .withFallback(config);
    return Gleaner.factory(all, loaders).open();
  }

  private Rule programs(String text, String settings) {
    return PluginRules.rule(
        "inherited finalizer",
        text,
        () -> {
          for (int seed = 0; seed < PROGRAMS; seed++) {
            List<String> inherited = run(settings, seed, true);
            List<String> own = run(settings, seed, false);
            for (int i = 0; i < Math.max(own.size(), inherited.size()); i++) {
              String a = i < own.size() ? own.get(i) : "nothing";
              String b = i < inherited.size() ? inherited.get(i) : "nothing";
              if (!a.equals(b)) {
                return "expected " + a + ", found " + b + " (program " + seed + ", call " + i + ")";
              }
            }
          }
          return null;
        });
  }

  private List<String> run(String settings, int seed, boolean inherits) {
    List<String> log;
    try (Heap heap = open(settings)) {
      RandomProgram program = new RandomProgram(heap, new Random(seed), inherits);
      program.run();
      String damage = PluginRules.damage(heap);
      log = program.log;
      log.add(damage == null ? "intact" : damage);
    }
    return log;
  }

  /** A heap, and the calls of finalizers on it: the finalizer's name, and that of its object. */
  private static class Program {
    final Heap heap;
    final Mutator t;
    final List<String> log = new ArrayList<>();
    final boolean ordered;
    final boolean cycles;

    Program(Heap heap) {
      this.heap = heap;
      t = heap.mutator();
      t.enter(SLOTS);
      ordered = heap.traits().has(Capability.ORDERED_FINALIZERS);
      cycles = heap.traits().has(Capability.CYCLES);
    }

    /** Makes an object with a name, and the prototype in a slot unless that is below 0. */
    void make(int d, int name, int prototype) {
      if (prototype < 0) {
        t.newObject(d, INLINE);
      } else if (name % 2 == 0) {
        t.newObject(d, INLINE, prototype);
      } else {
        t.copy(SLOTS - 1, prototype); // it may be the same slot
        t.newObject(d, INLINE);
        t.setPrototype(d, SLOTS - 1);
        t.setUndefined(SLOTS - 1);
      }
      t.storeInt(d, NAME, name);
    }

    void lend(int s, String name) {
      t.setInheritedFinalizer(s, name, (x, closing) -> called(x, name, closing));
    }

    void set(int s, String name) {
      t.setFinalizer(s, name, (x, closing) -> called(x, name, closing));
    }

    void called(Mutator x, String name, boolean closing) {
      log.add(name + x.loadInt(0, NAME) + (closing ? "!" : ""));
    }

    /** What was called since the last time, at the end of as many collections as it may take. */
    @Nullable String expect(String... calls) {
      for (int i = 0; i < 4 + calls.length; i++) {
        heap.collect();
      }
      return expectNow(calls);
    }

    @Nullable String expectNow(String... calls) {
      List<String> found = log.stream().sorted().toList();
      List<String> expected = new ArrayList<>(List.of(calls)).stream().sorted().toList();
      log.clear();
      return found.equals(expected) ? null : "expected calls of " + expected + ", found " + found;
    }

    private static @Nullable String first(@Nullable String... wrong) {
      for (String w : wrong) {
        if (w != null) {
          return w;
        }
      }
      return null;
    }

    private @Nullable String drop(int s, String... calls) {
      t.setUndefined(s);
      return expect(calls);
    }

    @Nullable String chain() {
      make(0, 1, -1);
      lend(0, "f");
      make(1, 2, 0);
      make(2, 3, 1);
      make(3, 4, 1);
      lend(1, "g"); // which others have as their prototype, and all inherit already
      make(4, 5, 2);
      boolean all = t.hasFinalizer(0) && t.hasFinalizer(2) && t.hasFinalizer(4);
      return first(
          all ? null : "expected finalizers, found none",
          drop(4, "g5"),
          drop(2, "g3"),
          drop(3, "g4"),
          drop(1, "g2"),
          drop(0, "f1"));
    }

    @Nullable String own() {
      make(0, 1, -1);
      lend(0, "f");
      make(1, 2, 0);
      set(1, "own");
      make(2, 3, 1);
      make(3, 4, 0);
      set(3, "own");
      if (!t.clearFinalizer(3) || t.clearFinalizer(3) || !t.hasFinalizer(3)) {
        return "expected one finalizer to remove, and an inherited one below it";
      }
      return first(drop(2, "f3"), drop(3, "f4"), drop(1, "own2"), drop(0, "f1"));
    }

    /** Heirs in slots, in globals, in what other heirs hold, in a frame; and garbage. */
    @Nullable String late() {
      make(0, 1, -1);
      make(1, 2, 0);
      make(2, 3, 1);
      make(3, 4, 0);
      t.store(2, HELD, 3);
      set(3, "own");
      make(3, 5, 0);
      GlobalRef global = heap.newGlobal();
      t.setGlobal(global, 3);
      t.newRecord(3, 1);
      make(4, 6, 1);
      t.store(3, 0, 4);
      make(4, 7, 0);
      t.setUndefined(4);
      t.enter(SLOTS);
      t.getGlobal(0, global);
      t.getPrototype(0, 0);
      make(1, 8, 0);
      lend(0, "f");
      make(2, 9, 1);
      boolean all = t.hasFinalizer(0) && t.hasFinalizer(1) && t.hasFinalizer(2);
      t.leave();
      all &= t.hasFinalizer(1) && t.hasFinalizer(2) && !t.hasFinalizer(3);
      return first(
          all ? null : "expected finalizers, found none",
          expect("f9", "f8"),
          drop(3, "f6"),
          drop(2, "f3", "own4"),
          drop(1, "f2"),
          dropGlobal(global, "f5"),
          drop(0, "f1"));
    }

    private @Nullable String dropGlobal(GlobalRef global, String... calls) {
      global.close();
      return expect(calls);
    }

    @Nullable String reparented() {
      make(0, 1, -1);
      lend(0, "f");
      make(1, 2, -1);
      make(2, 3, 1);
      make(3, 4, 2);
      t.setPrototype(1, 0);
      make(4, 5, 2);
      String wrong = drop(4, "f5");
      t.setNull(5);
      t.setPrototype(1, 5);
      make(4, 6, 2);
      boolean none = !t.hasFinalizer(1) && !t.hasFinalizer(2) && !t.hasFinalizer(3);
      wrong = first(wrong, none ? null : "expected no finalizers, found some", drop(4));
      t.setPrototype(2, 0);
      return first(wrong, drop(3, "f4"), drop(2, "f3"), drop(1), drop(0, "f1"));
    }

    @Nullable String removed() {
      make(0, 1, -1);
      lend(0, "f");
      make(1, 2, 0);
      make(2, 3, 1);
      make(3, 4, 1);
      lend(1, "g");
      if (!t.clearFinalizer(1) || t.clearFinalizer(2)) {
        return "expected one finalizer to remove";
      }
      String wrong = drop(2, "f3");
      set(0, "own"); // which nobody inherits
      make(2, 5, 1);
      wrong = first(wrong, drop(2), drop(3), drop(1));
      make(1, 6, 0);
      lend(0, "f");
      boolean _ = t.clearFinalizer(0);
      return first(wrong, drop(1), drop(0));
    }

    @Nullable String together() {
      make(0, 1, -1);
      lend(0, "f");
      make(1, 2, 0);
      make(2, 3, 1);
      make(3, 4, 1);
      if (cycles) {
        t.store(0, HELD, 3);
      }
      t.wipe(0);
      return expect("f1", "f2", "f3", "f4");
    }

    @Nullable String closed() {
      make(0, 1, -1);
      lend(0, "f");
      make(1, 2, 0);
      make(2, 3, 1);
      set(2, "own");
      make(3, 4, 2);
      t.setPrototype(2, 6); // nothing
      heap.close();
      return expectNow("f1!", "f2!", "own3!");
    }

    @Nullable String rescued() {
      GlobalRef global = heap.newGlobal();
      make(0, 1, -1);
      t.setInheritedFinalizer(
          0,
          "f",
          (x, closing) -> {
            called(x, "f", closing);
            x.setGlobal(global, 0);
          });
      make(1, 2, 0);
      String wrong = first(drop(1, "f2"), takeBack(global));
      if (!ordered) {
        wrong = first(wrong, drop(1, "f2"), takeBack(global));
      }
      boolean _ = t.clearFinalizer(0);
      lend(0, "g");
      return first(wrong, drop(1, "g2"), drop(0, "g1"));
    }

    private @Nullable String takeBack(GlobalRef global) {
      t.getGlobal(1, global);
      t.setGlobal(global, 2);
      return expect(); // so that the rescue is noticed
    }

    @Nullable String builtin() {
      heap.makeBuiltins(() -> {
        make(0, 1, -1);
        make(1, 2, 0);
      });
      make(2, 3, 1);
      lend(0, "f");
      make(3, 4, 0);
      t.setUndefined(0);
      t.setUndefined(1);
      return first(drop(3, "f4"), drop(2, "f3"));
    }

    @Nullable String refused() {
      t.newRecord(0, 1);
      try {
        lend(0, "f");
        return "expected that a record lends no finalizer, found that it does";
      } catch (HeapUsageException _) {
        return t.hasFinalizer(0) ? "expected no finalizer, found one" : null;
      }
    }

    /** Each request is refused in turn. */
    @Nullable String exhausted() {
      for (int n = 0; n < 8; n++) {
        make(0, 1, -1);
        make(1, 2, 0);
        make(2, 3, 1);
        Set<String> calls = new TreeSet<>();
        heap.faults().failAllocations(n, 20);
        boolean lent = attempt(() -> lend(0, "f"));
        boolean made = attempt(() -> make(3, 4, 1));
        heap.faults().clearFailAllocations();
        if (lent != t.hasFinalizer(0) || lent != t.hasFinalizer(2)) {
          return "expected that a refused finalizer is not there; request " + n;
        }
        if (made && lent != t.hasFinalizer(3)) {
          return "expected that an object inherits; request " + n;
        }
        if (lent) {
          calls.addAll(Set.of("f1", "f2", "f3"));
          if (made) {
            calls.add("f4");
          }
        }
        t.wipe(0);
        String wrong = expect(calls.toArray(new String[0]));
        if (wrong != null) {
          return wrong + "; request " + n;
        }
      }
      return null;
    }

    private @Nullable String external(String when, int heirs) {
      long bytes = heap.statistics().externalBytes();
      return bytes == heirs * CHARGE
          ? null
          : "expected %d heirs to be charged, found %d bytes: %s".formatted(heirs, bytes, when);
    }

    @Nullable String charged() {
      make(0, 1, -1);
      lend(0, "f");
      make(1, 2, 0);
      make(2, 3, 1);
      String wrong = external("made", 2);
      set(2, "own");
      wrong = first(wrong, external("one of its own", 1));
      boolean _ = t.clearFinalizer(2);
      wrong = first(wrong, external("none of its own", 2));
      t.setNull(5);
      t.setPrototype(1, 5);
      wrong = first(wrong, external("none inherited", 0));
      t.setPrototype(1, 0);
      wrong = first(wrong, external("inherited again", 2));
      boolean _ = t.clearFinalizer(0);
      wrong = first(wrong, external("nothing lent", 0));
      lend(0, "f");
      wrong = first(wrong, external("lent again", 2));
      try {
        heap.releaseExternal(1);
        return "expected that what heirs are charged with is not the host's, found that it is";
      } catch (HeapUsageException _) {
        t.wipe(0);
      }
      return first(wrong, expect("f1", "f2", "f3"), external("dropped", 0));
    }

    /** Without the charge a guest would fill the JVM's heap. */
    @Nullable String full() {
      make(0, 1, -1);
      t.newRecord(1, MANY);
      for (int i = 0; i < MANY; i++) {
        make(2, 2 + i, 0);
        t.store(1, i, 2);
      }
      t.setUndefined(2);
      expect();
      HeapStatistics s = heap.statistics();
      long reserved = s.maxBytes() - s.usedBytes() - MANY * CHARGE / 2;
      heap.reserveExternal(reserved);
      boolean lent = attempt(() -> lend(0, "f"));
      boolean some = t.hasFinalizer(0);
      t.load(2, 1, 0);
      some |= t.hasFinalizer(2);
      heap.releaseExternal(reserved);
      if (lent || some || heap.statistics().externalBytes() != 0) {
        return "expected that the finalizer is refused, found it";
      }
      lend(0, "f");
      heap.reserveExternal(reserved - MANY * CHARGE);
      int made = 0;
      boolean more = true;
      while (more && made < MANY) {
        more = attempt(() -> make(2, 1, 0));
        made++;
        t.newRecord(3, 2);
        t.store(3, 0, 2);
        t.store(3, 1, 4);
        t.copy(4, 3);
      }
      heap.releaseExternal(reserved - MANY * CHARGE);
      log.clear();
      return more ? "expected that heirs are refused, found that they are not" : null;
    }

    /** Under ordered finalizers what was called is no heir, until its own is set again. */
    @Nullable String apart() {
      GlobalRef global = heap.newGlobal();
      boolean[] saved = {false};
      make(0, 1, -1);
      t.setInheritedFinalizer(
          0,
          "f",
          (x, closing) -> {
            called(x, "f", closing);
            if (!saved[0]) {
              x.setGlobal(global, 0);
            }
            saved[0] = true;
          });
      make(1, 2, 0);
      String wrong = first(drop(1, "f2"), takeBack(global));
      make(2, 4, -1);
      make(3, 6, 2);
      make(4, 8, 3);
      lend(2, "g");
      t.setNull(5);
      t.setPrototype(3, 5);
      t.setPrototype(3, 2);
      wrong = first(wrong, ordered ? drop(1) : drop(1, "f2"));
      global.close();
      return first(wrong, drop(4, "g8"), drop(3, "g6"), drop(2, "g4"));
    }

    private static boolean attempt(Runnable operation) {
      try {
        operation.run();
        return true;
      } catch (HeapExhaustedException _) {
        return false;
      }
    }
  }

  /** Makes, links and drops objects with prototypes at random. */
  private static final class RandomProgram extends Program {
    private static final int USED = SLOTS - 2;
    private final Random random;
    private final boolean inherits;
    private final GlobalRef saved;

    /** Names of objects that were prototypes. */
    private final Set<Integer> prototypes = new HashSet<>();

    private int names;

    RandomProgram(Heap heap, Random random, boolean inherits) {
      super(heap);
      this.random = random;
      this.inherits = inherits;
      saved = heap.newGlobal();
    }

    @Override
    void called(Mutator x, String name, boolean closing) {
      super.called(x, name, closing);
      int n = x.loadInt(0, NAME);
      if (!closing && n % 5 == 0) {
        x.setGlobal(saved, 0);
      } else if (!closing && n % 7 == 0) {
        heap.collect();
      }
    }

    /** What inherits or lends gets the same finalizer for itself, if nothing is inherited. */
    private void getsInherited(int s) {
      if (!inherits) {
        set(s, "f");
      }
    }

    private boolean isObject(int s) {
      return t.isReference(s);
    }

    private int sort(int s) {
      return t.loadInt(s, SORT);
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        int d = random.nextInt(USED);
        int s = random.nextInt(USED);
        step(random.nextInt(12), d, s);
      }
      t.wipe(0);
      heap.collect();
      log.add("end");
      heap.collect();
    }

    private void step(int what, int d, int s) {
      switch (what) {
        case 0 -> {
          make(d, ++names, -1);
          t.storeInt(d, SORT, PLAIN);
          if (random.nextBoolean()) {
            t.storeInt(d, SORT, HEIR | LENDER);
            if (inherits) {
              lend(d, "f");
            }
            getsInherited(d);
          }
        }
        case 1, 2, 3, 4 -> {
          if (isObject(s)) {
            int sort = sort(s) & HEIR;
            prototypes.add(t.loadInt(s, NAME));
            make(d, ++names, s);
            t.storeInt(d, SORT, sort);
            if (sort == HEIR) {
              getsInherited(d);
            }
          }
        }
        case 5 -> {
          if (isObject(s) && (sort(s) & LENDER) == 0) {
            set(s, "own");
            t.storeInt(s, SORT, sort(s) | OWNER);
          }
        }
        case 6 -> {
          if (isObject(s) && isObject(d)) {
            t.store(d, HELD, s);
          }
        }
        case 7 -> {
          if (isObject(s) && sort(s) == HEIR && !prototypes.contains(t.loadInt(s, NAME))) {
            lapse(s);
          }
        }
        case 8 -> t.getGlobal(d, saved);
        case 9, 10 -> t.setUndefined(d);
        default -> {
          heap.collect();
          log.add("collected");
        }
      }
    }

    /** An object that nobody has as a prototype has none any more. */
    private void lapse(int s) {
      t.setNull(SLOTS - 2);
      t.setPrototype(s, SLOTS - 2);
      t.storeInt(s, SORT, PLAIN);
      if (!inherits) {
        boolean _ = t.clearFinalizer(s);
      }
      t.setUndefined(SLOTS - 2);
    }
  }
}
