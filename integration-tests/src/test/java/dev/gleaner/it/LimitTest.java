package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.kit.oracle.Dice;
import dev.gleaner.layout.ValueType;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.testing.Tier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code memory.max} is exact: never exceeded, and all of it can be had. */
class LimitTest {
  private static final long MAX = 256 << 10;
  private static final int ROOTS = 60;
  private static final int PROGRAMS = Tier.number(1, 20);

  static Stream<Arguments> collectorsAndBackings() {
    return Installed.collectors().stream()
        .flatMap(c -> Stream.of("reserved", "grown").map(b -> Arguments.of(c, b)));
  }

  /** In the short tier each collector with one backing. */
  static Stream<Arguments> fewOfThem() {
    List<Arguments> all = collectorsAndBackings().toList();
    return IntStream.range(0, all.size()).filter(i -> Tier.has(i / 2, i % 2, 2)).mapToObj(all::get);
  }

  static List<String> collectors() {
    return Installed.collectors();
  }

  private static HeapFactory factory(String collector, String backing) {
    return Installed.factory(
        collector, "memory { max = 256KiB, backing = " + backing + " }, strings.initial = 16");
  }

  private static Heap open(String collector, String backing) {
    return factory(collector, backing).open("limited");
  }

  /** A refused request collects ten times, unless a listener objects. */
  @ParameterizedTest
  @MethodSource("collectors")
  void aListenerBreaksOffTheCollectionsOfARequest(String collector) {
    for (int most = 1; most <= 11; most += 5) {
      AtomicInteger asked = new AtomicInteger();
      AtomicInteger collections = new AtomicInteger();
      int last = most;
      try (Heap heap = Installed.open(collector, "memory.max = 256KiB")) {
        heap.addListener(
            new HeapListener() {
              @Override
              public void collectionFinished(CollectionEvent event) {
                collections.addAndGet(event.collectionFinished() ? 1 : 0);
              }

              @Override
              public boolean mayCollectAgain() {
                return asked.incrementAndGet() < last;
              }
            });
        Mutator t = heap.mutator();
        t.enter(2);
        assertThatThrownBy(() -> t.newRecord(0, 1 << 20))
            .isInstanceOf(HeapExhaustedException.class);
        assertThat(collections.get()).isEqualTo(Math.min(most, 10));
        assertThat(asked.get()).isEqualTo(Math.min(most, 9));
        t.newRecord(0, 10); // the next request is another one
      }
    }
  }

  /** What keeps a page from other sizes must not use up the memory long before the limit does. */
  @ParameterizedTest
  @MethodSource("collectors")
  void aFewBlocksEverywhereLeaveRoomForOtherSizes(String collector) {
    String settings = "memory { max = 4MiB, backing = reserved }, voluntary.enabled = false";
    try (Heap heap = Installed.open(collector, settings)) {
      for (int bytes = 16; bytes <= 48; bytes += 16) {
        List<Long> blocks = new ArrayList<>();
        for (long b = heap.plainMemory().allocRaw(bytes);
            b != 0;
            b = heap.plainMemory().allocRaw(bytes)) {
          blocks.add(b);
        }
        for (int i = 0; i < blocks.size(); i++) {
          if (i % (1024 / bytes) != 0) {
            heap.plainMemory().freeRaw(blocks.get(i));
          }
        }
        assertThat(blocks).hasSizeGreaterThan((2 << 20) / bytes);
      }
    }
  }

  /** All pages are taken, of which one block each stays. */
  @ParameterizedTest
  @MethodSource("fewOfThem")
  @Tag("seeds")
  void aRefusalSaysThatWhatIsFreeIsInPieces(String collector, String backing) {
    String memory = "memory { max = 1MiB, backing = " + backing + " }";
    try (Heap heap = Installed.open(collector, memory + ", voluntary.enabled = false")) {
      HeapExhaustedException e =
          catchThrowableOfType(HeapExhaustedException.class, () -> leaveOneBlockAPage(heap));
      assertThat(e.used() + e.requested()).isLessThanOrEqualTo(e.limit());
      assertThat(e).hasMessageEndingWith(" in use; free memory is fragmented");
    }
  }

  private static void leaveOneBlockAPage(Heap heap) {
    for (int bytes = 8; bytes <= 1024; bytes += 8) {
      List<Long> blocks = new ArrayList<>();
      HeapStatistics before = heap.statistics();
      for (long n = (before.maxBytes() * 7 / 8 - before.usedBytes()) / bytes; n > 0; n--) {
        blocks.add(heap.plainMemory().allocChecked(bytes));
      }
      for (int i = 0; i < blocks.size(); i++) {
        if (i % (1024 / bytes) != 0) {
          heap.plainMemory().freeRaw(blocks.get(i));
        }
      }
    }
  }

