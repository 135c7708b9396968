package dev.gleaner.mark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.BlockWatch;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.MarkBits;
import dev.gleaner.testing.Seeds;
import dev.gleaner.testing.Tier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Marking against a breadth-first search in plain Java: by stack, by windows when the stack is too
 * small, in slices.
 */
@Tag("D16")
class MarkerTest {
  private static final long WINDOW = 2 << 20;
  private static final int MOST = 64 << 20;
  private static final int SMALL = 16;
  private static final int AMPLE = 1 << 16;

  /** Elements laid out by hand over several windows, with their references known. */
  private static final int ROUNDS = Tier.number(20, 400);

  private static final class Graph implements AutoCloseable {
    final Memory memory;
    final List<Long> elements = new ArrayList<>();
    final List<List<Integer>> edges = new ArrayList<>();
    private long at = 1024;

    Graph(long bytes, boolean reserve) {
      memory = Memory.open(bytes, 1 << 10, reserve);
    }

    long extent() {
      return (at + 1023) & -1024L;
    }

    void skip(long bytes) {
      at += bytes & -8L;
    }

    private long take(long words) {
      long e = at;
      at += words << 3;
      assertThat(memory.ensure(extent())).isTrue();
      return e;
    }

    int add(int kind, int words) {
      long e = take(words + 1L);
      memory.put(e, Layout.header(kind, words));
      elements.add(e);
      edges.add(new ArrayList<>());
      return elements.size() - 1;
    }

    int record(int slots) {
      return add(Layout.RECORD, slots);
    }

    void set(int from, int word, int to) {
      memory.put(elements.get(from) + 8 + 8L * word, elements.get(to));
      edges.get(from).add(to);
    }

    /** An object, thread or function whose references stand where that kind keeps them. */
    int addOther(Random random, int kind) {
      return switch (kind) {
        case Layout.OBJECT -> {
          int o = add(kind, Layout.OBJECT_SLOTS + random.nextInt(3));
          memory.put(elements.get(o) + Layout.OBJECT_PROTOTYPE, Values.NULL);
          int entries = random.nextInt(5);
          int array = random.nextInt(3);
          long before = take(3); // another block, whose references are not the object's
          for (int w = 0; w < 3; w++) {
            memory.put(before + 8L * w, elements.get(random.nextInt(o + 1)));
          }
          long table = take(3 + 2L * entries + array);
          memory.put(table + TableLayout.ENTRIES, TableLayout.pack(entries, entries));
          memory.put(table + TableLayout.HASH, TableLayout.pack(0, entries));
          memory.put(table + TableLayout.ARRAY, TableLayout.pack(array, array));
          memory.put(elements.get(o) + Layout.OBJECT_TABLE, Values.ofRaw(table));
          yield o;
        }
        case Layout.THREAD -> {
          int t = add(kind, ThreadLayout.PAYLOAD_WORDS);
          long e = elements.get(t);
          for (int i = 0; i < ThreadLayout.PAYLOAD_WORDS; i++) {
            memory.put(e + 8 + 8L * i, Values.ofRaw(0));
          }
          long stack = take(20);
          long calls = take(2L * ThreadLayout.CALL_WORDS);
          memory.put(e + ThreadLayout.STACK, Values.ofRaw(stack));
          memory.put(e + ThreadLayout.TOP, Values.ofRaw(random.nextInt(20)));
          memory.put(e + ThreadLayout.CALLS, Values.ofRaw(calls));
          memory.put(e + ThreadLayout.CALLS_USED, Values.ofRaw(random.nextInt(3)));
          yield t;
        }
        case Layout.FUNCTION -> {
          int f = add(kind, 1 + random.nextInt(6));
          memory.put(elements.get(f) + Layout.FUNCTION_COUNTS, Values.ofRaw(1));
          yield f;
        }
        default -> {
          // Strings, buffers and natives hold bytes that may look like references.
          int b = add(kind, 1 + random.nextInt(5));
          for (int i = 0; i < 5 && i < payload(b); i++) {
            memory.put(elements.get(b) + 8 + 8L * i, elements.get(random.nextInt(b + 1)));
          }
          yield b;
        }
      };
    }

