package dev.gleaner.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.testing.HeapTests;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What people see who look into a heap, under each collector. */
@Tag("D7")
@ParameterizedClass(name = "{0}")
@MethodSource("dev.gleaner.it.Installed#collectors")
class DescribeTest extends HeapTests {
  private static final int SLOTS = 12;
  private static final int LONGEST = 64 << 10;
  private static final String[] SETTINGS = {
    "",
    "torture.gc = every-allocation",
    "incremental { enabled = true, allocations-per-slice = 3, slice = 1us }"
        + "\nvoluntary { mult = 0, add = 50 }"
  };

  DescribeTest(String collector) {
    super(collector);
  }

  private static Memory memory(Heap heap) {
    return heap.mutator().core.context().memory();
  }

  private static long offset(Heap heap, int slot) {
    return memory(heap).get(heap.mutator().core.registers().slot(slot));
  }

  /** A frame with an element of each kind, and values of each type. */
  private static Heap filled(Heap heap) {
    Mutator t = heap.mutator();
    t.enter(2);
    t.setInt(0, 7);
    t.enter(SLOTS);
    t.newRecord(0, 2);
    t.newString(1, "a\nname");
    t.newObject(2, 1);
    t.putProperty(2, 1, 0);
    t.putIndex(2, 3, 1);
    t.newBuffer(3, 20);
    t.newDynamicBuffer(4, 100);
    t.newThread(5);
    t.push(5, 0);
    t.newFunction(6, 1, 1);
    t.newNative(7, new ArrayList<>(List.of("secret")), null);
    t.newWeakObject(8, Weakness.KEYS);
    t.putProperty(8, 0, 1);
    t.setDouble(9, 1.5);
    t.setNull(10);
    t.store(0, 0, 1);
    t.setInt(11, -4);
    t.store(0, 1, 11);
    return heap;
  }

  @Test
  void anElementOfEachKindIsDescribed() {
    Heap heap = filled(open());
    HeapInspection inspect = heap.inspect();
    long name = offset(heap, 1);
    assertThat(inspect.describe(0))
        .startsWith("record of 2 at " + offset(heap, 0) + "\n  bytes: 24, header: 0x")
        .contains("\n  space: ", "\n  pages: ")
        .contains("\n  slot 0: string \"a\\u000aname\" at " + name + "\n")
        .endsWith("\n  slot 1: -4\n");
    assertThat(inspect.describe(1)).contains("\n  length: 6 bytes\n");
    assertThat(inspect.describe(2))
        .startsWith("object at ")
        .contains("\n  property table: ", "\n  prototype: ", "\n  slot 0: undefined\n")
        .contains("record of 2 at " + offset(heap, 0));
    assertThat(inspect.describe(3)).startsWith("buffer at ").contains("\n  length: 20 bytes\n");
    assertThat(inspect.describe(4)).contains("\n  bytes: 100 bytes at ");
    assertThat(inspect.describe(5))
        .contains("\n  value stack: ", "\n  state: suspended\n", "slots: ")
        .contains("record of 2 at " + offset(heap, 0));
    assertThat(inspect.describe(6)).contains("\n  constant 0: undefined\n", "\n  inner function 0");
    assertThat(inspect.describe(7))
        .contains("\n  Java object: a java.util.ArrayList\n")
        .doesNotContain("secret");
    assertThat(inspect.describe(8))
        .contains("key of entry 0: record of 2 at ", "value of entry 0: string");
    assertThat(inspect.describe(9)).isEqualTo("1.5\n");
    assertThat(inspect.describe(10)).isEqualTo("null\n");
    assertThat(inspect.describe(11)).isEqualTo("-4\n");
  }

  @Test
  void whatCountsAndWhatHasAFinalizerIsSaid() {
    Heap heap = filled(open());
    heap.mutator().setFinalizer(0, "closer", (_, _) -> {});
    String text = heap.inspect().describe(0);
    assertThat(text).contains("\n  finalizer: closer\n");
    // Two slots' worth of stacks and a property table hold it; a weak key does not count.
    assertThat(text.contains("\n  count: "))
        .isEqualTo(heap.mutator().core.collector().counts() != null);
    if (heap.mutator().core.collector().counts() != null) {
      assertThat(text).contains("\n  count: 3\n");
    }
    heap.makeBuiltins(() -> heap.mutator().newRecord(9, 0));
    assertThat(heap.inspect().describe(9)).contains("\n  a built-in: ", "\n  space: built-ins\n");
  }

