package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.PlainMemory;
import dev.gleaner.layout.Kind;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.CollectionRequest.Cause;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The public allocation functions: raw, collecting, checked; and the requests of elements. */
class AllocationTest extends AllCollectors {
  /** Moves what lives out of a frame's region, which is small, so garbage is gone before. */
  private static final String MOVES_BY_THE_WAY = "framestack";

  AllocationTest(String collector) {
    super(collector);
  }

  private static final String NO_TRIGGER = "voluntary.enabled = false";
  private static final String ALWAYS = "voluntary { mult = 0, add = 0 }";

  private static long word(Heap heap, long block, int index) {
    return heap.plainMemory().block(block, 8L * index + 8).get(ValueLayout.JAVA_LONG, 8L * index);
  }

  private static void setWord(Heap heap, long block, int index, long value) {
    heap.plainMemory().block(block, 8L * index + 8).set(ValueLayout.JAVA_LONG, 8L * index, value);
  }

  /** Fills the heap with garbage records. */
  private static void garbage(Mutator t, int scratch, int records) {
    for (int i = 0; i < records; i++) {
      t.newRecord(scratch, 31);
    }
    t.setUndefined(scratch);
  }

  // ---- the trigger ----

  @Test
  @Tag("D21c")
  void aFewLargeElementsAreMuchGarbageWhereBytesCount() {
    Heap heap =
        open(
            "memory.max = 64MiB", "voluntary { enabled = true, mult = 1, add = 1000, bytes = 64 }");
    Mutator t = heap.mutator();
    t.enter(1);
    for (int i = 0; i < 900; i++) {
      t.newBuffer(0, 100_000);
    }
    assertThat(heap.statistics().peakBytes()).isLessThan(4 << 20);
  }

  // ---- the user's own functions ----

  @Test
  @Tag("D1")
  void everyElementAndBlockComesFromTheUsersFunctions() {
    List<CountedFunctions> made = new ArrayList<>();
    Heap heap =
        open(
            defaults -> {
              made.add(new CountedFunctions(defaults));
              return made.getFirst();
            },
            NO_TRIGGER);
    assertThat(made).hasSize(1);
    CountedFunctions f = made.getFirst();
    Mutator t = heap.mutator();
    t.enter(4);
    int before = f.allocs + f.reallocs;
    t.newRecord(0, 3);
    assertThat(f.allocs + f.reallocs).isEqualTo(before + 1);
    t.newString(1, "text");
    t.newObject(2);
    t.putProperty(2, 1, 0);
    t.newDynamicBuffer(3, 100);
    long block = heap.plainMemory().alloc(50);
    assertThat(f.blocks).containsEntry(block, 50L).containsValues(100L);
    long out = f.blocks.size();
    t.setUndefined(2); // the object and its table
    t.setUndefined(3); // the buffer and its block
    heap.collect();
    assertThat(f.blocks).hasSize((int) out - 4);
    heap.plainMemory().free(block);
    assertThat(f.blocks).doesNotContainKey(block);
  }

  /** Functions that keep a freed block, with what is in it, for the next request of its size. */
  private static final class Hoarding implements AllocationFunctions {
    private final AllocationFunctions defaults;
    private final Map<Long, Long> sizes = new HashMap<>();
    private final Map<Long, Deque<Long>> free = new HashMap<>();
    private boolean stopped;

    Hoarding(AllocationFunctions defaults) {
      this.defaults = defaults;
    }

    @Override
    public long alloc(long bytes) {
      Long kept = free.computeIfAbsent(bytes, size -> new ArrayDeque<>()).poll();
      long block = kept == null ? defaults.alloc(bytes) : kept;
      sizes.put(block, bytes);
      return block;
    }

    @Override
    public long realloc(long block, long bytes) {
      sizes.remove(block);
      long moved = defaults.realloc(block, bytes);
      sizes.put(moved, bytes);
      return moved;
    }

    @Override
    public void free(long block) {
      Long bytes = sizes.remove(block);
      if (bytes == null || stopped) {
        defaults.free(block);
      } else {
        free.computeIfAbsent(bytes, size -> new ArrayDeque<>()).add(block);
      }
    }