    private int payload(int e) {
      return (int) Layout.payloadWords(memory, elements.get(e), memory.get(elements.get(e)));
    }

    /** Every place of an element where a reference may stand, besides some where none counts. */
    private List<Long> places(int i) {
      long e = elements.get(i);
      List<Long> places = new ArrayList<>();
      switch (Layout.kind(memory.get(e))) {
        case Layout.RECORD -> range(places, e + 8, payload(i));
        case Layout.FUNCTION -> range(places, e + 16, payload(i) - 1);
        case Layout.OBJECT -> {
          places.add(e + Layout.OBJECT_PROTOTYPE);
          range(places, e + 24, payload(i) - Layout.OBJECT_SLOTS);
          long table = Values.raw(memory.get(e + Layout.OBJECT_TABLE));
          int entries = TableLayout.high(memory.get(table + TableLayout.ENTRIES));
          int array = TableLayout.high(memory.get(table + TableLayout.ARRAY));
          range(places, table + TableLayout.FIRST, 2 * entries + array);
        }
        case Layout.THREAD -> {
          places.add(e + ThreadLayout.RESUMER);
          range(
              places,
              Values.raw(memory.get(e + ThreadLayout.STACK)),
              (int) Values.raw(memory.get(e + ThreadLayout.TOP)));
          range(
              places,
              Values.raw(memory.get(e + ThreadLayout.CALLS)),
              ThreadLayout.CALL_WORDS * (int) Values.raw(memory.get(e + ThreadLayout.CALLS_USED)));
        }
        default -> {}
      }
      return places;
    }

    private static void range(List<Long> places, long from, int words) {
      for (int w = 0; w < words; w++) {
        places.add(from + 8L * w);
      }
    }

    /** Fills the places at random: references, and all that is none. */
    void connect(Random random) {
      for (int i = 0; i < elements.size(); i++) {
        for (long place : places(i)) {
          long value =
              switch (random.nextInt(8)) {
                case 0 -> Values.UNDEFINED;
                case 1 -> Values.ofInt(random.nextInt());
                case 2 -> Values.ofDouble(random.nextGaussian());
                case 3 -> Values.ofRaw(elements.get(random.nextInt(elements.size())));
                default -> {
                  int to =
                      random.nextBoolean()
                          ? Math.min(elements.size() - 1, i + random.nextInt(20))
                          : random.nextInt(elements.size());
                  edges.get(i).add(to);
                  yield elements.get(to);
                }
              };
          memory.put(place, value);
        }
      }
    }

    BitSet reachable(int... roots) {
      BitSet seen = new BitSet();
      ArrayDeque<Integer> queue = new ArrayDeque<>();
      for (int r : roots) {
        seen.set(r);
        queue.add(r);
      }
      while (!queue.isEmpty()) {
        for (int to : edges.get(queue.remove())) {
          if (!seen.get(to)) {
            seen.set(to);
            queue.add(to);
          }
        }
      }
      return seen;
    }

    void check(MarkBits bits, BitSet expected) {
      for (int i = 0; i < elements.size(); i++) {
        if (bits.get(elements.get(i)) != expected.get(i)) {
          throw new AssertionError(
              "element " + i + (expected.get(i) ? " is not marked" : " is marked"));
        }
      }
      // Besides the elements nothing is marked but offset 0, which stands for undefined.
      assertThat(bits.count(0, extent() & -512)).isEqualTo(expected.cardinality() + 1);
    }

    @Override
    public void close() {
      memory.close();
    }
  }