  @Test
  void framesAreThoseOfAllThreads() {
    Heap heap = filled(open());
    String frames = heap.inspect().frames();
    assertThat(frames).startsWith("main thread at ");
    assertThat(frames.lines())
        .containsSubsequence(
            "  state: running",
            "  current frame, slots: 12",
            "    0: record of 2 at " + offset(heap, 0),
            "    9: 1.5",
            "  caller 1, slots: 2",
            "    0: 7",
            "    1: undefined",
            "  caller 2, the bottom one, slots: 0",
            "thread at " + offset(heap, 5),
            "  state: suspended");
  }

  @Test
  void deepStacksAndWideFramesAreBounded() {
    Heap heap = open("memory.max = 64 MiB");
    Mutator t = heap.mutator();
    for (int i = 0; i < 1000; i++) {
      t.enter(i == 999 ? 10_000 : 3);
    }
    for (int i = 0; i < 1000; i++) {
      t.newThread(i);
    }
    t.newRecord(1000, 1_000_000);
    assertThat(heap.inspect().frames())
        .hasSizeLessThan(LONGEST)
        .contains("and 9936 more slots", "and further frames, down to", "more threads")
        .contains(", the bottom one");
    assertThat(heap.inspect().describe(1000))
        .hasSizeLessThan(LONGEST)
        .contains("and 999936 more words");
  }

  @Test
  void eachWordOfTheMemoryIsSomething() {
    Heap heap = filled(open());
    Memory memory = memory(heap);
    List<Long> elements = new ArrayList<>();
    heap.mutator().core.collector().forEachElement(elements::add);
    Set<Long> headers = new HashSet<>();
    long extent = heap.mutator().core.context().raw().extent();
    for (long at = 0; at < extent + 64; at += 8) {
      String text = heap.inspect().whatIsAt(at);
      assertThat(text).isNotBlank().doesNotContain("\n", "damaged");
      if (text.startsWith("the header of ")) {
        headers.add(at);
        assertThat(text).matches(".* at " + at + "(, .*)?");
      }
    }
    assertThat(headers).containsExactlyInAnyOrderElementsOf(elements);
    HeapInspection inspect = heap.inspect();
    long e = offset(heap, 0);
    assertThat(inspect.whatIsAt(e + 16)).isEqualTo("slot 1 of record of 2 at " + e + ": -4");
    assertThat(inspect.whatIsAt(e + 19))
        .isEqualTo("byte 3 of slot 1 of record of 2 at " + e + ": -4");
    long table = Values.raw(memory.get(offset(heap, 2) + 16));
    assertThat(inspect.whatIsAt(table))
        .isEqualTo("byte 0 of the property table of object at " + offset(heap, 2));
    assertThat(inspect.whatIsAt(0)).isEqualTo("nothing: the first page is never used");
    assertThat(inspect.whatIsAt(extent))
        .isEqualTo("nothing: memory from " + extent + " on was never used");
    assertThat(inspect.whatIsAt(Long.MAX_VALUE)).startsWith("byte 7 of nothing: the heap's memory");
    long block = heap.plainMemory().alloc(500);
    assertThat(inspect.whatIsAt(block)).startsWith("a block of ").endsWith(" at " + block);
    heap.plainMemory().free(block);
    assertThat(inspect.whatIsAt(block)).startsWith("a free piece of ");
  }

  @Test
  void aFreePieceIsTheSameFromEachOfItsPages() {
    Heap heap = open("");
    PlainMemory blocks = heap.plainMemory();
    long first = blocks.allocChecked(100_000);
    long block = blocks.allocChecked(100_000);
    long behind = blocks.allocChecked(100_000);
    assertThat(List.of(first, behind)).doesNotContain(block);
    blocks.free(block);
    String text = heap.inspect().whatIsAt(block);
    assertThat(text).startsWith("a free piece of ");
    for (long at = block; at < block + 90_000; at += 4096) {
      assertThat(heap.inspect().whatIsAt(at)).isEqualTo(text);
    }
  }