  /** Does something that needs memory, at random. */
  private static void allocate(Heap heap, Dice dice, Deque<Long> blocks) {
    Mutator t = heap.mutator();
    int d = dice.below(ROOTS);
    int size = dice.chance(90) ? dice.below(100) : dice.below(20_000);
    switch (dice.below(17)) {
      case 0, 1 -> t.newRecord(d, size);
      case 2 -> t.newObject(d, size);
      case 3 -> t.newString(d, "é".repeat(size) + dice.below(1000));
      case 4 -> t.newBuffer(d, size);
      case 5 -> t.newDynamicBuffer(d, size);
      case 6 -> t.newFunction(d, size, dice.below(3));
      case 7 -> t.newNative(d, "object", (object, closing) -> {});
      case 8 -> t.newThread(d);
      case 9 -> t.enter(size);
      case 10 -> {
        t.newString(ROOTS, "key " + dice.below(300));
        t.newObject(ROOTS + 1);
        if (t.isReference(0)) {
          t.copy(ROOTS + 1, 0);
        }
        grow(t, dice, size);
      }
      case 11 -> {
        t.newThread(d);
        for (int i = 0; i < size; i++) {
          t.push(d, d);
        }
      }
      case 12 -> {
        t.newFunction(ROOTS, 0, 0);
        t.call(ROOTS + 2, ROOTS);
        for (int i = 0; i < size; i++) {
          t.pushCatcher(0, i);
        }
      }
      case 13 -> heap.reserveExternal(size);
      case 14 -> blocks.add(heap.plainMemory().allocChecked(size + 1));
      case 15 -> {
        long old = blocks.isEmpty() ? 0 : blocks.remove();
        long moved = heap.plainMemory().realloc(old, size + 1);
        blocks.add(moved == 0 ? old : moved);
      }
      default -> t.setFinalizer(d, "any", (thread, closing) -> thread.newRecord(1, 10));
    }
  }

  private static void grow(Mutator t, Dice dice, int size) {
    switch (t.kind(ROOTS + 1)) {
      case OBJECT -> {
        t.putProperty(ROOTS + 1, ROOTS, ROOTS + 1);
        t.putIndex(ROOTS + 1, size / 4, ROOTS);
      }
      case DYNAMIC_BUFFER -> t.resizeBuffer(ROOTS + 1, size * 3L);
      default -> t.newDynamicBuffer(dice.below(ROOTS), size);
    }
  }

  /** Lets go of some of what is held, at random. */
  private static void free(Heap heap, Dice dice, Deque<Long> blocks) {
    Mutator t = heap.mutator();
    while (t.frameDepth() > 1) {
      t.leave();
    }
    for (int i = 0; i < ROOTS; i++) {
      if (dice.chance(50)) {
        t.setUndefined(i);
      }
    }
    while (blocks.size() > 3) {
      heap.plainMemory().free(blocks.remove());
    }
    heap.releaseExternal(heap.statistics().externalBytes() / 2);
  }

  @ParameterizedTest
  @MethodSource("collectorsAndBackings")
  @Tag("seeds")
  void randomProgramsNeverExceedIt(String collector, String backing) {
    int refused = 0;
    for (int program = 0; program < PROGRAMS; program++) {
      long seed = Dice.seed() * 1_000_003 + program;
      try (Heap heap = open(collector, backing)) {
        refused += run(heap, new Dice(seed), "seed " + seed);
      }
    }
    assertThat(refused).isGreaterThan(5 * PROGRAMS);
  }

  /** What the user's functions hand out, counted by them, is never more than the heap counts. */
  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void theFiguresAreNotBelowWhatIsHeld(String collector) {
    for (int program = 0; program < (PROGRAMS + 1) / 2; program++) {
      long seed = Dice.seed() * 1_000_033 + program;
      Counting[] functions = new Counting[1];
      try (Heap heap =
          factory(collector, "auto")
              .open("limited", defaults -> functions[0] = new Counting(defaults))) {
        int refused = run(heap, new Dice(seed), "seed " + seed);
        assertThat(refused).isPositive();
        assertThat(functions[0].most).isBetween(MAX / 4, MAX);
      }
      assertThat(functions[0].held).isZero();
    }
  }

  /** Functions that count the bytes that were asked for and not freed. */
  private static final class Counting implements AllocationFunctions {
    private final AllocationFunctions defaults;
    private final Map<Long, Long> sizes = new HashMap<>();
    long held;
    long most;

    Counting(AllocationFunctions defaults) {
      this.defaults = defaults;
    }

    private long note(long block, long bytes) {
      if (block != 0) {
        sizes.put(block, bytes);
        held += bytes;
        most = Math.max(most, held);
      }
      return block;
    }

    @Override
    public long alloc(long bytes) {
      return note(defaults.alloc(bytes), bytes);
    }

    @Override
    public long realloc(long block, long bytes) {
      long moved = defaults.realloc(block, bytes);
      if (moved != 0 || bytes == 0) {
        forget(block);
      }
      return note(moved, bytes);
    }

    @Override
    public void free(long block) {
      forget(block);
      defaults.free(block);
    }

    private void forget(long block) {
      Long bytes = sizes.remove(block);
      held -= bytes == null ? 0 : bytes;
    }
  }

