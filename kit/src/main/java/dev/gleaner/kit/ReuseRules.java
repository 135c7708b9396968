package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.spi.Capability;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of memory that elements leave: it is told of, once, and empty when it is used again.
 *
 * @param how what the settings say, for the names of the rules
 */
record ReuseRules(Config config, List<ClassLoader> loaders, String how) {
  /** Words that small, larger and large elements have, and sizes around those of cells. */
  private static final int[] WORDS = {
    1, 2, 3, 4, 7, 8, 15, 30, 31, 32, 33, 40, 64, 200, 1100, 5000
  };

  private static final int ROUNDS = 4;

  private static final Config PIECES =
      ConfigFactory.parseString("gleaner { memory.max = 4MiB, voluntary.enabled = false }");
  private static final int KEPT = 30_000;
  private static final int LONGEST = 60_000;
  private static final int OF_PAGES = 60;

  List<Rule> all() {
    return List.of(
        rule("makes what is new empty", this::makesEmpty),
        rule("tells how many bytes it reclaimed", this::tellsBytes),
        rule("tells of natives when they go", this::tellsOfNatives),
        rule("stays whole where free memory is fragmented", this::staysWholeInPieces),
        rule("stays whole between large blocks", this::staysWholeBetweenBlocks));
  }

  private Rule rule(String text, Supplier<@Nullable String> check) {
    return PluginRules.rule("reuse", text + how, check);
  }

  private Heap open() {
    return Gleaner.factory(config, loaders).open();
  }

  // ---- new elements are empty ----

  /** Makes an element of a kind into slot 0, answers what in it is not empty, and fills it. */
  @FunctionalInterface
  private interface Maker {
    @Nullable String make(Mutator t, int words);
  }

  private static final List<Maker> MAKERS =
      List.of(
          ReuseRules::makeRecord,
          ReuseRules::makeObject,
          ReuseRules::makeFunction,
          ReuseRules::makeBuffer,
          ReuseRules::makeDynamicBuffer);