  /** Marks from these roots, in slices that are over at once or all in one. */
  private static int mark(Graph g, Marker marker, MarkBits bits, boolean timed, int... roots) {
    assertThat(marker.start(bits, g.extent())).isTrue();
    marker.mark(Values.UNDEFINED);
    marker.mark(Values.ofInt(8));
    marker.mark(Values.NULL);
    for (int r : roots) {
      marker.mark(g.elements.get(r));
    }
    int slices = 1;
    if (timed) {
      while (!marker.drain(System.nanoTime() - 1)) {
        slices++;
      }
    } else {
      marker.drain();
    }
    return slices;
  }

  private static Graph random(Random random, int n, boolean reserve) {
    Graph g = new Graph(MOST, reserve);
    for (int i = 0; i < n; i++) {
      if (random.nextInt(n / 8) == 0) {
        g.skip(WINDOW); // so that there are several windows, some of them nearly empty
      }
      int kind = random.nextInt(20);
      if (kind == 0) {
        g.record(random.nextInt(200));
      } else if (kind < 12) {
        g.record(random.nextInt(6));
      } else {
        g.addOther(random, 1 + random.nextInt(Layout.KINDS - 1));
      }
    }
    g.connect(random);
    return g;
  }

  @Test
  void randomGraphsAgreeWithASearch() {
    Seeds.forEach(
        24,
        random -> {
          try (Graph g = random(random, 2000 + random.nextInt(6000), random.nextBoolean());
              MarkBits bits = new MarkBits(MOST, random.nextBoolean())) {
            int limit = random.nextBoolean() ? SMALL : AMPLE;
            int threads = 1 + random.nextInt(4);
            Marker marker = new Marker(g.memory, MOST, limit, new BlockWatch(), null, threads);
            for (int cycle = 0; cycle < 3; cycle++) {
              int[] roots = new int[random.nextInt(4)];
              Arrays.setAll(roots, i -> random.nextInt(g.elements.size()));
              mark(g, marker, bits, random.nextBoolean(), roots);
              g.check(bits, g.reachable(roots));
            }
            marker.close();
          }
        });
  }

  /** Many references from window to window, and more threads than this machine may have. */
  @Test
  @Tag("seeds")
  void severalThreadsMarkWhatOneMarks() {
    Random random = new Random(Long.getLong("gleaner.seed", 42));
    int n = 40_000;
    int bytes = 128 << 20;
    try (Graph g = new Graph(bytes, true);
        MarkBits bits = new MarkBits(bytes, true)) {
      for (int i = 0; i < n; i++) {
        g.record(3);
        if (i % (n / 40) == 0) {
          g.skip(WINDOW);
        }
      }
      g.connect(random);
      BitSet expected = g.reachable(0);
      assertThat(expected.cardinality()).isGreaterThan(n / 2);
      for (int round = 0; round < ROUNDS; round++) {
        Marker marker = new Marker(g.memory, bytes, SMALL, new BlockWatch(), null, 2 + round % 3);
        int _ = mark(g, marker, bits, false, 0);
        g.check(bits, expected);
        marker.close();
      }
    }
  }

  @Test
  void aVisitorIsToldOfEachReachedElementOnce() {
    Seeds.forEach(
        12,
        random -> {
          try (Graph g = random(random, 2000 + random.nextInt(6000), false);
              MarkBits bits = new MarkBits(MOST, false)) {
            List<Long> told = new ArrayList<>();
            int limit = random.nextBoolean() ? SMALL : AMPLE;
            Marker marker =
                new Marker(
                    g.memory,
                    MOST,
                    limit,
                    new BlockWatch(),
                    (e, header) -> {
                      assertThat(header).isEqualTo(g.memory.get(e));
                      told.add(e);
                    },
                    2);
            for (int cycle = 0; cycle < 3; cycle++) {
              int root = random.nextInt(g.elements.size());
              told.clear();
              mark(g, marker, bits, random.nextBoolean(), root);
              assertThat(told)
                  .containsExactlyInAnyOrderElementsOf(
                      g.reachable(root).stream().mapToObj(g.elements::get).toList());
            }
            marker.close();
          }
        });
  }

