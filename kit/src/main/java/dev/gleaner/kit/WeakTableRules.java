package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Weakness;
import dev.gleaner.spi.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a collector owes weak tables: an entry is there as long as what it names is reached, and no
 * longer.
 *
 * <pre>
 *   chain   k0 held    k0 : {k1}    k1 : {k2}    …     entries in any order, in one table or in many
 *   star    one key, with another value in each of many tables
 *   net     tables that are values of each other's entries, by keys of others still
 * </pre>
 *
 * <p>Each rule is a small program with tables, keys and values of which the slots hold one end. It
 * collects while the end is held, and when it is dropped. So entries go that must, and stay that
 * must; and with a few thousand of them a collector that looks at each again and again takes long.
 */
record WeakTableRules(Config config, List<ClassLoader> loaders) {
  private static final Config SETTINGS =
      ConfigFactory.parseString(
          "gleaner { voluntary.enabled = false, torture.gc = off, strings.max-interned = 40 }");

  private static final String LONG_TEXT = "a".repeat(50);
  private static final int MANY = 3000;
  private static final int LEVELS = 5;

  // Slots of the frame.
  private static final int TABLE = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int TABLES = 3;
  private static final int KEYS = 4;
  private static final int A = 5;
  private static final int B = 6;
  private static final int SLOTS = 8;

  /** A heap in whose frame a rule works. */
  private static final class Stage {
    final Heap heap;
    final Mutator t;
    final boolean cycles;

    Stage(Heap heap) {
      this.heap = heap;
      this.t = heap.mutator();
      this.cycles = heap.traits().has(Capability.CYCLES);
      t.enter(SLOTS);
    }

    /** Collects all that is due, and what its finalizers lost. */
    void collect() {
      for (int i = 0; i < 4; i++) {
        heap.collect();
      }
    }

    void newKey(int d, int number) {
      t.newRecord(d, 2);
      t.storeInt(d, 0, number);
    }

    void put(int table, int key, int value) {
      t.putProperty(table, key, value);
    }

    @Nullable String entries(int table, int expected) {
      int found = t.propertyCount(table);
      return found == expected
          ? PluginRules.damage(heap)
          : "expected " + expected + " entries, found " + found;
    }
  }

  List<Rule> all() {
    List<Rule> rules = new ArrayList<>();
    rules.add(rule("keep an entry while its key is held", WeakTableRules::keepsHeld));
    rules.add(rule("let an entry go with its key", WeakTableRules::goesWithKey));
    rules.add(rule("keep no key through its own value", WeakTableRules::keepsNoCycle));
    rules.add(rule("let an entry go with its value", WeakTableRules::goesWithValue));
    rules.add(rule("let an entry go with either", WeakTableRules::goesWithEither));
    rules.add(rule("keep strings, numbers and booleans", WeakTableRules::keepsPlain));
    rules.add(rule("follow a chain in one table", s -> chain(s, 1)));
    rules.add(rule("follow a chain through many tables", s -> chain(s, MANY / 3)));
    rules.add(rule("follow a star", WeakTableRules::star));
    rules.add(rule("follow tables that refer to each other's keys", WeakTableRules::net));
    rules.add(rule("follow values of many elements", WeakTableRules::wide));
    rules.add(rule("keep a key for its finalizer", WeakTableRules::resurrects));
    rules.add(rule("clear a value before its finalizer", WeakTableRules::clearsBeforeFinalizer));
    rules.add(rule("keep what a finalizer reaches by a table", WeakTableRules::keepsForFinalizer));
    rules.add(rule("let a table go with all that it holds", WeakTableRules::tableGoes));
    rules.add(rule("go on with a walk", WeakTableRules::walks));
    rules.add(rule("go on from a key whose entry went", WeakTableRules::walksFromKey));
    rules.add(rule("be used for ever", WeakTableRules::churns));
    rules.add(rule("take an update by any form of a key", WeakTableRules::updatesByAnyForm));
    rules.add(rule("take another value by any form of a key", WeakTableRules::putsByAnyForm));
    rules.add(rule("become weak and strong again", WeakTableRules::changes));
    rules.add(rule("become weak with an array part", WeakTableRules::weakensArray));
    rules.add(rule("go as what they became", WeakTableRules::changedGoes));
    return rules;
  }

