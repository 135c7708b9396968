package dev.gleaner.collector.marksweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.testing.Tier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random mutations between slices: the same program gives the same results whether collections are
 * incremental, minor, or stop the world, and all are those of a graph in plain Java.
 */
@Tag("D32")
class IncrementalProgramTest extends HeapTests {
  private static final int SLOTS = 24;
  private static final int SCRATCH = SLOTS; // this one, one for keys, the ballast, nothing
  private static final int NOTHING = SLOTS + 3;
  private static final int FIELDS = 3;

  /** Records of a list besides, so that a cycle takes many slices. */
  private static final int BALLAST = 5000;

  private static final int NONE = -1;

  /** The graph: nodes by number, each with references to others, or none. */
  private final Map<Integer, int[]> nodes = new HashMap<>();

  private final int[] slots = new int[SLOTS];
  private final Map<Integer, WeakRef> weak = new HashMap<>();
  private int made;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "incremental { enabled = true, slice = 1us, allocations-per-slice = 1 }",
        "incremental { enabled = true, slice = 1us, allocations-per-slice = 20 },"
            + " mark.recursion-limit = 16",
        "incremental { enabled = true, slice = 1us }, memory { backing = grown, initial = 0 }",
        "incremental { enabled = true, slice = 1us }, memory.max = 512KiB",
        "incremental.enabled = false",
        "incremental.enabled = false, mark.recursion-limit = 16, memory.backing = grown",
        "collectors.marksweep.generational = on, torture.gc = 25",
        "collectors.marksweep.generational = on, torture.gc = 7, mark.recursion-limit = 16,"
            + " memory { backing = grown, initial = 0 }",
      })
  @Tag("seeds")
  void agreesWithAGraphInPlainJava(String settings) {
    long first = Long.getLong("gleaner.seed", 42);
    for (long seed = first; seed < first + Tier.number(2, 6); seed++) {
      nodes.clear();
      weak.clear();
      made = 0;
      Heap heap = open("voluntary { mult = 0.25, add = 200 }", settings);
      try {
        new Program(heap, new Random(seed), settings.contains("generational")).run(6000);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("with -Dgleaner.seed=" + seed + ": " + e.getMessage(), e);
      }
      heap.close();
    }
  }

  /** The reachable nodes. */
  private Set<Integer> reachable() {
    Set<Integer> seen = new HashSet<>();
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    for (int node : slots) {
      if (node != NONE && seen.add(node)) {
        queue.add(node);
      }
    }
    while (!queue.isEmpty()) {
      for (int to : fields(queue.remove())) {
        if (to != NONE && seen.add(to)) {
          queue.add(to);
        }
      }
    }
    return seen;
  }

  private int[] fields(int node) {
    int[] fields = nodes.get(node);
    if (fields == null) {
      throw new AssertionError("no node " + node);
    }
    return fields;
  }

  /**
   * A node is a record of its references and its number, or an object with its references in a
   * slot, a property and the array part, and its number in a slot.
   */
  private final class Program {
    private final Heap heap;
    private final Mutator t;
    private final Random random;
    private final boolean minor;

    Program(Heap heap, Random random, boolean minor) {
      this.heap = heap;
      this.t = heap.mutator();
      this.random = random;
      this.minor = minor;
    }

    private void collectInPart() {
      if (minor) {
        heap.collectMinor();
      } else {
        boolean _ = heap.step(1);
      }
    }

    void run(int steps) {
      t.enter(SLOTS + 4);
      list(t, SLOTS + 2, SCRATCH, BALLAST);
      java.util.Arrays.fill(slots, NONE);
      boolean incremental = false;
      for (int i = 0; i < steps; i++) {
        step();
        if (i % 500 == 499) {
          assertThat(heap.inspect().verify()).isEmpty();
        }
        if (random.nextInt(10) == 0) {
          collectInPart(); // also where collections stop the world
          incremental = true;
        }
      }
      assertThat(incremental).isTrue();
      while (!minor && !heap.step(10)) {}
      compare();
      t.wipe(SCRATCH + 3);
      t.setUndefined(SCRATCH);
      heap.collect();
      Set<Integer> live = reachable();
      assertThat(count(heap, Kind.RECORD) + count(heap, Kind.OBJECT))
          .isEqualTo(live.size() + BALLAST);
      assertThat(live.size()).as("of a graph worth comparing").isGreaterThan(SLOTS);
      compare();
      for (var entry : weak.entrySet()) {
        assertThat(entry.getValue().isCleared()).isEqualTo(!live.contains(entry.getKey()));
      }
    }

    private void step() {
      int d = random.nextInt(SLOTS);
      int from = random.nextInt(SLOTS);
      int field = random.nextInt(FIELDS);
      switch (random.nextInt(14)) {
        case 0, 1, 2, 3, 4, 5, 6 -> {
          int before = slots[d];
          t.copy(SCRATCH, d);
          make(d);
          if (random.nextInt(16) > 0) { // in front of what was there
            store(d, field, SCRATCH);
            fields(slots[d])[field] = before;
          }
        }
        case 7 -> {
          if (slots[d] != NONE) {
            store(d, field, from);
            fields(slots[d])[field] = slots[from];
          }
        }
        case 8 -> {
          if (slots[from] != NONE) {
            int to = fields(slots[from])[field];
            load(d, from, field);
            slots[d] = to;
          }
        }
        case 9, 10 -> {
          if (random.nextInt(12) == 0) {
            t.setUndefined(d);
            slots[d] = NONE;
          }
        }
        case 11, 12 -> {
          if (slots[d] != NONE && !weak.containsKey(slots[d])) {
            weak.put(slots[d], t.newWeak(d));
          }
        }
        default -> readWeak(d);
      }
      check(d);
    }

    /** Reads any weak reference: an element that lost all others is reachable again. */
    private void readWeak(int d) {
      if (weak.isEmpty()) {
        return;
      }
      List<Integer> numbers = new ArrayList<>(weak.keySet());
      int node = numbers.get(random.nextInt(numbers.size()));
      WeakRef reference = weak.get(node);
      if (reference != null && t.getWeak(d, reference)) {
        slots[d] = node;
      } else {
        assertThat(reachable()).doesNotContain(node);
        slots[d] = NONE;
      }
    }

    private void make(int d) {
      int node = made++;
      nodes.put(node, new int[] {NONE, NONE, NONE});
      slots[d] = node;
      if (node % 3 == 0) {
        t.newObject(d, 2);
        t.storeInt(d, 0, node);
      } else {
        t.newRecord(d, FIELDS + 1 + node % 5 * 3);
        t.storeInt(d, FIELDS, node);
      }
      t.setNull(NOTHING);
      for (int f = 0; f < FIELDS; f++) {
        store(d, f, NOTHING);
      }
    }

    private boolean isObject(int slot) {
      return t.kind(slot) == Kind.OBJECT;
    }

    private void store(int d, int field, int from) {
      if (!isObject(d)) {
        t.store(d, field, from);
      } else if (field == 0) {
        t.store(d, 1, from);
      } else if (field == 1) {
        t.putIndex(d, 3, from);
      } else {
        t.newString(SCRATCH + 1, "field");
        if (random.nextInt(4) == 0) {
          t.deleteProperty(d, SCRATCH + 1);
        }
        t.putProperty(d, SCRATCH + 1, from);
        t.setUndefined(SCRATCH + 1);
      }
    }

    private void load(int d, int from, int field) {
      if (!isObject(from)) {
        t.load(d, from, field);
      } else if (field == 0) {
        t.load(d, from, 1);
      } else if (field == 1) {
        t.getIndex(d, from, 3);
      } else {
        t.newString(SCRATCH + 1, "field");
        t.getProperty(d, from, SCRATCH + 1);
        t.setUndefined(SCRATCH + 1);
      }
    }

    private int number(int slot) {
      return t.loadInt(slot, isObject(slot) ? 0 : FIELDS);
    }

    private void check(int slot) {
      if (slots[slot] == NONE) {
        assertThat(t.isReference(slot)).isFalse();
      } else {
        assertThat(number(slot)).isEqualTo(slots[slot]);
      }
    }

    /** Walks the whole graph beside the heap's. */
    private void compare() {
      Set<Integer> seen = new HashSet<>();
      for (int s = 0; s < SLOTS; s++) {
        check(s);
        if (slots[s] != NONE) {
          t.enter(2, s, 1);
          walk(slots[s], seen);
          t.leave();
        }
      }
      assertThat(seen).isEqualTo(reachable());
    }

    /** The node is in slot 0 of a frame of two; iterative, by a list in the second slot. */
    private void walk(int root, Set<Integer> seen) {
      t.enter(4, 0, 1); // node, work list, field, scratch
      ArrayDeque<Integer> queue = new ArrayDeque<>();
      t.newRecord(1, 2);
      t.store(1, 0, 0);
      queue.add(root);
      seen.add(root);
      while (!queue.isEmpty()) {
        int node = queue.removeLast();
        t.load(0, 1, 0);
        t.load(1, 1, 1);
        assertThat(t.loadInt(0, t.kind(0) == Kind.OBJECT ? 0 : FIELDS)).isEqualTo(node);
        int[] fields = fields(node);
        for (int f = 0; f < FIELDS; f++) {
          loadFrom(2, 0, f);
          assertThat(t.isReference(2)).isEqualTo(fields[f] != NONE);
          if (fields[f] != NONE && seen.add(fields[f])) {
            t.newRecord(3, 2);
            t.store(3, 0, 2);
            t.store(3, 1, 1);
            t.copy(1, 3);
            queue.addLast(fields[f]);
          }
        }
      }
      t.leave();
    }

    private void loadFrom(int d, int from, int field) {
      if (t.kind(from) != Kind.OBJECT) {
        t.load(d, from, field);
      } else if (field == 0) {
        t.load(d, from, 1);
      } else if (field == 1) {
        t.getIndex(d, from, 3);
      } else {
        t.enter(2, from, 1);
        t.newString(1, "field");
        t.getProperty(1, 0, 1);
        t.leave(1, d);
      }
    }
  }
}