  @Test
  void aLargeElementIsFoundByEachOfItsWords() {
    Heap heap = open();
    heap.mutator().enter(1);
    heap.mutator().newRecord(0, 100_000);
    long e = offset(heap, 0);
    assertThat(heap.inspect().whatIsAt(e - 8)).isEqualTo("the size of record of 100000 at " + e);
    assertThat(heap.inspect().whatIsAt(e + 800_000))
        .isEqualTo("slot 99999 of record of 100000 at " + e + ": undefined");
    assertThat(heap.inspect().whatIsAt(e + 800_008)).doesNotContain("slot");
  }

  @Test
  void theMapCountsEachPageAndIsBounded() {
    Heap heap = open("memory.max = 256 MiB");
    Mutator t = heap.mutator();
    t.enter(64);
    for (int i = 0; i < 64; i++) {
      assertMap(heap);
      t.newRecord(i, 40_000);
    }
    for (int i = 0; i < 20; i++) {
      t.newBuffer(i, 3 << 20);
    }
    assertMap(heap);
    t.wipe(0);
    heap.collect();
    assertMap(heap);
  }

  private static void assertMap(Heap heap) {
    List<String> lines = heap.inspect().pageMap().lines().toList();
    long pages = heap.mutator().core.context().raw().extent() / 1024;
    assertThat(lines.getFirst()).startsWith(pages + " pages of 1024 bytes, a character ");
    assertThat(lines).hasSizeLessThan(80).allMatch(l -> l.length() < 100);
    long counted =
        lines.stream()
            .filter(l -> l.endsWith(" page") || l.endsWith(" pages"))
            .mapToLong(l -> Long.parseLong(l.replaceAll(".*: (\\d+) pages?", "$1")))
            .sum();
    assertThat(counted).isEqualTo(pages - 1);
  }

  // ---- damage ----

  @Test
  void aReferenceThatLeadsNowhereIsSaidToDoSo() {
    Heap heap = filled(open());
    Memory memory = memory(heap);
    long place = offset(heap, 0) + 8;
    long was = memory.get(place);
    for (long wrong : new long[] {offset(heap, 1) + 8, 8, 1L << 44, -8 & 0xFFFF_FFFF_FFF8L}) {
      memory.put(place, wrong);
      String says = "a reference to " + wrong + ", which is no element";
      assertThat(heap.inspect().describe(0)).contains("\n  slot 0: " + says + "\n");
      assertThat(heap.inspect().whatIsAt(place)).endsWith(": " + says);
      long slot = heap.mutator().core.registers().slot(10);
      memory.put(slot, wrong);
      assertThat(heap.inspect().describe(10)).isEqualTo(says + "\n");
      assertThat(heap.inspect().frames()).contains("\n    10: " + says + "\n");
      memory.put(slot, Values.NULL);
    }
    memory.put(place, was);
  }

  /** Random words in place of what was there: all can still be looked at. */
  @Test
  @Timeout(60) // a walk that damage leads astray has to end
  void whateverStandsInTheMemoryNothingIsThrown() {
    for (int seed = 0; seed < 40; seed++) {
      Random random = new Random(seed);
      Heap heap = filled(open());
      heap.mutator()
          .core
          .registers()
          .ownership
          .soundness
          .breakBy(new IllegalStateException("damaged by the test"));
      Memory memory = memory(heap);
      long extent = heap.mutator().core.context().raw().extent();
      int words = 1 << random.nextInt(12);
      for (int i = 0; i < words; i++) {
        long at = 1024 + random.nextLong((extent - 1024) >> 3) * 8;
        memory.put(at, damaged(random, memory.get(at), extent));
      }
      HeapInspection inspect = heap.inspect();
      for (int s = 0; s < SLOTS; s++) {
        assertThat(inspect.describe(s)).isNotEmpty().hasSizeLessThan(LONGEST);
      }
      assertThat(inspect.frames()).isNotEmpty().hasSizeLessThan(LONGEST);
      for (int i = 0; i < 50; i++) {
        assertThat(inspect.whatIsAt(random.nextLong(extent))).isNotEmpty();
      }
      assertThat(inspect.pageMap()).isNotEmpty();
      heap.close();
    }
  }