    /** Gives the defaults back what is kept, and from now on everything. */
    void stop() {
      stopped = true;
      free.values().forEach(blocks -> blocks.forEach(defaults::free));
      free.clear();
    }
  }

  @Test
  @Tag("D1")
  void blocksThatTheUsersFunctionsHandOutAgainAreCleared() {
    List<Hoarding> made = new ArrayList<>();
    Heap heap =
        open(
            defaults -> {
              made.add(new Hoarding(defaults));
              return made.getFirst();
            },
            NO_TRIGGER);
    Mutator t = heap.mutator();
    t.enter(2);
    for (int slots : new int[] {5, 5000}) {
      for (int round = 0; round < 3; round++) {
        t.newRecord(0, slots);
        for (int slot = 0; slot < slots; slot++) {
          t.load(1, 0, slot);
          assertThat(t.isUndefined(1)).isTrue();
          t.storeInt(0, slot, 7);
        }
        t.setUndefined(0);
        heap.collect();
      }
    }
    made.getFirst().stop();
  }

  @Test
  @Tag("D1")
  @Tag("D6")
  void closingFreesEverythingToTheUsersFunctions() {
    List<CountedFunctions> made = new ArrayList<>();
    Heap heap =
        open(defaults -> {
          made.add(new CountedFunctions(defaults));
          return made.getFirst();
        });
    Mutator t = heap.mutator();
    t.enter(5);
    t.newThread(0);
    t.newString(1, "key");
    t.newObject(2);
    t.putProperty(2, 1, 2); // a loop
    t.newDynamicBuffer(3, 1000);
    t.newRecord(4, 3000);
    t.newNative(4, "object", (value, closing) -> finalized.add("freed"));
    heap.close();
    assertThat(finalized).containsExactly("freed");
    assertThat(made.getFirst().blocks).isEmpty();
  }

  @Test
  @Tag("D3")
  void theErrorNamesTheWholeTableThatWasRefused() {
    Heap heap = open(NO_TRIGGER, "memory.max = 64KiB");
    Mutator t = heap.mutator();
    t.enter(3);
    t.newObject(0);
    t.setInt(1, 1);
    HeapExhaustedException e =
        catchThrowableOfType(
            HeapExhaustedException.class,
            () -> {
              for (int i = 0; ; i++) {
                t.newString(2, "key " + i);
                t.putProperty(0, 2, 1);
              }
            });
    // Two words an entry, and one entry more than there were; the hash part comes on top.
    assertThat(e.requested()).isGreaterThan(16L * t.propertyCount(0));
  }

  @Test
  @Tag("D1")
  void noBlockIsFreedTwice() {
    Heap heap = open(NO_TRIGGER);
    long block = heap.plainMemory().alloc(24);
    long other = heap.plainMemory().alloc(24);
    heap.plainMemory().free(block);
    long used = used(heap);
    assertThatThrownBy(() -> heap.plainMemory().free(block)).isInstanceOf(HeapUsageException.class);
    assertThatThrownBy(() -> heap.plainMemory().realloc(block, 50))
        .isInstanceOf(HeapUsageException.class);
    assertThat(used(heap)).isEqualTo(used);
    assertThat(heap.plainMemory().alloc(24)).isEqualTo(block);
    assertThat(heap.plainMemory().alloc(24)).isNotIn(block, other);
    heap.plainMemory().free(block);
  }

  @Test
  @Tag("D1")
  void theDefaultsMapToTheHeapsOwnAllocator() {
    Heap heap = open(NO_TRIGGER);
    long used = used(heap);
    long block = heap.plainMemory().alloc(1000);
    assertThat(block % 8).as("fit for a double").isZero();
    assertThat(used(heap)).isEqualTo(used + 1024);
    setWord(heap, block, 124, 7);
    long moved = heap.plainMemory().realloc(block, 5000);
    assertThat(word(heap, moved, 124)).isEqualTo(7);
    heap.plainMemory().free(moved);
    heap.plainMemory().free(0);
    assertThat(used(heap)).isEqualTo(used);
    assertThatThrownBy(() -> heap.plainMemory().free(moved + 8))
        .isInstanceOf(HeapUsageException.class);
    assertThatThrownBy(() -> heap.plainMemory().alloc(-1)).isInstanceOf(HeapUsageException.class);
  }

  // ---- raw ----

