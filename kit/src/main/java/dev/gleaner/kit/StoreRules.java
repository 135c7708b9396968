package dev.gleaner.kit;

import com.typesafe.config.Config;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What every place of an element keeps, wherever the value and the element come from: for each
 * place a rule, of which each checks all ways to store.
 *
 * <pre>
 *   argument    the element is the caller's, the value the call's
 *   record      both are the call's, but a record of the caller holds the element
 *   escape      both are the call's, and then the element goes to where the caller, or all, see it
 *   coroutine   the element is the main thread's, the value a coroutine's
 *   exchange    values change places, and are in a slot alone in between
 * </pre>
 *
 * <p>In between so much is made that a collector which works by the way looks at all of it. The
 * slots of a frame: an element that holds the holder, the holder, a value, two for passing use.
 */
record StoreRules(Config config, List<ClassLoader> loaders) {
  private static final int ROOT = 0;
  private static final int HOLDER = 1;
  private static final int VALUE = 2;
  private static final int SLOTS = 5;
  private static final int REPEATS = 1;
  private static final int CALLS = 2000;
  private static final int HOLDERS = 600;

  List<Rule> all() {
    List<Rule> rules = new ArrayList<>();
    for (StorePlace place : StorePlace.all()) {
      rules.add(rule("keep what is in " + place.name(), heap -> check(heap, place)));
    }
    rules.add(rule("keep the functions that are called", StoreRules::keepsCalled));
    rules.add(rule("keep what a weak reference leads to", StoreRules::keepsWeak));
    rules.add(rule("keep what a finalizer is to see", StoreRules::keepsFinalizable));
    return rules;
  }

  private Rule rule(String text, Function<Heap, @Nullable String> check) {
    return PluginRules.onHeap("stores", text, config, loaders, check);
  }

  private static @Nullable String check(Heap heap, StorePlace place) {
    String wrong = null;
    for (int i = 0; i < REPEATS && wrong == null; i++) {
      wrong =
          first(
              storesIntoArgument(heap, place, i),
              storesIntoWhatARecordHolds(heap, place, i),
              storesAndEscapes(heap, place, i, null),
              storesAndEscapes(heap, place, i, heap.newGlobal()),
              storesInACoroutine(heap, place, i));
    }
    return wrong == null ? exchanges(heap, place) : wrong;
  }

  private static @Nullable String first(@Nullable String... texts) {
    for (String text : texts) {
      if (text != null) {
        return text;
      }
    }
    return null;
  }

  private static @Nullable String storesIntoArgument(Heap heap, StorePlace place, int n) {
    Mutator t = heap.mutator();
    t.enter(SLOTS);
    place.makeHolder(t, HOLDER);
    t.enter(SLOTS, 0, VALUE);
    fill(t, place, n);
    t.wipe(VALUE);
    String inside = look(heap, place, n, "in the call that stored it");
    t.leave();
    String afterwards = look(heap, place, n, "in the caller");
    t.leave();
    return first(inside, afterwards);
  }

  /** A record of the caller holds the element when the value is stored into it. */
  private static @Nullable String storesIntoWhatARecordHolds(Heap heap, StorePlace place, int n) {
    Mutator t = heap.mutator();
    t.enter(SLOTS);
    t.newRecord(ROOT, 1);
    t.enter(SLOTS, 0, 1);
    place.makeHolder(t, HOLDER);
    t.store(ROOT, 0, HOLDER);
    fill(t, place, n);
    t.wipe(VALUE);
    String inside = look(heap, place, n, "while a record of the caller holds the element");
    t.leave();
    t.load(HOLDER, ROOT, 0);
    String afterwards = look(heap, place, n, "of what a record held");
    t.leave();
    return first(inside, afterwards);
  }

  /** The element goes, with what it holds, into one of the caller's, or into a global. */
  private static @Nullable String storesAndEscapes(
      Heap heap, StorePlace place, int n, @Nullable GlobalRef global) {
    Mutator t = heap.mutator();
    t.enter(SLOTS);
    t.newObject(ROOT, 1);
    t.enter(SLOTS, 0, 1);
    place.makeHolder(t, HOLDER);
    fill(t, place, n);
    if (global == null) {
      t.store(ROOT, 0, HOLDER);
    } else {
      t.setGlobal(global, HOLDER);
    }
    t.wipe(HOLDER);
    makeGarbage(t);
    t.leave();
    makeGarbage(t);
    if (global == null) {
      t.load(HOLDER, ROOT, 0);
    } else {
      t.getGlobal(HOLDER, global);
      global.close();
    }
    String wrong = look(heap, place, n, "of what escaped");
    t.leave();
    return wrong;
  }

  /** What is pushed is in the coroutine's bottom frame, in which it goes on. */
  private static @Nullable String storesInACoroutine(Heap heap, StorePlace place, int n) {
    Mutator t = heap.mutator();
    t.enter(SLOTS + 1);
    int coroutine = SLOTS;
    place.makeHolder(t, HOLDER);
    t.newThread(coroutine);
    for (int s = 0; s < SLOTS; s++) {
      t.push(coroutine, s);
    }
    int _ = t.resumeInto(coroutine, 0, 0, 0, 0);
    fill(t, place, n);
    t.wipe(VALUE);
    String inside = look(heap, place, n, "in a coroutine");
    int _ = t.suspend(0, 0, 0, 0);
    String afterwards = look(heap, place, n, "of what a coroutine stored");
    t.leave();
    return first(inside, afterwards);
  }