  private Rule rule(String text, Function<Stage, @Nullable String> check) {
    return PluginRules.onHeap(
        "weak tables",
        text,
        SETTINGS.withFallback(config),
        loaders,
        heap -> check.apply(new Stage(heap)));
  }

  /** The key in the slot is not the word that the table has. */
  private static @Nullable String updatesByAnyForm(Stage s) {
    for (int weakness = Weakness.KEYS; weakness <= Weakness.BOTH; weakness++) {
      s.t.newWeakObject(TABLE, weakness);
      s.t.setInt(VALUE, 1);
      s.t.setDouble(KEY, 0x1p40);
      s.put(TABLE, KEY, VALUE);
      s.t.setDouble(KEY, 3);
      s.put(TABLE, KEY, VALUE);
      s.t.newString(KEY, LONG_TEXT);
      s.put(TABLE, KEY, VALUE);
      s.t.newString(KEY, LONG_TEXT); // another element
      s.t.setInt(VALUE, 2);
      boolean found = s.t.update(TABLE, KEY, VALUE);
      s.t.setDouble(KEY, 0x1p40);
      found &= s.t.update(TABLE, KEY, VALUE);
      s.t.setLong(KEY, 1L << 40);
      found &= s.t.update(TABLE, KEY, VALUE);
      s.t.setDouble(KEY, 3);
      found &= s.t.update(TABLE, KEY, VALUE);
      if (!found) {
        return "expected an update by the same key, found none; weakness " + weakness;
      }
      String wrong = s.entries(TABLE, 3);
      if (wrong != null) {
        return wrong;
      }
      s.t.wipe(0);
    }
    return null;
  }

  /** A value that is not held goes for another one, and is there still where it is held. */
  private static @Nullable String putsByAnyForm(Stage s) {
    for (int weakness = Weakness.KEYS; weakness <= Weakness.BOTH; weakness++) {
      s.t.newWeakObject(TABLE, weakness);
      for (int form = 0; form < 3; form++) {
        s.newKey(VALUE, 1);
        for (int i = 0; i < 3; i++) {
          switch (form) {
            case 0 -> s.t.setDouble(KEY, 0x1p40);
            case 1 -> s.t.setDouble(KEY, 3);
            default -> s.t.newString(KEY, LONG_TEXT);
          }
          s.newKey(A, 2);
          s.put(TABLE, KEY, i == 0 ? VALUE : A);
        }
        s.t.setUndefined(A);
        s.collect();
        if (s.t.loadInt(VALUE, 0) != 1) {
          return "expected the first value where it is held, found another; weakness " + weakness;
        }
        String wrong = s.entries(TABLE, (weakness & Weakness.VALUES) == 0 ? form + 1 : 0);
        if (wrong != null) {
          return wrong;
        }
      }
      s.t.wipe(0);
    }
    return null;
  }

  private static @Nullable String keepsHeld(Stage s) {
    for (int weakness = Weakness.KEYS; weakness <= Weakness.BOTH; weakness++) {
      s.t.newWeakObject(TABLE, weakness);
      s.newKey(KEY, 1);
      s.newKey(VALUE, 2);
      s.put(TABLE, KEY, VALUE);
      if (weakness == Weakness.KEYS) {
        s.t.wipe(VALUE);
        s.t.setUndefined(VALUE);
      } else if (weakness == Weakness.VALUES) {
        s.t.setUndefined(KEY);
      }
      s.collect();
      long cursor = s.t.nextProperty(TABLE, 0, A, B);
      if (cursor < 0 || s.t.loadInt(A, 0) != 1 || s.t.loadInt(B, 0) != 2) {
        return "expected an entry of keys 1 and 2, found another; weakness " + weakness;
      }
      s.t.getProperty(B, TABLE, A);
      if (!s.t.isReference(B) || s.t.loadInt(B, 0) != 2) {
        return "expected value 2 by its key, found another; weakness " + weakness;
      }
      s.t.wipe(0);
    }
    return null;
  }