  private static long damaged(Random random, long word, long extent) {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong();
      case 1 -> random.nextLong(extent) & -8;
      case 2 -> word ^ 1L << random.nextInt(64);
      default -> word | random.nextLong(1L << 32);
    };
  }

  // ---- what looking must not do ----

  @Test
  void lookingChangesNothing() {
    expectLog(); // under counting alone, of what leaks
    for (String settings : SETTINGS) {
      Heap looked = open(settings);
      Heap alone = open(settings);
      assertThat(run(looked, true)).as(settings).isEqualTo(run(alone, false));
    }
  }

  private static List<String> run(Heap heap, boolean looks) {
    List<String> told = new ArrayList<>();
    heap.addListener(
        new HeapListener() {
          @Override
          public void collectionFinished(CollectionEvent e) {
            if (e.mode() != Mode.SLICE) { // how much a slice does is a matter of time
              told.add(e.cause() + " " + e.mode() + e.usedBefore() + "->" + e.usedAfter());
            }
            if (looks) {
              look(heap);
            }
          }
        });
    Mutator t = heap.mutator();
    Random random = new Random(5);
    t.enter(SLOTS);
    for (int i = 0; i < SLOTS; i++) {
      t.newRecord(i, 3);
    }
    for (int i = 0; i < 600; i++) {
      int slot = random.nextInt(SLOTS);
      switch (random.nextInt(5)) {
        case 0 -> t.newString(slot, "s" + random.nextInt(100));
        case 1 -> t.newObject(slot);
        case 2 -> t.newDynamicBuffer(slot, random.nextInt(300));
        default -> t.newRecord(slot, 3);
      }
      if (t.isReference(0) && t.kind(0) == dev.gleaner.layout.Kind.RECORD) {
        t.store(0, random.nextInt(3), slot);
      }
      if (looks && i % 7 == 0) {
        look(heap);
      }
    }
    HeapStatistics s = heap.statistics();
    told.add(s.usedBytes() + " " + s.allocatedElements() + " " + s.allocatedBytes());
    if (!heap.mutator().core.context().settings().incremental().enabled()) {
      told.add(s.collections() + " " + s.reclaimedElements() + " " + s.committedBytes());
    }
    return told;
  }

  private static void look(Heap heap) {
    assertThat(heap.inspect().describe(1)).isNotEmpty();
    assertThat(heap.inspect().frames()).isNotEmpty();
    assertThat(heap.inspect().whatIsAt(5000)).isNotEmpty();
    assertThat(heap.inspect().pageMap()).isNotEmpty();
  }

  // ---- misuse ----

  @Test
  void whoMustNotLookIsTold() throws InterruptedException {
    Heap heap = filled(open());
    HeapInspection inspect = heap.inspect();
    assertThatThrownBy(() -> inspect.whatIsAt(-8))
        .isInstanceOf(HeapUsageException.class)
        .hasMessage("negative offset: -8");
    for (int slot : new int[] {-1, SLOTS, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> inspect.describe(slot))
          .isInstanceOf(HeapUsageException.class)
          .hasMessage("no slot " + slot + " in a frame of 12");
    }
    List<Runnable> looks =
        List.of(
            () -> inspect.describe(0),
            inspect::frames,
            () -> inspect.whatIsAt(0),
            inspect::pageMap);
    AtomicReference<List<Throwable>> thrown = new AtomicReference<>(List.of());
    Thread other = Thread.ofPlatform().start(() -> thrown.set(thrownBy(looks)));
    other.join();
    assertThat(thrown.get()).hasSize(4).hasOnlyElementsOfType(WrongThreadException.class);
    heap.close();
    assertThat(thrownBy(looks)).hasSize(4).hasOnlyElementsOfType(HeapClosedException.class);
  }

  private static List<Throwable> thrownBy(List<Runnable> looks) {
    List<Throwable> thrown = new ArrayList<>();
    for (Runnable look : looks) {
      try {
        look.run();
      } catch (RuntimeException e) {
        thrown.add(e);
      }
    }
    return thrown;
  }
}