  /** What is marked stays so; of it what is given again is scanned, and no more. */
  @Test
  void aMarkingResumesWithTheMarksOfTheLastOne() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int n = 3000; // more than the small stack holds, in several windows
      int root = g.record(n);
      int[] old = new int[n];
      for (int i = 0; i < n; i++) {
        old[i] = g.record(2);
        g.set(root, i, old[i]);
        if (i % 1000 == 999) {
          g.skip(WINDOW);
        }
      }
      for (int limit : new int[] {SMALL, AMPLE}) {
        List<Long> told = new ArrayList<>();
        Marker marker =
            new Marker(g.memory, 32 << 20, limit, new BlockWatch(), (e, _) -> told.add(e), 2);
        mark(g, marker, bits, false, root);
        told.clear();
        List<Long> expected = new ArrayList<>();
        int[] fresh = new int[n];
        for (int i = 0; i < n; i++) {
          fresh[i] = g.record(1);
          g.set(fresh[i], 0, old[i]);
          g.set(old[i], limit == SMALL ? 0 : 1, fresh[i]);
        }
        assertThat(marker.resume(bits, g.extent())).isTrue();
        marker.mark(g.elements.get(root));
        for (int i = 0; i < n; i += 2) {
          marker.rescan(g.elements.get(old[i]));
          expected.add(g.elements.get(old[i]));
          expected.add(g.elements.get(fresh[i]));
        }
        marker.drain();
        assertThat(told).containsExactlyInAnyOrderElementsOf(expected);
        for (int i = 0; i < n; i++) {
          assertThat(bits.get(g.elements.get(old[i]))).isTrue();
          assertThat(bits.get(g.elements.get(fresh[i]))).isEqualTo(i % 2 == 0);
        }
        marker.close();
      }
    }
  }

  @Test
  void aWideElementOverflowsTheStackIntoSeveralWindows() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int n = 20_000;
      int root = g.record(n);
      for (int i = 0; i < n; i++) {
        int leaf = g.record(1);
        int end = g.record(0);
        g.set(leaf, 0, end);
        g.set(root, i, leaf);
        if (i % 4000 == 3999) {
          g.skip(WINDOW + 512);
        }
      }
      int unreachable = g.record(1);
      g.set(unreachable, 0, root);
      assertThat(g.extent()).isGreaterThan(4 * WINDOW);
      for (boolean timed : new boolean[] {false, true}) {
        Marker marker = new Marker(g.memory, 32 << 20, SMALL);
        mark(g, marker, bits, timed, root);
        g.check(bits, g.reachable(root));
        marker.close();
      }
    }
  }

  /** References out of a window, to windows that nothing else leads to. */
  @Test
  void leavesLeadFromWindowToWindow() {
    try (Graph g = new Graph(64 << 20, true);
        MarkBits bits = new MarkBits(64 << 20, true)) {
      int n = 200;
      int root = g.record(n);
      int[] ends = new int[n];
      for (int i = 0; i < n; i++) {
        ends[i] = i % 3 == 0 ? g.record(1) : i % 3 == 1 ? g.record(6) : g.add(Layout.FUNCTION, 2);
        g.set(root, i, ends[i]);
      }
      for (int window = 0; window < 6; window++) {
        g.skip(3 * WINDOW);
        for (int i = 0; i < n; i += window + 1) {
          int next = g.record(1);
          g.set(ends[i], g.payload(ends[i]) - 1, next);
          ends[i] = next;
        }
      }
      for (boolean timed : new boolean[] {false, true}) {
        Marker marker = new Marker(g.memory, 64 << 20, SMALL);
        mark(g, marker, bits, timed, root);
        g.check(bits, g.reachable(root));
        marker.close();
      }
    }
  }

  @Test
  void theOneElementThatFindsTheStackFullMayBeAloneInItsWindow() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int root = g.record(SMALL + 1);
      for (int i = 0; i < SMALL; i++) {
        g.set(root, i, g.record(0));
      }
      g.skip(2 * WINDOW);
      int alone = g.record(1);
      g.set(root, SMALL, alone);
      g.set(alone, 0, g.record(0));
      Marker marker = new Marker(g.memory, 32 << 20, SMALL);
      mark(g, marker, bits, false, root);
      g.check(bits, g.reachable(root));
      marker.close();
    }
  }

  /** Small records alone fill the stack: each leaves three others on it. */
  @Test
  void aCombOfSmallRecordsFillsTheStack() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int n = 2000;
      int[] spine = new int[n];
      for (int i = 0; i < n; i++) {
        spine[i] = g.record(4);
      }
      for (int i = 0; i < n; i++) {
        g.set(spine[i], 0, spine[Math.min(n - 1, i + 1)]);
        for (int slot = 1; slot < 4; slot++) {
          g.set(spine[i], slot, g.record(0));
        }
      }
      for (int limit : new int[] {SMALL, AMPLE}) {
        Marker marker = new Marker(g.memory, 32 << 20, limit);
        mark(g, marker, bits, false, spine[0]);
        g.check(bits, g.reachable(spine[0]));
        marker.close();
      }
    }
  }

  @Test
  void whatOneMarkingGatheredIsNothingToTheNext() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int n = 3000;
      int[] roots = new int[2];
      for (int r = 0; r < 2; r++) { // many references a leaf, then few
        roots[r] = g.record(n);
        for (int i = 0; i < n; i++) {
          int leaf = g.record(r == 0 ? 4 : 1);
          g.set(roots[r], i, leaf);
        }
        for (int i = 0; i < n; i++) {
          int leaf = g.edges.get(roots[r]).get(i);
          for (int slot = 0; slot < g.payload(leaf); slot++) {
            g.set(leaf, slot, g.record(0));
          }
        }
      }
      Marker marker = new Marker(g.memory, 32 << 20, SMALL);
      for (int r : roots) {
        mark(g, marker, bits, false, r);
        g.check(bits, g.reachable(r));
      }
      marker.close();
    }
  }

  /** Elements that are born marked are grey in the bits, but nobody has counted them. */
  @Test
  @Timeout(60)
  void moreGreyElementsThanWereCounted() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int n = 3000;
      int[] roots = new int[140];
      Arrays.setAll(roots, _ -> g.record(n + roots.length));
      int[] born = new int[2 * roots.length];
      for (int i = 0; i < n; i++) {
        int leaf = g.record(1);
        g.set(leaf, 0, g.record(0));
        for (int root : roots) {
          g.set(root, i, leaf);
        }
      }
      Arrays.setAll(born, _ -> g.record(0));
      g.skip(WINDOW);
      for (int i = 0; i < roots.length; i++) { // one more of them is in another window
        int far = g.record(0);
        for (int k = i; k < roots.length; k++) {
          g.set(roots[k], n + i, far);
        }
      }
      Marker marker = new Marker(g.memory, 32 << 20, SMALL);
      for (int root : roots) {
        assertThat(marker.start(bits, g.extent())).isTrue();
        marker.mark(g.elements.get(root));
        assertThat(marker.drain(System.nanoTime() - 1)).isFalse();
        assertThat(marker.drain(System.nanoTime() - 1)).isFalse();
        BitSet expected = g.reachable(root);
        for (int b : born) {
          expected.set(b);
          bits.set(g.elements.get(b));
        }
        marker.drain();
        g.check(bits, expected);
      }
      marker.close();
    }
  }

  @Test
  void aLongListBackAndForthBetweenWindows() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int n = 30_000;
      for (int i = 0; i < n; i++) {
        g.record(3);
        if (i == n / 2) {
          g.skip(3 * WINDOW);
        }
      }
      for (int i = 0; i + 1 < n; i++) { // 0, n/2, 1, n/2 + 1, …
        int a = i / 2 + (i % 2 == 0 ? 0 : n / 2);
        int b = (i + 1) / 2 + (i % 2 == 0 ? n / 2 : 0);
        g.set(a, 0, b);
      }
      Marker marker = new Marker(g.memory, 32 << 20, SMALL);
      mark(g, marker, bits, false, 0);
      assertThat(bits.count(0, g.extent() & -512)).isEqualTo(n + 1);
      marker.close();
    }
  }

  @Test
  void slicesThatAreOverAtOnceStillGetDoneAndAreMany() {
    Seeds.forEach(
        3,
        random -> {
          try (Graph g = random(random, 20_000, true);
              MarkBits bits = new MarkBits(MOST, true)) {
            Marker marker = new Marker(g.memory, MOST, AMPLE);
            int[] roots = random.ints(200, 0, 20_000).toArray();
            int slices = mark(g, marker, bits, true, roots);
            assertThat(slices).isGreaterThan(10);
            g.check(bits, g.reachable(roots));
            marker.close();
          }
        });
  }

  @Test
  void aListIsCutIntoSlicesOfSomeHundredElements() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int n = 20_000;
      for (int i = 0; i < n; i++) {
        g.record(2);
        if (i > 0) {
          g.set(i - 1, i % 2, i);
        }
      }
      Marker marker = new Marker(g.memory, 32 << 20, AMPLE);
      assertThat(mark(g, marker, bits, true, 0)).isBetween(20, 200);
      g.check(bits, g.reachable(0));
      marker.close();
    }
  }

  @Test
  void aSliceGoesOnUntilItsDeadline() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      for (int i = 0; i < 20_000; i++) {
        g.record(2);
        if (i > 0) {
          g.set(i - 1, 0, i);
        }
      }
      Marker marker = new Marker(g.memory, 32 << 20, AMPLE);
      assertThat(marker.start(bits, g.extent())).isTrue();
      marker.mark(g.elements.getFirst());
      assertThat(marker.drain(System.nanoTime() + 3_600_000_000_000L)).as("an hour").isTrue();
      g.check(bits, g.reachable(0));
      marker.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {SMALL, AMPLE})
  void everyOneOfSeveralLargeElementsIsScannedInParts(int limit) {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int large = 8;
      int slots = 20_000;
      int root = g.record(500);
      for (int i = 0; i < 500; i++) {
        g.set(root, i, i % 60 == 0 ? g.record(slots) : g.record(1));
      }
      int leaf = g.record(0);
      for (int e : List.copyOf(g.edges.get(root))) {
        g.set(e, g.payload(e) - 1, leaf);
      }
      Marker marker = new Marker(g.memory, 32 << 20, limit);
      int parts = large * slots * 8 / (16 << 10);
      assertThat(mark(g, marker, bits, true, root)).isGreaterThan(parts);
      g.check(bits, g.reachable(root));
      marker.close();
    }
  }

  @Test
  void aLargeElementIsScannedInParts() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int slots = 60_000;
      int root = g.record(slots);
      int last = 0;
      for (int i = 0; i < slots; i += 1000) {
        last = g.record(0);
        g.set(root, i, last);
      }
      g.set(root, slots - 1, last);
      Marker marker = new Marker(g.memory, 32 << 20, AMPLE);
      assertThat(mark(g, marker, bits, true, root)).isGreaterThan(12);
      g.check(bits, g.reachable(root));
      marker.close();
    }
  }

  @Test
  void anElementWithItsSizeInAWordBeforeIt() {
    try (Graph g = new Graph(32 << 20, true);
        MarkBits bits = new MarkBits(32 << 20, true)) {
      int words = Layout.LARGE + 10;
      g.take(1);
      int root = g.add(Layout.RECORD, words);
      g.memory.put(g.elements.get(root) - 8, words);
      int leaf = g.record(0);
      g.set(root, words - 1, leaf);
      for (boolean timed : new boolean[] {false, true}) {
        Marker marker = new Marker(g.memory, 32 << 20, AMPLE);
        mark(g, marker, bits, timed, root);
        g.check(bits, g.reachable(root));
        marker.close();
      }
    }
  }

  /** A marking that is abandoned in its windows, after any number of slices. */
  @Test
  void windowsThatWaitedAreForgotten() {
    try (Graph g = new Graph(64 << 20, true);
        MarkBits bits = new MarkBits(64 << 20, true)) {
      int n = 6000;
      int root = g.record(n);
      for (int i = 0; i < n; i++) {
        int leaf = g.record(1);
        g.set(root, i, leaf);
        if (i % 500 == 0) {
          g.skip(WINDOW);
        }
        g.set(leaf, 0, g.record(0));
      }
      Marker marker = new Marker(g.memory, 64 << 20, SMALL);
      for (int slices = 0; slices < 16; slices++) {
        assertThat(marker.start(bits, g.extent())).isTrue();
        marker.mark(g.elements.get(root));
        for (int slice = 0; slice < slices; slice++) {
          marker.drain(System.nanoTime() - 1);
        }
        mark(g, marker, bits, false, root);
        g.check(bits, g.reachable(root));
      }
      marker.close();
    }
  }

  @Test
  void withoutMemoryForTheBitsNothingStarts() {
    try (Graph g = new Graph(1 << 20, true);
        MarkBits bits = new MarkBits(16 << 10, false)) {
      g.record(0);
      Marker marker = new Marker(g.memory, 1 << 20, SMALL);
      assertThat(marker.start(bits, 16 << 10)).isTrue();
      assertThat(marker.start(bits, 1 << 20)).isFalse();
    }
  }

  @Test
  void anAbandonedMarkingLeavesNothingBehind() {
    Seeds.forEach(
        6,
        random -> {
          try (Graph g = random(random, 8000, true);
              MarkBits bits = new MarkBits(MOST, true)) {
            Marker marker = new Marker(g.memory, MOST, SMALL);
            for (int i = 0; i < 4; i++) {
              assertThat(marker.start(bits, g.extent())).isTrue();
              for (int root = 0; root < 200; root++) {
                marker.mark(g.elements.get(root));
              }
              for (int slice = random.nextInt(6); slice > 0; slice--) {
                marker.drain(System.nanoTime() - 1);
              }
            }
            int[] roots = {5};
            mark(g, marker, bits, false, roots);
            g.check(bits, g.reachable(roots));
            marker.close();
          }
        });
  }

  /**
   * Between the slices of an incremental collection the memory grows, new elements are born marked,
   * and overwritten references are marked: all of that meets a marking that is in its windows.
   */
  @Test
  void theHeapGrowsWhileWindowsAreScanned() {
    Seeds.forEach(
        10,
        random -> {
          try (Graph g = new Graph(64 << 20, random.nextBoolean());
              MarkBits bits = new MarkBits(64 << 20, random.nextBoolean())) {
            int n = 3000 + random.nextInt(4000);
            int root = g.record(n);
            for (int i = 0; i < n; i++) {
              int a = g.record(1);
              g.set(a, 0, g.record(0));
              g.set(root, i, a);
            }
            int hidden = g.record(1);
            int behind = g.record(0);
            g.set(hidden, 0, behind);
            Marker marker = new Marker(g.memory, 64 << 20, SMALL);
            assertThat(marker.start(bits, g.extent())).isTrue();
            marker.mark(g.elements.get(root));
            BitSet expected = g.reachable(root, hidden);
            int slices = 0;
            while (!marker.drain(System.nanoTime() - 1)) {
              slices++;
              g.skip(256 << 10); // soon the bits have a larger region
              for (int i = 0; i < 2000; i++) {
                int fresh = g.record(3);
                assertThat(bits.ensure(g.extent())).isTrue();
                bits.set(g.elements.get(fresh));
                expected.set(fresh);
              }
              marker.mark(g.elements.get(hidden));
            }
            assertThat(slices).isGreaterThan(4);
            g.check(bits, expected);
            marker.close();
          }
        });
  }
}
