package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a collector with minor collections owes: the only reference to a young element is in a place
 * of an old one, for each sort of place, and minor collections come between.
 *
 * <pre>
 *   holder made    0, 1, 2 … minor collections    value made, stored, dropped from its slot
 *   minor collections, each followed by as much as overwrites what was given up
 *   the value is there, and has its contents
 * </pre>
 *
 * <p>The rules know a minor collection by its event, and bring it about by garbage: how much that
 * takes is the collector's to say. Where a full one comes between it does no harm, but it must not
 * be the only one.
 */
record MinorRules(Config config, List<ClassLoader> loaders) {
  private static final int ROOT = 0;
  private static final int HOLDER = 1;
  private static final int VALUE = 2;
  private static final int SLOTS = 5;

  /** After so many minor collections what survived is old. */
  private static final int AGE = 4;

  private static final int REPEATS = 3;
  private static final int OWN_BLOCK = 5000;

  /** Records of garbage without a minor collection: a nursery of 100 MB. */
  private static final int MOST_GARBAGE = 3_000_000;

  private static final Config SETTINGS =
      ConfigFactory.parseString(
          "gleaner { memory.max = 8MiB, voluntary.enabled = false, torture.gc = off }");

  List<Rule> all() {
    List<Rule> rules = new ArrayList<>();
    for (StorePlace place : places()) {
      rules.add(rule("keep what is in " + place.name(), heap -> keepsIn(heap, place)));
    }
    rules.add(rule("keep what a global refers to", MinorRules::keepsGlobal));
    rules.add(rule("keep what a built-in refers to", MinorRules::keepsOfBuiltin));
    rules.add(rule("keep what is in slots", MinorRules::keepsSlots));
    rules.add(rule("keep what a thread left in its slots", MinorRules::keepsSuspended));
    rules.add(rule("keep what waits for a thread to come back", MinorRules::keepsResumer));
    rules.add(rule("keep the functions that are called", MinorRules::keepsCalled));
    rules.add(rule("keep what a finalizer is to see", MinorRules::keepsFinalizable));
    rules.add(rule("clear weak references to the dead alone", MinorRules::clearsWeak));
    rules.add(rule("keep strings one", MinorRules::keepsStrings));
    rules.add(rule("release what the dead own", MinorRules::release));
    rules.add(rule("suffice for garbage", MinorRules::suffice));
    rules.add(PluginRules.rule("minor", "leave the voluntary trigger alone", this::leavesTrigger));
    return rules;
  }

  private static List<StorePlace> places() {
    List<StorePlace> places = new ArrayList<>(StorePlace.all());
    places.add(
        new StorePlace(
            "a record with a block of its own",
            (t, d) -> t.newRecord(d, OWN_BLOCK),
            StorePlace.Contents.RECORD,
            (t, h, s) -> t.store(h, OWN_BLOCK - 1, s),
            (t, d, h) -> {
              t.load(d, h, OWN_BLOCK - 1);
              t.storeNull(h, OWN_BLOCK - 1);
            }));
    return places;
  }

  private Rule rule(String text, Function<Watched, @Nullable String> check) {
    return PluginRules.onHeap(
        "minor",
        text,
        SETTINGS.withFallback(config),
        loaders,
        heap -> check.apply(new Watched(heap)));
  }

  /** A heap that counts its collections. */
  private static final class Watched implements HeapListener {
    final Heap heap;
    final Mutator t;
    int minor;
    int full;
    long pauses;
    long reclaimed;

    Watched(Heap heap) {
      this.heap = heap;
      this.t = heap.mutator();
      heap.addListener(this);
    }

    @Override
    public void collectionFinished(CollectionEvent event) {
      if (event.mode() == Mode.MINOR) {
        minor++;
        pauses += event.pauseNanos();
        reclaimed += event.reclaimedElements();
      } else {
        full++;
      }
    }

    /** Makes garbage until so many minor collections more have come; answers how much. */
    int collect(int times) {
      int wanted = minor + times;
      t.enter(1);
      int n = 0;
      for (int since = 0; minor < wanted; n++) {
        int before = minor;
        t.newRecord(0, 3);
        t.storeInt(0, 0, -2);
        t.setUndefined(0); // so no slot of garbage keeps the thread remembered
        t.newRecord(0, 1);
        t.storeInt(0, 0, -3);
        t.setUndefined(0);
        since = minor == before ? since + 1 : 0;
        if (since > MOST_GARBAGE) {
          throw new IllegalStateException(
              "expected a minor collection, found none for " + since + " records");
        }
      }
      t.leave();
      return n;
    }

    /** Does minor collections, and has what they gave up overwritten. */
    void collect() {
      collect(1);
      t.enter(1);
      for (int i = 0; i < 100; i++) {
        t.newRecord(0, 1);
        t.newObject(0, 1);
        t.newString(0, "overwrites " + i);
        t.newFunction(0, 1, 0);
      }
      t.leave();
      collect(1);
    }
  }