  @Test
  @Tag("D2")
  @Needs({"!prompt", "!frames"})
  void rawFunctionsNeverCollectThoughItWouldHelp() {
    Heap heap = open("memory.max = 256KiB", NO_TRIGGER);
    Mutator t = heap.mutator();
    t.enter(1);
    lose(t, 0, "f");
    garbage(t, 0, 900);
    assertThat(heap.plainMemory().allocRaw(100_000)).isZero();
    long block = heap.plainMemory().allocRaw(16);
    setWord(heap, block, 1, 3);
    assertThat(heap.plainMemory().reallocRaw(block, 100_000)).isZero();
    assertThat(word(heap, block, 1)).isEqualTo(3);
    assertThat(collections(heap)).isZero();
    assertThat(finalized).isEmpty();
    assertThat(heap.plainMemory().alloc(100_000)).as("the other variant").isNotZero();
    assertThat(finalized).containsExactly("f");
  }

  @Test
  @Tag("D2")
  @Needs("!moving")
  void rawFunctionsNeverCollectThoughOneIsDue() {
    Heap heap = open(ALWAYS);
    long before = collections(heap);
    for (int i = 0; i < 20; i++) {
      long block = heap.plainMemory().allocRaw(100);
      block = heap.plainMemory().reallocRaw(block, 3000);
      heap.plainMemory().freeRaw(block);
    }
    assertThat(collections(heap)).isEqualTo(before);
    heap.plainMemory().free(heap.plainMemory().alloc(8));
    assertThat(collections(heap)).isEqualTo(before + 1);
  }

  @Test
  @Tag("D2")
  void rawFunctionsAnswerNothingForSizeZero() {
    Heap heap = open(NO_TRIGGER);
    long used = used(heap);
    assertThat(heap.plainMemory().allocRaw(0)).isZero();
    assertThat(heap.plainMemory().reallocRaw(heap.plainMemory().allocRaw(64), 0)).isZero();
    heap.plainMemory().freeRaw(0);
    assertThat(used(heap)).isEqualTo(used);
  }

  // ---- collecting variants ----

  @Test
  @Tag("D3")
  void aRefusedRequestCollectsTenTimesFromTheThirdAsAnEmergency() {
    Heap heap = open(NO_TRIGGER);
    Events events = new Events(heap);
    heap.faults().failAllocations(0, Long.MAX_VALUE);
    assertThat(heap.plainMemory().alloc(100)).isZero();
    List<String> causes = new ArrayList<>(List.of("exhausted", "exhausted"));
    causes.addAll(Collections.nCopies(8, "emergency"));
    assertThat(events.causes()).isEqualTo(causes);
    assertThat(events.all)
        .allSatisfy(e ->
            assertThat((e.flags() & CollectFlags.EMERGENCY) != 0)
                .isEqualTo(e.cause() == Cause.EMERGENCY));
    assertThat(heap.statistics().emergencies()).isEqualTo(8);
    heap.faults().clearFailAllocations();
  }

  @Test
  @Tag("D3")
  void itIsTriedAgainAfterEachCollection() {
    for (int refusals = 0; refusals <= 11; refusals++) {
      Heap heap = open(NO_TRIGGER);
      Mutator t = heap.mutator();
      t.enter(1);
      int tries = refusals;
      heap.faults().failAllocations(0, refusals);
      assertThat(heap.plainMemory().alloc(100) != 0)
          .as("after %s refusals", refusals)
          .isEqualTo(refusals <= 10);
      assertThat(collections(heap)).isEqualTo(Math.min(refusals, 10));
      heap.faults().failAllocations(0, refusals);
      if (refusals <= 10) {
        t.newRecord(0, 2); // elements likewise
        assertThat(collections(heap)).isEqualTo(2L * refusals);
      } else {
        assertThatThrownBy(() -> t.newRecord(0, tries)).isInstanceOf(HeapExhaustedException.class);
        assertThat(t.isUndefined(0)).isTrue();
      }
      heap.faults().clearFailAllocations();
    }
  }