  private static @Nullable String goesWithKey(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.KEYS);
    s.newKey(KEY, 1);
    s.newKey(VALUE, 2);
    s.put(TABLE, KEY, VALUE);
    WeakRef value = s.t.newWeak(VALUE);
    s.t.setUndefined(VALUE);
    s.collect();
    if (value.isCleared()) {
      return "expected the value to stay with its key, found it gone";
    }
    s.t.setUndefined(KEY);
    s.collect();
    String wrong = s.entries(TABLE, 0);
    return wrong != null ? wrong : value.isCleared() ? null : "expected the value gone, found it";
  }

  private static @Nullable String keepsNoCycle(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.KEYS);
    for (int i = 0; i < 20; i++) {
      s.newKey(KEY, i);
      s.newKey(VALUE, i);
      s.t.store(VALUE, 1, KEY);
      s.put(TABLE, KEY, i % 2 == 0 ? VALUE : KEY);
      s.t.setUndefined(VALUE);
    }
    s.collect();
    String wrong = s.cycles ? s.entries(TABLE, 1) : null;
    s.t.setUndefined(KEY);
    s.collect();
    return wrong != null || !s.cycles ? wrong : s.entries(TABLE, 0);
  }

  private static @Nullable String goesWithValue(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.VALUES);
    for (int i = 0; i < 30; i++) {
      s.newKey(KEY, i);
      s.newKey(VALUE, i);
      s.t.copy(i == 20 ? A : VALUE, VALUE);
      s.put(TABLE, KEY, VALUE);
    }
    s.t.setUndefined(KEY);
    s.t.setUndefined(VALUE);
    s.collect();
    String wrong = s.entries(TABLE, 1);
    s.t.setUndefined(A);
    s.collect();
    return wrong != null ? wrong : s.entries(TABLE, 0);
  }

  private static @Nullable String goesWithEither(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.BOTH);
    s.newKey(A, 0);
    s.newKey(B, 0);
    s.put(TABLE, A, B);
    for (int i = 0; i < 10; i++) {
      s.newKey(KEY, i);
      s.put(TABLE, KEY, B);
      s.newKey(KEY, i);
      s.newKey(VALUE, i);
      s.put(TABLE, KEY, KEY);
    }
    s.t.setUndefined(KEY);
    s.collect();
    String wrong = s.entries(TABLE, 1);
    s.t.setUndefined(B);
    s.collect();
    return wrong != null ? wrong : s.entries(TABLE, 0);
  }

  private static @Nullable String keepsPlain(Stage s) {
    for (int weakness = Weakness.KEYS; weakness <= Weakness.BOTH; weakness++) {
      s.t.newWeakObject(TABLE, weakness);
      for (int i = 0; i < 40; i++) {
        s.t.newString(KEY, "key " + i);
        s.t.newString(VALUE, "value " + i);
        s.put(TABLE, KEY, VALUE);
        s.t.setInt(KEY, i);
        s.t.setBoolean(VALUE, i % 2 == 0);
        s.put(TABLE, KEY, VALUE);
      }
      s.newKey(A, 7);
      s.t.newString(VALUE, "of a key");
      s.put(TABLE, A, VALUE);
      s.t.setUndefined(KEY);
      s.t.setUndefined(VALUE);
      s.collect();
      String wrong = s.entries(TABLE, 81);
      if (wrong != null) {
        return wrong;
      }
      for (int i = 0; i < 40; i++) {
        s.t.newString(KEY, "key " + i);
        s.t.getProperty(VALUE, TABLE, KEY);
        if (!s.t.isReference(VALUE) || !s.t.getString(VALUE).equals("value " + i)) {
          return "expected the string of key " + i + ", found another";
        }
      }
    }
    return null;
  }

  /** Puts links of a chain into tables in turn, in an order of its own. */
  private static @Nullable String chain(Stage s, int tables) {
    s.t.newRecord(TABLES, tables);
    s.t.newRecord(KEYS, MANY + 1);
    for (int i = 0; i < tables; i++) {
      s.t.newWeakObject(TABLE, Weakness.KEYS);
      s.t.store(TABLES, i, TABLE);
    }
    for (int i = 0; i <= MANY; i++) {
      s.newKey(KEY, i);
      s.t.store(KEYS, i, KEY);
    }
    RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
    int[] order = random.ints(0, MANY).distinct().limit(MANY).toArray();
    for (int i : order) {
      s.t.load(KEY, KEYS, i);
      s.t.load(A, KEYS, i + 1);
      s.t.newRecord(VALUE, 1);
      s.t.store(VALUE, 0, A);
      s.t.load(TABLE, TABLES, i % tables);
      s.put(TABLE, KEY, VALUE);
    }
    s.t.load(B, KEYS, 0);
    for (int slot : new int[] {KEYS, KEY, VALUE, TABLE, A}) {
      s.t.setUndefined(slot);
    }
    s.collect();
    String wrong = total(s, tables, MANY);
    s.t.setUndefined(B);
    s.collect();
    return wrong != null ? wrong : total(s, tables, 0);
  }

  private static @Nullable String total(Stage s, int tables, int expected) {
    int found = 0;
    for (int i = 0; i < tables; i++) {
      s.t.load(TABLE, TABLES, i);
      found += s.t.propertyCount(TABLE);
    }
    s.t.setUndefined(TABLE);
    return found == expected
        ? PluginRules.damage(s.heap)
        : "expected " + expected + " entries, found " + found;
  }

  private static @Nullable String star(Stage s) {
    s.t.newRecord(TABLES, MANY);
    s.newKey(KEY, 1);
    for (int i = 0; i < MANY; i++) {
      s.t.newWeakObject(TABLE, Weakness.KEYS);
      s.newKey(VALUE, i);
      s.put(TABLE, KEY, VALUE);
      s.t.store(TABLES, i, TABLE);
    }
    s.t.setUndefined(VALUE);
    s.collect();
    String wrong = total(s, MANY, MANY);
    s.t.setUndefined(KEY);
    s.collect();
    return wrong != null ? wrong : total(s, MANY, 0);
  }

  /** Table i has table i + 1 under key i + 1, and key i + 2 under key i. */
  private static @Nullable String net(Stage s) {
    s.t.newRecord(KEYS, MANY + 2);
    s.t.newRecord(TABLES, MANY + 1);
    for (int i = 0; i < MANY + 2; i++) {
      s.newKey(KEY, i);
      s.t.store(KEYS, i, KEY);
    }
    for (int i = 0; i <= MANY; i++) {
      s.t.newWeakObject(TABLE, Weakness.KEYS);
      s.t.store(TABLES, i, TABLE);
    }
    for (int i = 0; i < MANY; i++) {
      s.t.load(TABLE, TABLES, i);
      s.t.load(KEY, KEYS, i + 1);
      s.t.load(VALUE, TABLES, i + 1);
      s.put(TABLE, KEY, VALUE);
      s.t.load(KEY, KEYS, i);
      s.t.load(VALUE, KEYS, i + 2);
      s.put(TABLE, KEY, VALUE);
    }
    WeakRef last = s.t.newWeak(VALUE);
    s.t.load(TABLE, TABLES, 0);
    s.t.load(A, KEYS, 0);
    s.t.load(B, KEYS, 1);
    for (int slot : new int[] {TABLES, KEYS, KEY, VALUE}) {
      s.t.setUndefined(slot);
    }
    s.collect();
    if (last.isCleared()) {
      return "expected the last key to be reached, found it gone";
    }
    s.t.setUndefined(B);
    s.collect();
    return last.isCleared() ? s.entries(TABLE, 1) : "expected the last key gone, found it";
  }

  /** Each value has more elements than a walk may keep; the last one is the key of the next. */
  private static @Nullable String wide(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.KEYS);
    s.newKey(A, -1);
    s.t.copy(KEY, A);
    for (int level = 0; level < LEVELS; level++) {
      s.t.newRecord(VALUE, MANY);
      for (int i = 0; i < MANY; i++) {
        s.newKey(B, i);
        s.t.store(VALUE, i, B);
      }
      s.put(TABLE, KEY, VALUE);
      s.t.copy(KEY, B);
    }
    for (int slot : new int[] {KEY, VALUE, B}) {
      s.t.setUndefined(slot);
    }
    s.collect();
    String wrong = s.entries(TABLE, LEVELS);
    s.t.setUndefined(A);
    s.collect();
    return wrong != null ? wrong : s.entries(TABLE, 0);
  }

  private static @Nullable String resurrects(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.KEYS);
    s.newKey(KEY, 1);
    s.newKey(VALUE, 2);
    s.put(TABLE, KEY, VALUE);
    List<String> seen = new ArrayList<>();
    try (var table = s.heap.newGlobal()) {
      s.t.setGlobal(table, TABLE);
      s.t.setFinalizer(
          KEY,
          "key",
          (t, _) -> {
            t.enter(3);
            t.getGlobal(0, table);
            long next = t.nextProperty(0, 0, 1, 2);
            seen.add(next < 0 ? "no entry" : t.loadInt(1, 0) + ":" + t.loadInt(2, 0));
            t.leave();
          });
      s.t.setUndefined(KEY);
      s.t.setUndefined(VALUE);
      s.collect();
    }
    return seen.equals(List.of("1:2"))
        ? s.entries(TABLE, 0)
        : "expected the finalizer to see 1:2, found " + seen;
  }

  private static @Nullable String clearsBeforeFinalizer(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.VALUES);
    s.newKey(VALUE, 2);
    s.t.newString(KEY, "key");
    s.put(TABLE, KEY, VALUE);
    List<Integer> seen = new ArrayList<>();
    try (var table = s.heap.newGlobal()) {
      s.t.setGlobal(table, TABLE);
      s.t.setFinalizer(
          VALUE,
          "value",
          (t, _) -> {
            t.enter(1);
            t.getGlobal(0, table);
            seen.add(t.propertyCount(0));
            t.leave();
          });
      s.t.setUndefined(VALUE);
      s.collect();
    }
    return seen.equals(List.of(0)) ? null : "expected no entry in the finalizer, found " + seen;
  }

  /** An element with a finalizer holds the table and the key. */
  private static @Nullable String keepsForFinalizer(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.KEYS);
    s.newKey(KEY, 1);
    s.newKey(VALUE, 2);
    s.put(TABLE, KEY, VALUE);
    WeakRef value = s.t.newWeak(VALUE);
    s.t.newRecord(A, 2);
    s.t.store(A, 0, TABLE);
    s.t.store(A, 1, KEY);
    List<Integer> seen = new ArrayList<>();
    s.t.setFinalizer(
        A,
        "holder",
        (t, _) -> {
          t.enter(4, 0, 1);
          t.load(1, 0, 0);
          t.load(2, 0, 1);
          t.getProperty(3, 1, 2);
          seen.add(t.isReference(3) ? t.loadInt(3, 0) : -1);
          t.leave();
        });
    s.t.wipe(0);
    s.collect();
    return !seen.equals(List.of(2))
        ? "expected value 2 in the finalizer, found " + seen
        : value.isCleared() ? null : "expected the value gone with the table, found it";
  }

  /** The first round has what the heap itself keeps, such as a longer string table. */
  private static @Nullable String tableGoes(Stage s) {
    s.newKey(KEY, 1);
    makeAndDrop(s);
    long before = s.heap.snapshot().usedBytes();
    makeAndDrop(s);
    long left = s.heap.snapshot().usedBytes() - before;
    return left > 0 ? "expected no table left, found " + left + " bytes more" : null;
  }

  private static void makeAndDrop(Stage s) {
    for (int i = 0; i < 300; i++) {
      s.t.newWeakObject(TABLE, Weakness.KEYS + i % 3);
      s.newKey(VALUE, i);
      s.put(TABLE, KEY, VALUE);
      s.put(TABLE, VALUE, KEY);
      s.t.newString(A, "key " + i);
      s.put(TABLE, A, A);
      s.put(TABLE, A, VALUE);
    }
    for (int slot : new int[] {TABLE, VALUE, A}) {
      s.t.setUndefined(slot);
    }
    s.collect();
  }

  /** Every other key is dropped while a walk is under way, and collected. */
  private static @Nullable String walks(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.KEYS);
    s.t.newRecord(KEYS, 200);
    for (int i = 0; i < 200; i++) {
      s.newKey(KEY, i);
      s.t.store(KEYS, i, KEY);
      s.put(TABLE, KEY, KEYS);
    }
    s.t.setUndefined(TABLES);
    boolean[] seen = new boolean[200];
    long cursor = 0;
    for (int n = 0; (cursor = s.t.nextProperty(TABLE, cursor, KEY, VALUE)) >= 0; n++) {
      int number = s.t.loadInt(KEY, 0);
      if (seen[number]) {
        return "expected each key once, found " + number + " twice";
      }
      seen[number] = true;
      s.t.setUndefined(VALUE);
      for (int i = 1; i < 200 && n % 50 == 10; i += 2) {
        if (i % 3 == n % 3) {
          s.t.setUndefined(A);
          s.t.store(KEYS, i, A);
        }
      }
      if (n % 50 == 10) {
        s.t.setUndefined(KEY);
        s.heap.collect();
      }
    }
    for (int i = 0; i < 200; i += 2) {
      if (!seen[i]) {
        return "expected every key that stays, found no " + i;
      }
    }
    return null;
  }

  private static @Nullable String walksFromKey(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.VALUES);
    s.t.newRecord(KEYS, 100);
    for (int i = 0; i < 100; i++) {
      s.newKey(KEY, i);
      s.newKey(VALUE, i);
      s.t.store(KEYS, i, VALUE);
      s.put(TABLE, KEY, VALUE);
    }
    s.t.setUndefined(KEY);
    int seen = 0;
    while (s.t.nextPropertyAfter(TABLE, KEY, KEY, VALUE)) {
      s.t.setUndefined(VALUE);
      s.t.setUndefined(A);
      s.t.store(KEYS, s.t.loadInt(KEY, 0), A); // the value goes, and the entry it stands on
      if (seen++ % 10 == 3) {
        s.heap.collect();
      }
    }
    return seen == 100 ? null : "expected 100 entries in a walk, found " + seen;
  }

  /** An object with 60 entries of keys and values that nothing else holds, and an inline slot. */
  private static void fill(Stage s, int kept) {
    s.t.newObject(TABLE, 1);
    s.newKey(A, -1);
    s.t.store(TABLE, 0, A);
    for (int i = 0; i < 60; i++) {
      s.newKey(KEY, i);
      s.newKey(VALUE, i);
      s.t.copy(i == kept ? A : VALUE, i == kept ? KEY : VALUE);
      s.t.copy(i == kept ? B : VALUE, VALUE);
      s.put(TABLE, KEY, VALUE);
    }
    s.t.setUndefined(KEY);
    s.t.setUndefined(VALUE);
  }

  private static @Nullable String changes(Stage s) {
    for (int weakness = Weakness.KEYS; weakness <= Weakness.BOTH; weakness++) {
      fill(s, 30);
      s.collect();
      String wrong = s.entries(TABLE, 60);
      s.t.setWeakness(TABLE, weakness);
      s.collect();
      wrong = wrong != null ? wrong : s.entries(TABLE, 1);
      s.t.setWeakness(TABLE, Weakness.NONE);
      s.t.setUndefined(A);
      s.t.setUndefined(B);
      s.collect();
      wrong = wrong != null ? wrong : s.entries(TABLE, 1);
      for (int again = Weakness.BOTH; again >= Weakness.KEYS && wrong == null; again--) {
        s.t.setWeakness(TABLE, again);
      }
      s.t.setWeakness(TABLE, weakness);
      s.collect();
      wrong = wrong != null ? wrong : s.entries(TABLE, 0);
      s.t.load(A, TABLE, 0);
      if (wrong != null || s.t.loadInt(A, 0) != -1) {
        return wrong != null ? wrong : "expected the inline slot as it was, found another value";
      }
    }
    return null;
  }

  private static @Nullable String weakensArray(Stage s) {
    s.t.newObject(TABLE);
    s.newKey(A, 7);
    for (int i = 0; i < 50; i++) {
      s.newKey(VALUE, i);
      s.t.putIndex(TABLE, 2 * i, i == 20 ? A : VALUE);
    }
    s.t.setInt(B, 5);
    s.t.newString(KEY, "key");
    s.put(TABLE, KEY, B);
    s.t.setUndefined(VALUE);
    s.t.setWeakness(TABLE, Weakness.VALUES);
    s.collect();
    String wrong = s.entries(TABLE, 2);
    s.t.setInt(KEY, 40);
    s.t.getProperty(B, TABLE, KEY);
    return wrong != null
        ? wrong
        : s.t.same(A, B) ? null : "expected what index 40 had, found another";
  }

  /** Objects that were or are weak go like others, with all that they hold. */
  private static @Nullable String changedGoes(Stage s) {
    s.newKey(A, 1);
    long before = 0;
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 100; i++) {
        s.t.newObject(TABLE, i % 3);
        s.newKey(KEY, i);
        s.newKey(VALUE, i);
        s.put(TABLE, KEY, VALUE);
        s.put(TABLE, A, VALUE);
        s.put(TABLE, VALUE, A);
        s.t.setWeakness(TABLE, i % 4);
        s.t.setWeakness(TABLE, i / 4 % 4);
      }
      for (int slot : new int[] {TABLE, KEY, VALUE}) {
        s.t.setUndefined(slot);
      }
      s.collect();
      if (round == 1) {
        before = s.heap.snapshot().usedBytes();
      }
    }
    long left = s.heap.snapshot().usedBytes() - before;
    return left > 0 ? "expected no table left, found " + left + " bytes more" : null;
  }

  /** A table as a cache: what is put goes again, for ever. */
  private static @Nullable String churns(Stage s) {
    s.t.newWeakObject(TABLE, Weakness.KEYS);
    s.t.newWeakObject(TABLES, Weakness.VALUES);
    s.t.newRecord(KEYS, 50);
    for (int i = 0; i < 20_000; i++) {
      s.newKey(KEY, i);
      s.newKey(VALUE, i);
      s.t.store(KEYS, i % 50, KEY);
      s.put(TABLE, KEY, VALUE);
      s.put(TABLES, VALUE, KEY);
      if (i % 7 == 0) {
        boolean _ = s.t.deleteProperty(TABLE, KEY);
        boolean _ = s.t.deleteProperty(TABLES, VALUE);
      }
      if (i % 1000 == 999) {
        s.heap.collect();
      }
    }
    s.t.setUndefined(KEY);
    s.t.setUndefined(VALUE);
    s.collect();
    int expected = 50 - 7;
    int found = s.t.propertyCount(TABLE);
    return Math.abs(found - expected) <= 1 && found == s.t.propertyCount(TABLES)
        ? null
        : "expected about %d entries, found %d and %d"
            .formatted(expected, found, s.t.propertyCount(TABLES));
  }
}