  private static int run(Heap heap, Dice dice, String what) {
    Deque<Long> blocks = new ArrayDeque<>();
    int refused = 0;
    heap.mutator().enter(ROOTS + 2);
    for (int i = 0; i < 1500; i++) {
      try {
        if (heap.mutator().frameSize() < ROOTS + 2) {
          heap.mutator().leave();
        }
        allocate(heap, dice, blocks);
      } catch (HeapExhaustedException e) {
        refused++;
        expectDetails(e, what);
        assertThat(heap.inspect().verify()).as(what).isEmpty();
        free(heap, dice, blocks);
      } catch (HeapUsageException e) {
        assertThat(e.getMessage()).as(what).containsAnyOf("no finalizer on", "not an element");
      }
      assertThat(heap.statistics().usedBytes()).as(what).isBetween(0L, MAX);
    }
    assertThat(heap.statistics().peakBytes()).as(what).isBetween(MAX / 2, MAX);
    blocks.forEach(heap.plainMemory()::free);
    return refused;
  }

  private static void expectDetails(HeapExhaustedException e, String what) {
    assertThat(e.heap()).isEqualTo("limited");
    assertThat(e.limit()).isEqualTo(MAX);
    assertThat(e.requested()).as(what).isPositive();
    assertThat(e.used()).as(what).isBetween(MAX / 8, MAX);
    assertThat(e)
        .hasMessage(
            "heap limited is exhausted: %d bytes requested, %d of %d in use",
            e.requested(), e.used(), MAX);
  }

  @ParameterizedTest
  @MethodSource("collectorsAndBackings")
  void everyByteCanBeHad(String collector, String backing) {
    try (Heap heap = open(collector, backing)) {
      Mutator t = heap.mutator();
      t.enter(2);
      t.newRecord(0, 2); // a size class that is in use already
      long rest = MAX - heap.statistics().usedBytes();
      heap.reserveExternal(rest - 24);
      t.newRecord(1, 2);
      assertThat(heap.statistics().usedBytes()).isEqualTo(MAX);
      assertThat(heap.statistics().externalBytes()).isEqualTo(rest - 24);
      for (Runnable more :
          List.<Runnable>of(
              () -> t.newRecord(0, 0),
              () -> heap.reserveExternal(1),
              () -> heap.plainMemory().allocChecked(1),
              () -> t.newString(0, "x"),
              () -> t.newBuffer(0, 0),
              () -> t.newThread(0))) {
        HeapExhaustedException e = catchThrowableOfType(HeapExhaustedException.class, more::run);
        assertThat(e.used()).isEqualTo(MAX);
        assertThat(t.slotCount(0)).isEqualTo(2);
      }
      assertThat(heap.plainMemory().alloc(1)).isZero();
      assertThat(heap.plainMemory().allocRaw(1)).isZero();
      heap.releaseExternal(24);
      assertThat(heap.plainMemory().alloc(24)).isNotZero();
      assertThat(heap.statistics().usedBytes()).isEqualTo(MAX);
      assertThat(heap.statistics().peakBytes()).isEqualTo(MAX);
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("collectorsAndBackings")
  void whatIsFreedCanBeHadAgain(String collector, String backing) {
    try (Heap heap = open(collector, backing)) {
      Mutator t = heap.mutator();
      t.enter(2);
      Dice dice = new Dice(Dice.seed());
      long[] sizes = new long[4000];
      for (int i = 0; i < sizes.length; i++) {
        sizes[i] = dice.between(1, dice.chance(95) ? 300 : 9000);
      }
      int records = fillWithRecords(t);
      assertThat(records).isGreaterThan(4000);
      t.setUndefined(0);
      heap.collect();
      int blocks = fillWithBlocks(heap, sizes);
      assertThat(blocks).isGreaterThan(300);
      assertThat(fillWithRecords(t)).isEqualTo(records);
      assertThatThrownBy(() -> heap.reserveExternal(2000))
          .isInstanceOf(HeapExhaustedException.class);
      t.setUndefined(0);
      assertThat(fillWithBlocks(heap, sizes)).isEqualTo(blocks);
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }

  /** Makes a list of records in slot 0 until there is no memory; answers how many. */
  private static int fillWithRecords(Mutator t) {
    t.setNull(0);
    for (int n = 0; ; n++) {
      try {
        t.newRecord(1, 4);
      } catch (HeapExhaustedException e) {
        assertThat(e.used()).isGreaterThan(MAX - 40);
        t.setUndefined(1);
        return n;
      }
      t.store(1, 0, 0);
      t.copy(0, 1);
      assertThat(t.type(1)).isEqualTo(ValueType.REFERENCE);
    }
  }

  /** Takes blocks until one is refused, frees them again; answers how many. */
  private static int fillWithBlocks(Heap heap, long[] sizes) {
    Deque<Long> blocks = new ArrayDeque<>();
    for (long block = heap.plainMemory().alloc(sizes[0]);
        block != 0;
        block = heap.plainMemory().alloc(sizes[blocks.size()])) {
      blocks.add(block);
    }
    assertThat(heap.statistics().peakBytes()).isLessThanOrEqualTo(MAX);
    int n = blocks.size();
    while (!blocks.isEmpty()) {
      heap.plainMemory()
          .free((n + blocks.size()) % 3 == 0 ? blocks.removeFirst() : blocks.removeLast());
    }
    return n;
  }
}
