package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectorTraits;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a plug-in owes as a whole: to be found, to open and close heaps, to keep them apart.
 *
 * <p>A plug-in is taken as a program takes it: by its name in a configuration. These rules say
 * little of what a collector does within a heap. They look at the least limit and the other
 * backing, at heaps side by side, at what must stay (built-ins, pinned buffers), and at what is
 * left when a heap is closed. {@link #onHeap} is how all rules of the kit open a heap.
 */
record PluginRules(String collector, Config config, List<ClassLoader> loaders) {
  /** How much of what the verifier finds is in a message. */
  private static final int SHOWN = 3;

  private static final String LEAST_LIMIT = "gleaner.memory.max = 64KiB";
  private static final int REFILLS = 50;

  List<Rule> all() {
    return List.of(
        rule("is found, and nothing is wrong with it", this::isFound),
        rule("has traits that agree with what it does", this::traitsAgree),
        rule("works within the least limit and the other backing", this::worksInLittle),
        rule("grows again after a peak is over", this::growsAgain),
        rule("keeps heaps apart", this::keepsHeapsApart),
        rule("keeps built-ins and what they refer to", this::keepsBuiltins),
        rule("drops what a raised value unwinds", this::dropsWhatIsUnwound),
        rule("drops what a thread called with the thread", this::dropsCallsOfThreads),
        rule("keeps a pinned buffer where it is", this::keepsPinned),
        rule("gives the user's functions back what it took", this::givesBack),
        rule("leaves nothing that a closed heap answers", this::closes));
  }

  /** A rule whose check answers what is wrong, or null. */
  private static Rule rule(String text, Supplier<@Nullable String> check) {
    return rule("plug-in", text, check);
  }

  static Rule rule(String group, String text, Supplier<@Nullable String> check) {
    String name = group + " " + text;
    return new Rule(
        name,
        "",
        () -> {
          String wrong;
          try {
            wrong = check.get();
          } catch (RuntimeException | LinkageError e) {
            wrong = "expected no error, found " + e;
          }
          return wrong == null
              ? new Verdict(name, Verdict.Status.PASSED, "")
              : new Verdict(name, Verdict.Status.FAILED, wrong);
        });
  }

  /** A rule on a heap of its own, which is to be intact when it was checked. */
  static Rule onHeap(
      String group,
      String text,
      Config config,
      List<ClassLoader> loaders,
      Function<Heap, @Nullable String> check) {
    return rule(
        group,
        text,
        () -> {
          try (Heap heap = Gleaner.factory(config, loaders).open()) {
            String wrong = check.apply(heap);
            return wrong == null ? damage(heap) : wrong;
          }
        });
  }

  private HeapFactory factory(String settings) {
    return Gleaner.factory(ConfigFactory.parseString(settings).withFallback(config), loaders);
  }

  private @Nullable String isFound() {
    CollectorRegistry registry = CollectorRegistry.discover(loaders);
    if (registry.find(collector) == null) {
      return "expected a collector " + collector + ", found " + registry.names();
    }
    return registry.problems().isEmpty() ? null : String.join("; ", registry.problems());
  }

  private @Nullable String traitsAgree() {
    HeapFactory factory = factory("");
    CollectorTraits traits = factory.traits();
    if (traits.has(Capability.ORDERED_FINALIZERS) && traits.has(Capability.DUKTAPE_FINALIZERS)) {
      return "expected one rule for finalizers, found both";
    }
    if (!factory("").traits().equals(traits)) {
      return "expected the same traits each time, found others";
    }
    try (Heap heap = factory.open()) {
      if (traits.has(Capability.INCREMENTAL)) {
        boolean done = false;
        for (int i = 0; i < 1_000_000 && !done; i++) {
          done = heap.step(1);
        }
        return done
            ? null
            : "expected a collection to end after some slices, found that it did not";
      }
    }
    return null;
  }

  private @Nullable String worksInLittle() {
    for (String backing : List.of("auto", "grown")) {
      try (Heap heap = factory(LEAST_LIMIT + ", gleaner.memory.backing = " + backing).open()) {
        String wrong = fill(heap);
        if (wrong != null) {
          return wrong + " (backing " + backing + ")";
        }
      }
    }
    return null;
  }

  /** Fills a heap, drops all, and fills it again, often: what is lost each time would add up. */
  private static @Nullable String fill(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(2);
    int first = chain(t);
    for (int i = 0; reclaims(heap) && i < REFILLS; i++) {
      t.setUndefined(0);
      t.setUndefined(1);
      heap.collect();
      heap.collect();
      int again = chain(t);
      if (again < first - first / 10) {
        return "expected room for " + first + " records again, found " + again;
      }
    }
    if (heap.statistics().usedBytes() > heap.statistics().maxBytes()) {
      return "expected the limit to be kept, found " + heap.statistics();
    }
    return damage(heap);
  }

  /** Whether it does more than to be there for comparison. */
  static boolean reclaims(Heap heap) {
    return !heap.traits().capabilities().isEmpty();
  }

  /** What the verifier finds, or null. */
  static @Nullable String damage(Heap heap) {
    List<String> violations = heap.inspect().verify();
    if (violations.isEmpty()) {
      return null;
    }
    String first = violations.stream().limit(SHOWN).collect(Collectors.joining("; "));
    int more = violations.size() - SHOWN;
    return "expected an intact heap, found " + first + (more > 0 ? "; and " + more + " more" : "");
  }

  private static int chain(Mutator t) {
    int n = 0;
    try {
      while (true) {
        t.newRecord(1, 1);
        t.store(1, 0, 0);
        t.copy(0, 1);
        n++;
      }
    } catch (HeapExhaustedException _) {
      return n;
    }
  }

  /**
   * Fills a heap so far that free pages are worth giving back, drops all, and goes on with records
   * of another size, whose slots lie where there were other words.
   */
  private @Nullable String growsAgain() {
    int n = 300_000;
    try (Heap heap = factory("gleaner.memory.max = 256MiB").open()) {
      Mutator t = heap.mutator();
      t.enter(2);
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < n; i++) {
          t.newRecord(1, 3 + round);
          t.store(1, 0, 0);
          t.storeInt(1, 1, i);
          t.copy(0, 1);
        }
        heap.collect();
        String damage = damage(heap);
        if (damage != null) {
          return damage;
        }
        for (int i = n - 1; i >= 0; i--) {
          if (t.loadInt(0, 1) != i) {
            return "expected " + i + ", found " + t.loadInt(0, 1);
          }
          t.load(1, 0, 2 + round);
          if (!t.isUndefined(1)) {
            return "expected an undefined slot in a new record, found " + t.type(1);
          }
          t.load(0, 0, 0);
        }
        t.wipe(0);
        heap.collect(CollectFlags.EMERGENCY);
        heap.collect();
      }
    }
    return null;
  }

  private @Nullable String keepsHeapsApart() {
    HeapFactory factory = factory("");
    List<Heap> heaps = new ArrayList<>();
    try {
      for (int i = 0; i < 50; i++) {
        Heap heap = factory.open();
        heaps.add(heap);
        heap.mutator().enter(2);
        for (int j = 0; j <= i; j++) {
          heap.mutator().newRecord(1, 1);
          heap.mutator().store(1, 0, 0);
          heap.mutator().copy(0, 1);
        }
      }
      for (int i = 0; i < 50; i += 2) {
        heaps.get(i).close();
      }
      for (int i = 1; i < 50; i += 2) {
        Heap heap = heaps.get(i);
        heap.collect();
        int n = 0;
        for (heap.mutator().copy(1, 0); heap.mutator().isReference(1); n++) {
          heap.mutator().load(1, 1, 0);
        }
        if (n != i + 1 || !heap.inspect().verify().isEmpty()) {
          return "expected a chain of " + (i + 1) + " in heap " + i + ", found " + n;
        }
      }
      return null;
    } finally {
      heaps.forEach(Heap::close);
    }
  }

  private @Nullable String keepsBuiltins() {
    try (Heap heap = factory("").open()) {
      Mutator t = heap.mutator();
      t.enter(3);
      heap.makeBuiltins(() -> {
        t.newRecord(0, 2);
        t.newString(1, "built in");
        t.store(0, 1, 1);
      });
      WeakRef builtin = t.newWeak(0);
      t.newRecord(1, 1);
      t.storeInt(1, 0, 42);
      t.store(0, 0, 1);
      t.wipe(0);
      for (int i = 0; i < 3; i++) {
        heap.collect();
        chainOf(t, 1000);
      }
      t.wipe(0);
      if (!t.getWeak(0, builtin)) {
        return "expected a built-in to stay, found its weak reference cleared";
      }
      t.load(1, 0, 0);
      t.load(2, 0, 1);
      boolean right =
          t.isReference(1) && t.loadInt(1, 0) == 42 && t.getString(2).equals("built in");
      return right && heap.inspect().verify().isEmpty()
          ? null
          : "expected what a built-in refers to, found something else; " + heap.inspect().verify();
    }
  }

  private @Nullable String dropsWhatIsUnwound() {
    try (Heap heap = factory("").open()) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newFunction(0, 1, 0);
      t.newRecord(1, 0);
      t.storeConstant(0, 0, 1);
      WeakRef function = t.newWeak(0);
      WeakRef constant = t.newWeak(1);
      t.pushCatcher(0, 7);
      t.call(1, 0);
      t.setInt(0, 5);
      int caughtAt = t.raise(0);
      if (caughtAt != 7 || t.getInt(0) != 5) {
        return "expected a value caught at 7, found " + caughtAt;
      }
      t.setUndefined(1);
      collectThrice(heap);
      return reclaims(heap) && !(function.isCleared() && constant.isCleared())
          ? "expected the function that was left to go, found it held"
          : damage(heap);
    }
  }

  private @Nullable String dropsCallsOfThreads() {
    try (Heap heap = factory("").open();
        GlobalRef passed = heap.newGlobal()) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newThread(0);
      t.newFunction(1, 0, 0);
      WeakRef function = t.newWeak(1);
      t.setGlobal(passed, 1);
      t.resume(0, 1);
      t.getGlobal(0, passed);
      t.call(1, 0);
      t.enter(1);
      t.suspend();
      t.setUndefined(1);
      t.setGlobal(passed, 1);
      collectThrice(heap);
      if (!t.getWeak(1, function)) {
        return "expected a function that a thread is in to stay, found it gone";
      }
      t.wipe(0);
      collectThrice(heap);
      return reclaims(heap) && !function.isCleared()
          ? "expected the function to go with the thread that called it, found it held"
          : damage(heap);
    }
  }

  private @Nullable String keepsPinned() {
    try (Heap heap = factory("").open()) {
      Mutator t = heap.mutator();
      if (!heap.traits().pinning()) {
        return null;
      }
      t.enter(2);
      WeakRef[] buffers = new WeakRef[2];
      MemorySegment[] views = new MemorySegment[2];
      for (int i = 0; i < 2; i++) {
        if (i == 0) {
          t.newBuffer(0, 100);
        } else {
          t.newDynamicBuffer(0, 100);
        }
        buffers[i] = t.newWeak(0);
        long made = heap.statistics().allocatedElements();
        views[i] = t.pin(0);
        if (heap.statistics().allocatedElements() != made) {
          return "expected a pin to make no element, found that it does";
        }
        views[i].fill((byte) 42);
      }
      for (int i = 0; i < 3; i++) {
        t.wipe(0);
        heap.collect();
        chainOf(t, 1000);
        String wrong = expectPinned(t, buffers, views);
        if (wrong != null) {
          return wrong;
        }
      }
      for (WeakRef buffer : buffers) {
        boolean _ = t.getWeak(0, buffer);
        t.unpin(0);
      }
      t.wipe(0);
      collectThrice(heap);
      return buffers[0].isCleared() && buffers[1].isCleared()
          ? damage(heap)
          : "expected what is not pinned any more to go, found it held";
    }
  }

  /** Looks at a fixed buffer, and at a dynamic one, which nothing but its pin holds. */
  private static @Nullable String expectPinned(
      Mutator t, WeakRef[] buffers, MemorySegment[] views) {
    for (int i = 0; i < 2; i++) {
      if (!t.getWeak(0, buffers[i])) {
        return "expected a pinned buffer to stay, found its weak reference cleared";
      }
      MemorySegment now = t.view(0);
      if (now.address() != views[i].address() || now.mismatch(views[i]) >= 0) {
        return "expected a pinned buffer where it was, found it elsewhere";
      }
      for (int b = 0; b < 100; b++) {
        if (t.getByte(0, b) != 42) {
          return "expected 42 in a pinned buffer, found " + t.getByte(0, b);
        }
      }
    }
    try {
      t.resizeBuffer(0, 200);
      return "expected an error for a pinned buffer that is resized, found none";
    } catch (HeapUsageException _) {
      return null;
    }
  }

  static void collectThrice(Heap heap) {
    for (int i = 0; i < 3; i++) {
      heap.collect();
    }
  }

  private static void chainOf(Mutator t, int n) {
    for (int i = 0; i < n; i++) {
      t.newRecord(1, 1);
      t.store(1, 0, 0);
      t.copy(0, 1);
    }
  }

  private @Nullable String givesBack() {
    Counting[] functions = new Counting[1];
    try (Heap heap =
        factory("").open("functions", defaults -> functions[0] = new Counting(defaults))) {
      Mutator t = heap.mutator();
      t.enter(3);
      for (int i = 0; i < 500; i++) {
        t.newRecord(1, 1 + i % 40);
        t.store(1, 0, 0);
        t.copy(0, 1);
        t.newString(1, "text " + i);
        t.newObject(2);
        t.putProperty(2, 1, 0);
        t.newDynamicBuffer(1, i * 7L);
        t.newThread(1);
        if (i % 50 == 49) {
          t.wipe(0);
          heap.collect();
        }
      }
    }
    Counting used = functions[0];
    if (used.taken == 0) {
      return "expected requests to the user's functions, found none";
    }
    return used.held.isEmpty() ? null : "expected all blocks back, found " + used.held + " left";
  }

  private @Nullable String closes() {
    Heap heap = factory("").open();
    heap.mutator().enter(1);
    heap.mutator().newRecord(0, 1);
    heap.close();
    heap.close();
    try {
      heap.mutator().newRecord(0, 1);
      return "expected an error that says that the heap is closed, found none";
    } catch (HeapClosedException _) {
      return heap.statistics().usedBytes() == 0
          ? null
          : "expected 0 bytes in use, found " + heap.statistics().usedBytes();
    }
  }

  /** Functions that know what they handed out. */
  private static final class Counting implements AllocationFunctions {
    private final AllocationFunctions defaults;
    final Map<Long, Long> held = new HashMap<>();
    long taken;

    Counting(AllocationFunctions defaults) {
      this.defaults = defaults;
    }

    @Override
    public long alloc(long bytes) {
      long block = defaults.alloc(bytes);
      if (block != 0) {
        taken++;
        held.put(block, bytes);
      }
      return block;
    }

    @Override
    public long realloc(long block, long bytes) {
      long moved = defaults.realloc(block, bytes);
      if (moved != 0 || bytes == 0) {
        held.remove(block);
      }
      if (moved != 0) {
        held.put(moved, bytes);
      }
      return moved;
    }

    @Override
    public void free(long block) {
      held.remove(block);
      defaults.free(block);
    }
  }
}