  @Test
  @Tag("D3")
  void aHeapThatWasLargeAndFullMayCollectWhenItIsSmall() {
    Heap heap = open("memory.max = 512MiB", NO_TRIGGER);
    Mutator t = heap.mutator();
    t.enter(2);
    t.newBuffer(0, 400 << 20);
    assertThatThrownBy(() -> t.newBuffer(1, 200 << 20)).isInstanceOf(HeapExhaustedException.class);
    t.setUndefined(0);
    heap.collect();
    garbage(t, 0, 100_000);
  }

  @Test
  @Tag("D3")
  void sizeZeroNeverCollects() {
    Heap heap = open(ALWAYS);
    long block = heap.plainMemory().alloc(8);
    long before = collections(heap);
    heap.faults().failAllocations(0, Long.MAX_VALUE);
    assertThat(heap.plainMemory().alloc(0)).isZero();
    assertThat(heap.plainMemory().allocZeroed(0)).isZero();
    assertThat(heap.plainMemory().allocChecked(0)).isZero();
    assertThat(heap.plainMemory().realloc(0, 0)).isZero();
    assertThat(heap.plainMemory().realloc(block, 0)).isZero();
    long other = heap.plainMemory().allocRaw(0);
    assertThat(heap.plainMemory().reallocChecked(other, 0)).isZero();
    assertThat(heap.plainMemory().reallocIndirect(() -> other, 0)).isZero();
    heap.faults().clearFailAllocations();
    assertThat(collections(heap)).isEqualTo(before);
  }