  private static @Nullable String keepsIn(Watched heap, StorePlace place) {
    Mutator t = heap.t;
    t.enter(SLOTS);
    for (int age = 0; age <= AGE; age++) {
      place.makeHolder(t, HOLDER);
      if (age > 0) {
        heap.collect(age);
      }
      place.makeValue(t, VALUE, age);
      place.put(t, HOLDER, VALUE);
      t.wipe(VALUE);
      heap.collect();
      String wrong = PluginRules.damage(heap.heap);
      if (wrong != null) {
        return wrong;
      }
      place.take(t, VALUE, HOLDER);
      int found = t.isReference(VALUE) ? place.number(t, VALUE) : -1;
      if (found != age) {
        return "expected value " + age + ", found " + found;
      }
      t.wipe(HOLDER);
    }
    t.leave();
    return null;
  }

  private static void makeRecord(Mutator t, int d, int number) {
    t.newRecord(d, 1);
    t.storeInt(d, 0, number);
  }

  private static @Nullable String expect(Mutator t, int s, int number) {
    int found = t.isReference(s) ? t.loadInt(s, 0) : -1;
    return found == number ? null : "expected " + number + ", found " + found;
  }

  private static @Nullable String keepsGlobal(Watched heap) {
    Mutator t = heap.t;
    t.enter(SLOTS);
    GlobalRef global = heap.heap.newGlobal();
    heap.collect(AGE);
    String wrong = null;
    for (int i = 0; i < REPEATS && wrong == null; i++) {
      makeRecord(t, VALUE, i);
      t.setGlobal(global, VALUE);
      t.wipe(0);
      heap.collect();
      t.getGlobal(VALUE, global);
      wrong = expect(t, VALUE, i);
    }
    t.leave();
    return wrong;
  }

  private static @Nullable String keepsOfBuiltin(Watched heap) {
    Mutator t = heap.t;
    t.enter(SLOTS);
    heap.heap.makeBuiltins(() -> t.newRecord(HOLDER, 1));
    heap.collect(AGE);
    String wrong = null;
    for (int i = 0; i < REPEATS && wrong == null; i++) {
      makeRecord(t, VALUE, i);
      t.store(HOLDER, 0, VALUE);
      t.wipe(VALUE);
      heap.collect();
      t.load(VALUE, HOLDER, 0);
      wrong = expect(t, VALUE, i);
    }
    t.leave();
    return wrong;
  }

  private static @Nullable String keepsSlots(Watched heap) {
    Mutator t = heap.t;
    t.enter(SLOTS);
    heap.collect(AGE);
    String wrong = null;
    for (int i = 0; i < REPEATS && wrong == null; i++) {
      makeRecord(t, VALUE, i);
      int hash = t.identityHash(VALUE);
      heap.collect();
      wrong = expect(t, VALUE, i);
      if (wrong == null && t.identityHash(VALUE) != hash) {
        wrong = "expected the hash " + hash + ", found " + t.identityHash(VALUE);
      }
    }
    t.leave();
    return wrong;
  }

  /** The thread was old before it ran; what it made is in its frame alone when it stands still. */
  private static @Nullable String keepsSuspended(Watched heap) {
    Mutator t = heap.t;
    t.enter(SLOTS);
    t.newThread(HOLDER);
    t.resume(HOLDER, SLOTS);
    String wrong = null;
    for (int i = 0; i < REPEATS && wrong == null; i++) {
      t.enter(0);
      t.suspend();
      heap.collect(AGE);
      t.resume(HOLDER, 0);
      t.leave();
      makeRecord(t, VALUE, i);
      t.enter(0);
      t.suspend();
      heap.collect();
      wrong = PluginRules.damage(heap.heap);
      t.resume(HOLDER, 0);
      t.leave();
      wrong = wrong == null ? expect(t, VALUE, i) : wrong;
    }
    t.enter(0);
    t.suspend();
    t.leave();
    return wrong;
  }

  private static @Nullable String keepsResumer(Watched heap) {
    Mutator t = heap.t;
    t.enter(SLOTS);
    t.newThread(HOLDER);
    heap.collect(AGE);
    String wrong = null;
    for (int i = 0; i < REPEATS && wrong == null; i++) {
      makeRecord(t, VALUE, i);
      t.resume(HOLDER, SLOTS);
      heap.collect();
      wrong = PluginRules.damage(heap.heap);
      t.suspend();
      wrong = wrong == null ? expect(t, VALUE, i) : wrong;
    }
    t.leave();
    return wrong;
  }

  private static @Nullable String keepsCalled(Watched heap) {
    Mutator t = heap.t;
    t.enter(SLOTS);
    heap.collect(AGE);
    String wrong = null;
    for (int i = 0; i < REPEATS && wrong == null; i++) {
      t.newFunction(VALUE, 1, 0);
      t.setInt(ROOT, i);
      t.storeConstant(VALUE, 0, ROOT);
      t.call(SLOTS, VALUE);
      heap.collect();
      wrong = PluginRules.damage(heap.heap);
      t.leave();
      t.loadConstant(ROOT, VALUE, 0);
      wrong = wrong == null && t.getInt(ROOT) != i ? "expected constant " + i : wrong;
    }
    t.leave();
    return wrong;
  }