  /**
   * Each round makes the kinds in another order, where others were, and drops them all but for one
   * of each, beside which memory is used again.
   */
  private @Nullable String makesEmpty() {
    int n = MAKERS.size() * WORDS.length;
    try (Heap heap = open()) {
      Mutator t = heap.mutator();
      t.enter(3);
      t.newRecord(2, 2 * n);
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < (round == 0 ? 2 * n : n); i++) {
          int words = WORDS[i % WORDS.length];
          Maker maker = MAKERS.get((i / WORDS.length + round) % MAKERS.size());
          String wrong = maker.make(t, words);
          if (wrong != null) {
            return wrong + " of " + words + " words, where others were before";
          }
          t.store(2, i, 0);
        }
        for (int i = 0; i < n; i++) {
          t.storeNull(2, i);
        }
        t.setUndefined(0);
        t.setUndefined(1);
        PluginRules.collectThrice(heap);
      }
      return PluginRules.damage(heap);
    }
  }

  private static @Nullable String makeRecord(Mutator t, int words) {
    t.newRecord(0, words);
    return fillSlots(t, words, "record");
  }

  private static @Nullable String makeObject(Mutator t, int words) {
    t.newObject(0, words);
    return t.propertyCount(0) == 0
        ? fillSlots(t, words, "object")
        : "expected no properties, found " + t.propertyCount(0) + " in a new object";
  }

  private static @Nullable String fillSlots(Mutator t, int words, String kind) {
    for (int i = 0; i < words; i++) {
      t.load(1, 0, i);
      if (!t.isUndefined(1)) {
        return notEmpty(t, "slot " + i, kind);
      }
      t.storeInt(0, i, -1);
    }
    return null;
  }

  private static String notEmpty(Mutator t, String where, String kind) {
    return "expected undefined in " + where + ", found " + t.type(1) + " in a new " + kind;
  }

  private static @Nullable String makeFunction(Mutator t, int words) {
    int inners = words / 2;
    t.newFunction(0, words - inners, inners);
    for (int i = 0; i < words - inners; i++) {
      t.loadConstant(1, 0, i);
      if (!t.isUndefined(1)) {
        return notEmpty(t, "constant " + i, "function");
      }
      t.setInt(1, -1);
      t.storeConstant(0, i, 1);
    }
    for (int i = 0; i < inners; i++) {
      t.loadInner(1, 0, i);
      if (!t.isUndefined(1)) {
        return notEmpty(t, "inner function " + i, "function");
      }
      t.setNull(1);
      t.storeInner(0, i, 1);
    }
    return null;
  }

  private static @Nullable String makeBuffer(Mutator t, int words) {
    t.newBuffer(0, words * 8L);
    return fillBytes(t, words * 8, "buffer");
  }

  private static @Nullable String makeDynamicBuffer(Mutator t, int words) {
    t.newDynamicBuffer(0, words * 8L);
    String wrong = fillBytes(t, words * 8, "dynamic buffer");
    if (wrong != null) {
      return wrong;
    }
    t.resizeBuffer(0, 1);
    t.resizeBuffer(0, words * 8L);
    t.writeBytes(0, 0, new byte[1], 0, 1);
    return fillBytes(t, words * 8, "dynamic buffer that grew again");
  }

  private static @Nullable String fillBytes(Mutator t, int bytes, String kind) {
    byte[] found = new byte[bytes];
    t.readBytes(0, 0, found, 0, bytes);
    for (int i = 0; i < bytes; i++) {
      if (found[i] != 0) {
        return "expected 0 in byte " + i + ", found " + found[i] + " in a new " + kind;
      }
    }
    Arrays.fill(found, (byte) -1);
    t.writeBytes(0, 0, found, 0, bytes);
    return null;
  }

  // ---- what goes is told of ----

  /** What is not in use any more was reclaimed: small and large elements, and what they owned. */
  private @Nullable String tellsBytes() {
    try (Heap heap = open()) {
      Mutator t = heap.mutator();
      t.enter(3);
      if (!PluginRules.reclaims(heap)) {
        return null;
      }
      for (int kind = 0; kind < MAKERS.size() + 2; kind++) {
        t.newRecord(2, WORDS.length);
        for (int w = 0; w < WORDS.length; w++) {
          makeOwner(t, kind, WORDS[w]);
          t.store(2, w, 0);
        }
        t.setUndefined(0);
        t.setUndefined(1);
        HeapStatistics before = heap.statistics();
        t.setUndefined(2);
        PluginRules.collectThrice(heap);
        HeapStatistics after = heap.statistics();
        long less = before.usedBytes() - after.usedBytes();
        long reclaimed = after.reclaimedBytes() - before.reclaimedBytes();
        if (reclaimed != less || less <= 0) {
          return "expected as many bytes reclaimed as are less in use, %s, found %s, of kind %s"
              .formatted(less, reclaimed, kind);
        }
      }
      return PluginRules.damage(heap);
    }
  }

  private static void makeOwner(Mutator t, int kind, int words) {
    if (kind < MAKERS.size()) {
      String _ = MAKERS.get(kind).make(t, words);
      return;
    }
    if (kind == MAKERS.size()) {
      t.newThread(0);
    } else {
      t.newObject(0);
    }
    for (int i = 0; i < Math.min(words, 500); i++) {
      t.newString(1, "key " + i);
      if (kind == MAKERS.size()) {
        t.push(0, 1);
      } else {
        t.putProperty(0, 1, 1);
      }
    }
  }

  /** At once, if what is dropped goes at once; else after collections. */
  private @Nullable String tellsOfNatives() {
    AtomicInteger freed = new AtomicInteger();
    try (Heap heap = open()) {
      Mutator t = heap.mutator();
      t.enter(2);
      if (!PluginRules.reclaims(heap)) {
        return null;
      }
      boolean prompt = heap.traits().has(Capability.PROMPT);
      for (int i = 1; i <= 3; i++) {
        t.newNative(0, "object " + i, (_, _) -> freed.incrementAndGet());
        if (i > 1) { // held by a record, at its end and before
          t.newRecord(1, i - 1);
          t.store(1, 0, 0);
          t.copy(0, 1);
          t.setUndefined(1);
        }
        int atOnce = freed.get();
        t.setUndefined(0);
        for (int n = 0; !prompt && n < 3; n++) {
          heap.collect();
        }
        if (atOnce != i - 1 || freed.get() != i) {
          return ("expected %s natives told of, the last one when it was dropped,"
                  + " found %s before and %s after")
              .formatted(i, atOnce, freed.get());
        }
      }
      return PluginRules.damage(heap);
    }
  }

  // ---- free memory in pieces ----

  /**
   * Elements of one size after the other of which one a KiB stays, until that is no longer
   * possible; then some of them go, and a list gets as long as can be. A collector that moves it
   * may find no room.
   */
  private @Nullable String staysWholeInPieces() {
    try (Heap heap = Gleaner.factory(PIECES.withFallback(config), loaders).open()) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, KEPT);
      t.enter(2);
      int _ = list(t, LONGEST / 2);
      t.leave();
      int kept = leavePieces(heap, t);
      for (int i = kept - kept / 12; i < kept; i++) {
        t.storeNull(0, i);
      }
      heap.collect();
      t.enter(2);
      int length = list(t, LONGEST);
      heap.collect();
      String damage = PluginRules.damage(heap);
      if (damage != null) {
        return damage;
      }
      int found = 0;
      for (; t.isReference(0); t.load(0, 0, 0)) {
        found++;
      }
      return found == length ? null : "expected a list of " + length + ", found " + found;
    }
  }

  /**
   * Blocks of one size after the other of which one in 32 KiB stays, until nearly all pages are
   * taken; then some go, and large blocks leave gaps of a few pages there, before a collection.
   * Elements of more pages than a gap has cannot be moved.
   */
  private @Nullable String staysWholeBetweenBlocks() {
    try (Heap heap = Gleaner.factory(PIECES.withFallback(config), loaders).open()) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, OF_PAGES);
      for (int i = 0; i < OF_PAGES; i++) {
        t.newRecord(1, 1000);
        t.storeInt(1, 999, i);
        t.store(0, i, 1);
      }
      t.wipe(1);
      heap.collect();
      leaveGaps(heap);
      heap.collect();
      String damage = PluginRules.damage(heap);
      for (int i = 0; damage == null && i < OF_PAGES; i++) {
        t.load(1, 0, i);
        int found = t.loadInt(1, 999);
        damage = found == i ? null : "expected record " + i + ", found " + found;
      }
      return damage;
    }
  }

  private static void leaveGaps(Heap heap) {
    Deque<Long> kept = new ArrayDeque<>();
    for (int bytes = 1024; bytes > 200; bytes -= bytes >> 3) {
      List<Long> blocks = new ArrayList<>();
      for (long b = heap.plainMemory().alloc(bytes); b != 0; b = heap.plainMemory().alloc(bytes)) {
        blocks.add(b);
      }
      int apart = (32 << 10) / bytes;
      for (int i = 0; i < blocks.size(); i++) {
        if (i % apart == 0) {
          kept.push(blocks.get(i));
        } else {
          heap.plainMemory().free(blocks.get(i));
        }
      }
    }
    for (int i = 0; kept.size() > 2 && i < 110; i++) {
      heap.plainMemory().free(kept.pop());
      kept.pop();
      kept.pop();
    }
    while (heap.plainMemory().alloc(25 << 10) != 0) {
      // until what is free is in gaps
    }
  }

  /** Makes a list of so many records, or as many as there is memory for; answers how many. */
  private static int list(Mutator t, int most) {
    t.setNull(0);
    int length = 0;
    try {
      for (; length < most; length++) {
        t.newRecord(1, 1);
        t.store(1, 0, 0);
        t.copy(0, 1);
      }
    } catch (HeapExhaustedException e) {
      t.wipe(1);
    }
    return length;
  }

  /** Answers how many elements the record in slot 0 holds then. */
  private static int leavePieces(Heap heap, Mutator t) {
    int kept = 0;
    try {
      for (int bytes = 8; bytes < 600; bytes += 16) {
        int apart = 1024 / (bytes + 8);
        int n = (int) (heap.statistics().maxBytes() / 2) / (bytes + 16);
        for (int i = 0; i < n && kept < KEPT; i++) {
          t.newBuffer(1, bytes);
          if (i % apart == 0) {
            t.store(0, kept++, 1);
          }
        }
        heap.collect();
      }
    } catch (HeapExhaustedException e) {
      t.wipe(1); // free memory is fragmented
    }
    return kept;
  }
}