  @Test
  @Tag("D3")
  void freeingNeverCollects() {
    Heap heap = open(ALWAYS);
    long[] blocks = new long[20];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = heap.plainMemory().alloc(40);
    }
    long before = collections(heap);
    for (long block : blocks) {
      heap.plainMemory().free(block);
    }
    assertThat(collections(heap)).isEqualTo(before);
  }

  @Test
  @Tag("D3")
  @Needs("!moving")
  void aVoluntaryCollectionMayRunFirst() {
    Heap heap = open(ALWAYS);
    heap.collect();
    Events events = new Events(heap);
    long block = heap.plainMemory().alloc(8); // the count goes below zero
    assertThat(events.all).isEmpty();
    block = heap.plainMemory().realloc(block, 500);
    assertThat(events.causes()).containsExactly("voluntary");
    heap.plainMemory().free(block);
  }

  @Test
  @Tag("D3b")
  void zeroedAndIndirectRequestsHaveCheckedVariants() {
    Heap heap = open("memory.max = 128KiB", NO_TRIGGER);
    PlainMemory memory = heap.plainMemory();
    long[] place = {memory.allocChecked(64)};
    for (int i = 0; i < 8; i++) {
      setWord(heap, place[0], i, -1);
    }
    memory.free(place[0]);
    place[0] = memory.allocZeroedChecked(64);
    for (int i = 0; i < 8; i++) {
      assertThat(word(heap, place[0], i)).isZero();
    }
    setWord(heap, place[0], 3, 9);
    place[0] = memory.reallocIndirectChecked(() -> place[0], 1000);
    assertThat(word(heap, place[0], 3)).isEqualTo(9);
    assertThatThrownBy(() -> memory.allocZeroedChecked(200_000))
        .isInstanceOf(HeapExhaustedException.class);
    assertThatThrownBy(() -> memory.reallocIndirectChecked(() -> place[0], 200_000))
        .isInstanceOf(HeapExhaustedException.class);
    assertThat(word(heap, place[0], 3)).as("refused, so as it was").isEqualTo(9);
    assertThat(memory.allocZeroedChecked(0)).isZero();
    assertThat(memory.reallocIndirectChecked(() -> place[0], 0)).isZero();
  }

  @Test
  @Tag("D3")
  void checkedVariantsThrowAndUncheckedOnesAnswerZero() {
    Heap heap = open("memory.max = 128KiB", NO_TRIGGER);
    assertThat(heap.plainMemory().alloc(200_000)).isZero();
    assertThat(heap.plainMemory().allocZeroed(200_000)).isZero();
    long block = heap.plainMemory().allocChecked(1000);
    setWord(heap, block, 3, 9);
    assertThat(heap.plainMemory().realloc(block, 200_000)).isZero();
    assertThat(heap.plainMemory().reallocIndirect(() -> block, 200_000)).isZero();
    assertThatThrownBy(() -> heap.plainMemory().reallocChecked(block, 200_000))
        .isInstanceOf(HeapExhaustedException.class);
    assertThat(word(heap, block, 3)).as("refused, so as it was").isEqualTo(9);
    assertThatThrownBy(() -> heap.plainMemory().allocChecked(200_000))
        .isInstanceOfSatisfying(
            HeapExhaustedException.class,
            e -> {
              assertThat(e.heap()).isEqualTo(heap.name());
              assertThat(e.requested()).isEqualTo(200_000);
              assertThat(e.limit()).isEqualTo(128 << 10);
              assertThat(e.used()).isEqualTo(used(heap));
            });
    heap.plainMemory().free(block);
  }

  @Test
  @Tag("D3")
  @Needs("!prompt")
  void memoryThatOnlyGarbageHoldsIsFound() {
    Heap heap = open("memory.max = 1MiB", NO_TRIGGER);
    Mutator t = heap.mutator();
    t.enter(1);
    for (int i = 0; i < 20; i++) {
      garbage(t, 0, 2000); // half a MiB
      long block = heap.plainMemory().allocChecked(900_000);
      heap.plainMemory().free(block);
    }
    assertThat(heap.statistics().emergencies()).isZero();
    if (!heap.collector().equals(MOVES_BY_THE_WAY)) {
      assertThat(collections(heap)).isPositive();
    }
  }

  @Test
  @Tag("D3")
  void zeroedBlocksReadAsZero() {
    Heap heap = open(NO_TRIGGER);
    for (int bytes : new int[] {1, 8, 100, 9000}) {
      long dirty = heap.plainMemory().alloc(bytes);
      heap.plainMemory().block(dirty, bytes).fill((byte) -1);
      heap.plainMemory().free(dirty);
      long block = heap.plainMemory().allocZeroed(bytes);
      MemorySegment s = heap.plainMemory().block(block, bytes);
      for (int i = 0; i < bytes; i++) {
        assertThat(s.get(ValueLayout.JAVA_BYTE, i)).isZero();
      }
      heap.plainMemory().free(block);
    }
  }

  @Test
  @Tag("D3")
  @Needs("!prompt")
  void externalBytesAreMadeRoomFor() {
    Heap heap = open("memory.max = 256KiB", NO_TRIGGER);
    Mutator t = heap.mutator();
    t.enter(1);
    garbage(t, 0, 900);
    heap.reserveExternal(200_000);
    long first = collections(heap);
    assertThat(first).isEqualTo(heap.collector().equals(MOVES_BY_THE_WAY) ? 0 : 1);
    assertThat(heap.statistics().externalBytes()).isEqualTo(200_000);
    assertThatThrownBy(() -> heap.reserveExternal(100_000))
        .isInstanceOf(HeapExhaustedException.class);
    assertThat(collections(heap)).isEqualTo(first + 10);
    heap.releaseExternal(200_000);
    assertThatThrownBy(() -> heap.releaseExternal(1)).isInstanceOf(HeapUsageException.class);
  }

  // ---- reallocation while a finalizer has its hands on the same block ----

  @Test
  @Tag("D4")
  void anIndirectReallocReadsThePointerAnewBeforeEveryRetry() {
    Heap heap = open(NO_TRIGGER);
    Mutator t = heap.mutator();
    t.enter(1);
    long[] pointer = {heap.plainMemory().alloc(48)};
    setWord(heap, pointer[0], 0, 11);
    long[] others = new long[64];
    lose(
        t,
        0,
        "resizes",
        (thread, closing) -> {
          pointer[0] = heap.plainMemory().realloc(pointer[0], 1000);
          setWord(heap, pointer[0], 100, 22);
          for (int i = 0; i < others.length; i++) { // one of them gets the old place
            others[i] = heap.plainMemory().alloc(48);
            setWord(heap, others[i], 0, 100 + i);
          }
        });
    int[] asked = new int[1];
    heap.faults().failAllocations(0, 1);
    long moved =
        heap.plainMemory()
            .reallocIndirect(
                () -> {
                  asked[0]++;
                  return pointer[0];
                },
                20_000);
    assertThat(finalized).containsExactly("resizes");
    assertThat(asked[0]).isEqualTo(2);
    assertThat(word(heap, moved, 0)).isEqualTo(11);
    assertThat(word(heap, moved, 100)).isEqualTo(22);
    for (int i = 0; i < others.length; i++) {
      assertThat(word(heap, others[i], 0)).isEqualTo(100 + i);
      heap.plainMemory().free(others[i]);
    }
    heap.plainMemory().free(moved);
  }

  @Test
  @Tag("D4")
  void anIndirectReallocThatGivesUpLeavesTheFinalizersBlock() {
    Heap heap = open("memory.max = 64KiB", NO_TRIGGER);
    Mutator t = heap.mutator();
    t.enter(1);
    long[] pointer = {heap.plainMemory().alloc(48)};
    setWord(heap, pointer[0], 0, 11);
    lose(
        t,
        0,
        "resizes",
        (thread, closing) -> pointer[0] = heap.plainMemory().realloc(pointer[0], 1000));
    assertThat(heap.plainMemory().reallocIndirect(() -> pointer[0], 100_000)).isZero();
    assertThat(finalized).containsExactly("resizes");
    assertThat(word(heap, pointer[0], 0)).isEqualTo(11);
    heap.plainMemory().free(pointer[0]);
  }

  @Test
  @Tag("D4")
  void aDynamicBufferResizedByAFinalizerWhileItIsResized() {
    Heap heap = open(NO_TRIGGER);
    Mutator t = heap.mutator();
    t.enter(2);
    for (int size : new int[] {0, 10, 64, 9000, 40_000}) {
      t.newDynamicBuffer(0, 64);
      t.putLong(0, 0, 5);
      var global = heap.newGlobal();
      t.setGlobal(global, 0);
      lose(
          t,
          1,
          "resizes",
          (thread, closing) -> {
            thread.getGlobal(1, global);
            thread.resizeBuffer(1, size);
            if (size >= 16) {
              thread.putLong(1, 8, 6);
            }
          });
      heap.faults().failAllocations(0, 1);
      t.resizeBuffer(0, 20_000);
      heap.faults().clearFailAllocations();
      assertThat(t.bufferSize(0)).isEqualTo(20_000);
      assertThat(t.getLong(0, 0)).isEqualTo(size >= 8 ? 5 : 0);
      assertThat(t.getLong(0, 8)).isEqualTo(size >= 16 ? 6 : 0);
      for (long at = 16; at < 20_000; at += 8) {
        assertThat(t.getLong(0, at)).isZero();
      }
      global.close();
      assertThat(heap.inspect().verify()).isEmpty();
    }
    assertThat(finalized).hasSize(5);
  }

  @Test
  @Tag("D4")
  @Needs("!prompt")
  void aPropertyTableGrownByAFinalizerWhileItGrows() {
    Heap heap = open(NO_TRIGGER);
    Mutator t = heap.mutator();
    int inside = 0;
    for (int before = 0; before < 14; before++) {
      t.enter(4);
      t.newObject(0);
      for (int i = 0; i < before; i++) {
        put(t, 0, "k" + i, i);
      }
      var global = heap.newGlobal();
      t.setGlobal(global, 0);
      t.newString(1, "new");
      t.setInt(2, 1);
      lose(
          t,
          3,
          "puts",
          (thread, closing) -> {
            thread.getGlobal(1, global);
            put(thread, 1, "new", 2);
            for (int i = 0; i < 30; i++) {
              put(thread, 1, "f" + i, -i);
            }
            thread.newString(2, "k0");
            thread.deleteProperty(1, 2);
          });
      int ran = finalized.size();
      heap.faults().failAllocations(0, 2); // more room than needed, and just the room that is
      t.putProperty(0, 1, 2);
      heap.faults().clearFailAllocations();
      t.getOwnProperty(3, 0, 1);
      assertThat(t.getInt(3)).as("the later of the two").isEqualTo(1);
      inside += finalized.size() - ran;
      heap.collect(); // the finalizer's turn, if there was room at once
      assertThat(t.propertyCount(0)).isEqualTo(31 + Math.max(0, before - 1));
      global.close();
      assertThat(heap.inspect().verify()).isEmpty();
      t.leave();
    }
    assertThat(finalized).hasSize(14);
    assertThat(inside).as("in the collection that the growth caused").isGreaterThan(2);
  }

  private static void put(Mutator t, int object, String key, int value) {
    t.enter(3, object, 1);
    t.newString(1, key);
    t.setInt(2, value);
    t.putProperty(0, 1, 2);
    t.leave();
  }

  @Test
  @Tag("D4")
  void anArrayPartGrownByAFinalizerWhileItGrows() {
    Heap heap = open(NO_TRIGGER);
    Mutator t = heap.mutator();
    int ran = 0;
    for (int other : new int[] {0, 3, 10, 100, 5000}) {
      t.enter(4);
      t.newObject(0);
      var global = heap.newGlobal();
      t.setGlobal(global, 0);
      t.setInt(2, 1);
      lose(
          t,
          3,
          "puts",
          (thread, closing) -> {
            thread.getGlobal(1, global);
            thread.setInt(2, 2);
            thread.putIndex(1, other, 2);
          });
      heap.faults().failAllocations(0, 2);
      t.putIndex(0, 100, 2);
      heap.faults().clearFailAllocations();
      assertThat(finalized).hasSize(++ran);
      assertThat(t.arrayLength(0)).isEqualTo(Math.max(other, 100) + 1);
      t.getIndex(3, 0, 100);
      assertThat(t.getInt(3)).isEqualTo(1);
      if (other != 100) {
        t.getIndex(3, 0, other);
        assertThat(t.getInt(3)).isEqualTo(2);
      }
      global.close();
      assertThat(heap.inspect().verify()).isEmpty();
      t.leave();
    }
  }

  @Test
  @Tag("D4")
  void aValueStackGrownByAFinalizerWhileItGrows() {
    int inside = 0;
    for (int filled = 0; filled < 80; filled++) {
      Heap heap = open(NO_TRIGGER);
      Mutator t = heap.mutator();
      t.enter(3);
      t.newThread(0);
      var global = heap.newGlobal();
      t.setGlobal(global, 0);
      for (int i = 0; i < filled; i++) {
        t.setInt(1, i);
        t.push(0, 1);
      }
      int[] pushed = new int[1];
      lose(
          t,
          2,
          "pushes",
          (thread, closing) -> {
            thread.getGlobal(1, global);
            for (int i = 0; i < 60; i++) {
              thread.setInt(2, 1000 + i);
              thread.push(1, 2);
            }
            pushed[0] = 60;
          });
      heap.faults().failAllocations(0, 2);
      t.setInt(1, 99);
      t.push(0, 1);
      heap.faults().clearFailAllocations();
      assertThat(heap.inspect().verify()).isEmpty();
      t.pop(0, 1);
      assertThat(t.getInt(1)).isEqualTo(99);
      inside += pushed[0] > 0 ? 1 : 0;
      for (int i = pushed[0] - 1; i >= 0; i--) {
        t.pop(0, 1);
        assertThat(t.getInt(1)).isEqualTo(1000 + i);
      }
      for (int i = filled - 1; i >= 0; i--) {
        t.pop(0, 1);
        assertThat(t.getInt(1)).isEqualTo(i);
      }
      assertThatThrownBy(() -> t.pop(0, 1)).hasMessageContaining("value stack is empty");
    }
    assertThat(inside).as("in the collection that the growth caused").isPositive();
  }

  @Test
  @Tag("D4")
  void aFrameThatGrowsTheStackWhileAFinalizerGrowsItsOwn() {
    Heap heap = open(NO_TRIGGER);
    Mutator t = heap.mutator();
    t.enter(1);
    t.newString(0, "kept");
    lose(
        t,
        0,
        "deep",
        (thread, closing) -> {
          for (int i = 0; i < 500; i++) {
            thread.enter(3);
          }
          heap.collect();
        });
    t.newString(0, "kept");
    heap.faults().failAllocations(0, 1);
    t.enter(3000, 0, 1);
    heap.faults().clearFailAllocations();
    assertThat(finalized).containsExactly("deep");
    assertThat(t.getString(0)).isEqualTo("kept");
    assertThat(t.isUndefined(2999)).isTrue();
    t.leave();
    assertThat(t.getString(0)).isEqualTo("kept");
  }

  @Test
  @Tag("D4")
  void aCallStackThatGrowsDuringACollection() {
    Heap heap = open("torture.gc = every-allocation");
    Mutator t = heap.mutator();
    t.enter(1);
    t.newFunction(0, 1, 0);
    int depth = 200;
    for (int i = 0; i < depth; i++) {
      t.call(1, 0);
      t.newFunction(0, 1, 0);
      t.pushCatcher(0, i);
    }
    assertThat(t.frameDepth()).isEqualTo(depth + 1);
    assertThat(count(heap, Kind.FUNCTION)).isEqualTo(depth + 1);
    for (int i = depth - 1; i >= 0; i--) {
      t.popCatcher();
      t.leave();
    }
    heap.collect();
    assertThat(count(heap, Kind.FUNCTION)).isEqualTo(1);
  }

  // ---- errors of finalizers ----

  @Test
  @Tag("D5")
  @Needs("!prompt")
  void publicAllocationCallsHideTheErrorsOfFinalizers() {
    expectLog();
    Heap heap = open(NO_TRIGGER);
    Mutator t = heap.mutator();
    t.enter(1);
    long block = heap.plainMemory().alloc(8);
    List<Runnable> calls =
        List.of(
            () -> heap.plainMemory().free(heap.plainMemory().alloc(8)),
            () -> heap.plainMemory().free(heap.plainMemory().allocZeroed(8)),
            () -> heap.plainMemory().free(heap.plainMemory().allocChecked(8)),
            () -> heap.plainMemory().realloc(block, 1000),
            () -> heap.reserveExternal(1 << 30));
    RuntimeException error = new IllegalStateException("in a finalizer");
    for (Runnable call : calls) {
      lose(
          t,
          0,
          "fails",
          (thread, closing) -> {
            throw error;
          });
      int before = finalized.size();
      heap.faults().failAllocations(0, 1);
      try {
        call.run();
      } catch (HeapExhaustedException e) {
        assertThat(call).isSameAs(calls.getLast());
      }
      assertThat(finalized).hasSize(before + 1);
    }
    heap.faults().clearFailAllocations();
    assertThat(log.warnedOf("finalizer fails", error)).isTrue();
    assertThat(heap.statistics().finalizersFailed()).isEqualTo(calls.size());
  }

  // ---- injected failures ----

  @Test
  @Tag("D28")
  void whateverRequestIsRefusedTheHeapStaysWhole() {
    int last = 0;
    for (int after = 0; last == 0; after++) {
      Heap heap = open("strings.initial = 16", NO_TRIGGER);
      heap.faults().failAllocations(after, Long.MAX_VALUE);
      try {
        program(heap.mutator());
        last = after;
      } catch (HeapExhaustedException e) {
        assertThat(collections(heap)).isEqualTo(10);
      }
      heap.faults().clearFailAllocations();
      assertThat(heap.inspect().verify()).isEmpty();
      program(heap.mutator()); // it stays usable
      heap.close();
    }
    assertThat(last).as("requests of the program").isGreaterThan(40);
  }

  @Test
  @Tag("D28")
  void whateverSingleRequestIsRefusedACollectionHelps() {
    for (int after = 0; after < 50; after++) {
      Heap heap = open("strings.initial = 16", NO_TRIGGER);
      heap.faults().failAllocations(after, 1);
      program(heap.mutator());
      heap.faults().clearFailAllocations();
      assertThat(heap.inspect().verify()).isEmpty();
      heap.close();
    }
  }

  private static void program(Mutator t) {
    int depth = t.frameDepth();
    t.enter(8);
    t.newRecord(0, 2);
    t.setFinalizer(0, "f", (thread, closing) -> {});
    t.newObject(1, 1);
    for (int i = 0; i < 20; i++) {
      t.newString(2, "key " + i);
      t.putProperty(1, 2, 0);
      t.putIndex(1, i, 2);
    }
    t.newDynamicBuffer(3, 100);
    t.resizeBuffer(3, 10_000);
    t.newBuffer(3, 10_000);
    t.newThread(4);
    for (int i = 0; i < 70; i++) {
      t.push(4, 0);
    }
    t.resume(4, 100);
    t.suspend();
    t.newFunction(5, 2, 2);
    t.call(400, 5);
    t.pushCatcher(0, 1);
    t.newRecord(0, 3000);
    t.newNative(1, "object", null);
    t.leave();
    t.leave();
    assertThat(t.frameDepth()).isEqualTo(depth);
  }
}