  private static @Nullable String exchanges(Heap heap, StorePlace place) {
    Mutator t = heap.mutator();
    t.enter(SLOTS);
    t.newObject(ROOT, HOLDERS);
    for (int i = 0; i < HOLDERS; i++) {
      place.makeHolder(t, HOLDER);
      fill(t, place, i);
      t.store(ROOT, i, HOLDER);
    }
    for (int i = 0; i < 10 * HOLDERS; i++) {
      int a = (int) (i * 7L % HOLDERS);
      int b = (int) (i * 13L % HOLDERS);
      if (a != b) {
        t.load(HOLDER, ROOT, a);
        place.take(t, VALUE, HOLDER);
        t.load(HOLDER, ROOT, b);
        place.take(t, VALUE + 1, HOLDER);
        makeGarbage(t, 4);
        place.put(t, HOLDER, VALUE);
        t.load(HOLDER, ROOT, a);
        place.put(t, HOLDER, VALUE + 1);
        t.wipe(HOLDER);
      }
    }
    boolean[] found = new boolean[HOLDERS];
    for (int i = 0; i < HOLDERS; i++) {
      t.load(HOLDER, ROOT, i);
      place.take(t, VALUE, HOLDER);
      int n = place.number(t, VALUE);
      if (n < 0 || n >= HOLDERS || found[n]) {
        return "expected each of " + HOLDERS + " values once, found " + n;
      }
      found[n] = true;
    }
    t.leave();
    return null;
  }

  private static void fill(Mutator t, StorePlace place, int n) {
    place.makeValue(t, VALUE, n);
    place.put(t, HOLDER, VALUE);
  }

  /** Looks whether the holder has value {@code n} after much that goes at once. */
  private static @Nullable String look(Heap heap, StorePlace place, int n, String where) {
    Mutator t = heap.mutator();
    makeGarbage(t);
    String wrong = PluginRules.damage(heap);
    if (wrong == null) {
      place.take(t, VALUE, HOLDER);
      int found = t.isReference(VALUE) ? place.number(t, VALUE) : -1;
      wrong = found == n ? null : "expected value " + n + ", found " + found;
      place.put(t, HOLDER, VALUE);
      t.wipe(VALUE);
    }
    return wrong == null ? null : wrong + ", " + where;
  }

  private static void makeGarbage(Mutator t) {
    makeGarbage(t, CALLS);
  }

  /** Calls that make an object and a record, in the places of what was freed, if anything was. */
  private static void makeGarbage(Mutator t, int calls) {
    for (int i = 0; i < calls; i++) {
      t.enter(2);
      t.newObject(0, i % 2 == 0 ? 1 : StorePlace.LARGE);
      t.newRecord(1, 1);
      t.storeInt(0, 0, -2);
      t.storeInt(1, 0, -3);
      t.leave();
    }
  }

  private static @Nullable String keepsCalled(Heap heap) {
    Mutator t = heap.mutator();
    for (int i = 0; i < REPEATS; i++) {
      t.enter(SLOTS);
      t.newFunction(ROOT, 1, 0);
      t.setInt(VALUE, i);
      t.storeConstant(ROOT, 0, VALUE);
      for (int buffer = 0; buffer < CALLS; buffer++) {
        t.newBuffer(HOLDER, 8); // so much that the call begins with looking at it
      }
      t.call(SLOTS, ROOT);
      makeGarbage(t);
      t.call(SLOTS, makeFunction(t));
      makeGarbage(t);
      String wrong = PluginRules.damage(heap);
      t.leave();
      t.leave();
      t.loadConstant(VALUE, ROOT, 0);
      if (wrong != null || t.getInt(VALUE) != i) {
        return wrong != null ? wrong : "expected " + i + ", found " + t.getInt(VALUE);
      }
      t.leave();
    }
    return null;
  }

  private static int makeFunction(Mutator t) {
    t.newFunction(VALUE, 1, 0);
    return VALUE;
  }

  /** What a call made stays as long as the reference leads to it, if that is never read as well. */
  private static @Nullable String keepsWeak(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(SLOTS);
    for (int i = 0; i < 20 * REPEATS; i++) {
      t.enter(SLOTS);
      t.newRecord(VALUE, 1);
      t.storeInt(VALUE, 0, i);
      WeakRef weak = t.newWeak(VALUE);
      int hash = t.identityHash(VALUE);
      t.leave();
      makeGarbage(t, i * 10);
      if (t.getWeak(VALUE, weak) && (t.loadInt(VALUE, 0) != i || t.identityHash(VALUE) != hash)) {
        return "expected " + i + " with hash " + hash + ", found " + t.loadInt(VALUE, 0);
      }
      weak.close();
    }
    t.leave();
    return null;
  }

  private static @Nullable String keepsFinalizable(Heap heap) {
    Mutator t = heap.mutator();
    int[] wrong = {0};
    t.enter(SLOTS);
    for (int i = 0; i < 20 * REPEATS; i++) {
      int expected = i;
      t.enter(SLOTS);
      t.newRecord(HOLDER, 1);
      t.newRecord(VALUE, 1);
      t.storeInt(VALUE, 0, i);
      t.store(HOLDER, 0, VALUE);
      t.setFinalizer(
          HOLDER,
          "expects " + i,
          (thread, _) -> {
            thread.load(1, 0, 0);
            wrong[0] += thread.loadInt(1, 0) == expected ? 0 : 1;
          });
      t.leave();
      makeGarbage(t, i * 10);
    }
    heap.collect();
    t.leave();
    return wrong[0] == 0 ? null : wrong[0] + " finalizers found another element";
  }
}