  private static @Nullable String keepsFinalizable(Watched heap) {
    Mutator t = heap.t;
    int[] seen = {0, 0};
    t.enter(SLOTS);
    heap.collect(AGE);
    for (int i = 0; i < 10; i++) {
      int expected = i;
      t.newRecord(HOLDER, 1);
      makeRecord(t, VALUE, i);
      t.store(HOLDER, 0, VALUE);
      t.setFinalizer(
          HOLDER,
          "expects " + i,
          (thread, _) -> {
            thread.load(1, 0, 0);
            seen[0]++;
            seen[1] += thread.loadInt(1, 0) == expected ? 0 : 1;
          });
      t.wipe(0);
      heap.collect();
    }
    heap.collect();
    heap.heap.collect();
    t.leave();
    return seen[0] == 10 && seen[1] == 0
        ? null
        : "expected 10 finalizers, found " + seen[0] + ", " + seen[1] + " with another element";
  }

  private static @Nullable String clearsWeak(Watched heap) {
    Mutator t = heap.t;
    t.enter(SLOTS);
    t.newRecord(HOLDER, 1);
    heap.collect(AGE);
    String wrong = null;
    for (int i = 0; i < REPEATS && wrong == null; i++) {
      makeRecord(t, VALUE, i);
      t.store(HOLDER, 0, VALUE);
      WeakRef held = heap.heap.mutator().newWeak(VALUE);
      makeRecord(t, VALUE, -1);
      WeakRef dropped = heap.heap.mutator().newWeak(VALUE);
      t.wipe(VALUE);
      heap.collect();
      wrong =
          t.getWeak(VALUE, held)
              ? expect(t, VALUE, i)
              : "expected a weak reference to " + i + ", found it cleared";
      t.wipe(VALUE);
      heap.heap.collect();
      if (!dropped.isCleared()) {
        wrong = "expected a full collection to clear a weak reference to the dead";
      }
      held.close();
      dropped.close();
    }
    t.leave();
    return wrong;
  }

  private static @Nullable String keepsStrings(Watched heap) {
    Mutator t = heap.t;
    t.enter(SLOTS);
    String wrong = null;
    for (int i = 0; i < 100 && wrong == null; i++) {
      t.newString(VALUE, "kept " + i);
      t.newString(HOLDER, "dropped " + i);
      t.wipe(VALUE + 1);
      if (i % 10 == 0) {
        t.setUndefined(HOLDER);
        heap.collect(1);
      }
      t.newString(HOLDER, "kept " + i);
      wrong = t.same(HOLDER, VALUE) ? null : "expected one string 'kept " + i + "', found two";
    }
    t.leave();
    return wrong;
  }

  /** Each owns something outside of itself: a property table, a block, a Java object. */
  private static @Nullable String release(Watched heap) {
    Mutator t = heap.t;
    t.enter(SLOTS);
    heap.collect(1);
    long used = heap.heap.statistics().usedBytes();
    for (int i = 0; i < 3 * REPEATS; i++) {
      for (int n = 0; n < 200; n++) {
        t.newObject(ROOT, 0);
        t.newString(VALUE, "key " + n);
        t.putProperty(ROOT, VALUE, ROOT);
        t.newDynamicBuffer(ROOT, 100);
        t.newNative(ROOT, heap, null);
      }
      t.wipe(0);
      heap.collect(1);
      String wrong = PluginRules.damage(heap.heap);
      if (wrong != null) {
        return wrong;
      }
    }
    heap.heap.collect();
    long left = heap.heap.statistics().usedBytes() - used;
    t.leave();
    return left < 20_000 ? null : "expected nothing left, found " + left + " bytes";
  }

  private static @Nullable String suffice(Watched heap) {
    heap.t.enter(SLOTS);
    int n = heap.collect(10);
    heap.t.leave();
    if (heap.full > 0) {
      return "expected minor collections alone, found " + heap.full + " others";
    }
    if (heap.pauses == 0) {
      return "expected pauses of minor collections, found none";
    }
    // Each turn makes two records, of which none lives; the last nursery is not collected yet.
    return heap.reclaimed > n
        ? null
        : "expected most of " + 2 * n + " records reclaimed, found " + heap.reclaimed;
  }

  /** What minor collections reclaim is no reason for a full one. */
  private @Nullable String leavesTrigger() {
    int n;
    try (Heap heap = Gleaner.factory(SETTINGS.withFallback(config), loaders).open()) {
      n = new Watched(heap).collect(2);
    }
    Config counted =
        ConfigFactory.parseString(
            "gleaner.voluntary { enabled = true, mult = 1, add = " + 4 * n + " }");
    try (Heap heap =
        Gleaner.factory(counted.withFallback(SETTINGS).withFallback(config), loaders).open()) {
      Watched watched = new Watched(heap);
      watched.collect(20);
      return watched.full == 0 ? null : "expected no full collection, found " + watched.full;
    }
  }
}
