package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.memory.AllocationFunctions;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Built-ins stay for the life of the heap, and what they refer to stays as long as they do so. */
@Tag("D33")
class BuiltinsTest {
  private static final String INCREMENTAL =
      "incremental { enabled = true, slice = 1us, allocations-per-slice = 1 }";
  private static final List<String> SETTINGS =
      List.of(
          "",
          "memory { backing = grown, initial = 0 }",
          "torture.gc = every-allocation",
          INCREMENTAL + ", voluntary { mult = 0, add = 5 }");

  static List<String> collectors() {
    return Installed.collectors();
  }

  static Stream<Arguments> collectorsAndSettings() {
    return collectors().stream().flatMap(c -> SETTINGS.stream().map(s -> Arguments.of(c, s)));
  }

  private static Heap open(String collector, String settings) {
    Heap heap = Installed.open(collector, settings);
    heap.mutator().enter(8);
    return heap;
  }

  /** Collects in every way there is, with nothing in the frame, and verifies. */
  private static void collectAll(Heap heap) {
    heap.mutator().wipe(0);
    heap.collect();
    heap.collect(CollectFlags.EMERGENCY);
    for (int i = 0; i < 2 && heap.traits().has(Capability.INCREMENTAL); i++) {
      while (!heap.step(100)) {
        assertThat(heap.inspect().verify()).isEmpty();
      }
    }
    assertThat(heap.inspect().verify()).isEmpty();
  }

  /** One element of each kind that is a built-in when it is made inside, in slots 0 to 5. */
  private static void makeSome(Mutator t) {
    t.newRecord(0, 2);
    t.storeInt(0, 0, 17);
    t.newObject(1, 1);
    t.newString(2, "clé");
    t.putProperty(1, 2, 0);
    t.putIndex(1, 3, 2);
    t.newBuffer(3, 100_000);
    t.putByte(3, 99_999, (byte) 9);
    t.newDynamicBuffer(4, 1000);
    t.putLong(4, 992, 99);
    t.newFunction(5, 1, 1);
    t.storeConstant(5, 0, 1);
    t.storeInner(5, 0, 5);
  }

  private static void checkSome(Mutator t) {
    assertThat(t.loadInt(0, 0)).isEqualTo(17);
    assertThat(t.getString(2)).isEqualTo("clé");
    t.getProperty(6, 1, 2);
    assertThat(t.same(6, 0)).isTrue();
    t.getIndex(6, 1, 3);
    assertThat(t.same(6, 2)).isTrue();
    assertThat(t.getByte(3, 99_999)).isEqualTo((byte) 9);
    assertThat(t.getLong(4, 992)).isEqualTo(99);
    t.loadConstant(6, 5, 0);
    assertThat(t.same(6, 1)).isTrue();
    t.loadInner(6, 5, 0);
    assertThat(t.same(6, 5)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("collectorsAndSettings")
  void theyStayWithoutRootsWhereTheyAre(String collector, String settings) {
    try (Heap heap = open(collector, settings)) {
      Mutator t = heap.mutator();
      long bytes = heap.statistics().allocatedBytes();
      heap.makeBuiltins(() -> makeSome(t));
      assertThat(heap.statistics().allocatedBytes()).isGreaterThan(bytes + 100_000);
      List<WeakRef> weak = new ArrayList<>();
      List<Integer> hashes = new ArrayList<>();
      for (int s = 0; s < 6; s++) {
        weak.add(t.newWeak(s));
        hashes.add(t.identityHash(s));
      }
      long used = 0;
      for (int i = 0; i < 3; i++) {
        collectAll(heap);
        assertThat(used == 0 || heap.statistics().usedBytes() == used).isTrue();
        used = heap.statistics().usedBytes();
        for (int s = 0; s < 6; s++) {
          assertThat(t.getWeak(s, weak.get(s))).isTrue();
          assertThat(t.identityHash(s)).isEqualTo(hashes.get(s));
        }
        checkSome(t);
      }
      assertThat(heap.statistics().live(Kind.FUNCTION)).isEqualTo(1);
      assertThat(heap.statistics().strings()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("collectorsAndSettings")
  void whatTheyReferToStaysAsLongAsTheyDo(String collector, String settings) {
    try (Heap heap = open(collector, settings)) {
      Mutator t = heap.mutator();
      GlobalRef builtin = heap.newGlobal();
      t.newRecord(0, 1);
      t.newString(2, "ordinary");
      t.store(0, 0, 2);
      WeakRef before = t.newWeak(0);
      heap.makeBuiltins(() -> {
        t.newObject(1, 1);
        t.store(1, 0, 0);
      });
      t.setGlobal(builtin, 1);
      WeakRef object = t.newWeak(1);
      collectAll(heap);
      assertThat(before.isCleared()).isFalse();

      builtin.close(); // from now on nothing but the collector knows of it
      t.getWeak(1, object);
      for (int i = 0; i < 100; i++) { // the property table grows when the built-in is long made
        t.newString(2, "key " + i);
        t.newRecord(3, 1);
        t.storeInt(3, 0, i);
        t.putProperty(1, 2, 3);
        t.putIndex(1, i, 3);
      }
      t.newThread(4);
      t.newString(5, "on a stack");
      t.push(4, 5);
      t.setPrototype(1, 6); // none
      t.putIndex(1, 100, 4);
      collectAll(heap);
      t.getWeak(1, object);
      for (int i = 0; i < 100; i++) {
        t.newString(2, "key " + i);
        t.getProperty(3, 1, 2);
        assertThat(t.loadInt(3, 0)).isEqualTo(i);
      }
      t.getIndex(4, 1, 100);
      t.pop(4, 5);
      assertThat(t.getString(5)).isEqualTo("on a stack");
      t.load(0, 1, 0);
      t.setUndefined(1);
      assertThat(heap.inspect().pathToRoot(0)).containsExactly("root: object", "[0]: record of 1");

      t.getWeak(1, object);
      t.storeNull(1, 0);
      collectAll(heap);
      assertThat(before.isCleared()).isTrue();
      assertThat(heap.statistics().live(Kind.RECORD)).isEqualTo(100);
    }
  }

  @ParameterizedTest
  @MethodSource("collectorsAndSettings")
  void theirFinalizersRunWhenTheHeapIsClosed(String collector, String settings) {
    List<String> called = new ArrayList<>();
    try (Heap heap = open(collector, settings)) {
      Mutator t = heap.mutator();
      heap.makeBuiltins(() -> {
        t.newRecord(0, 1);
        t.setFinalizer(0, "inside", (thread, closing) -> called.add("inside " + closing));
        t.newObject(1);
      });
      t.setFinalizer(1, "outside", (thread, closing) -> called.add("outside " + closing));
      t.newRecord(2, 0);
      t.setFinalizer(2, "held", (thread, closing) -> called.add("held " + closing));
      t.store(0, 0, 2);
      WeakRef weak = t.newWeak(0);
      collectAll(heap);
      collectAll(heap);
      assertThat(called).isEmpty();
      assertThat(weak.isCleared()).isFalse();
      assertThat(t.getWeak(0, weak)).isTrue();
      assertThat(t.hasFinalizer(0)).isTrue();
    }
    assertThat(called).containsExactlyInAnyOrder("inside true", "outside true", "held true");
  }

  @ParameterizedTest
  @MethodSource("collectorsAndSettings")
  void aStringIsWhatItWasMadeAs(String collector, String settings) {
    try (Heap heap = open(collector, settings)) {
      Mutator t = heap.mutator();
      t.newString(0, "early");
      WeakRef early = t.newWeak(0);
      heap.makeBuiltins(() -> {
        t.newString(1, "early");
        t.newString(2, "inside");
      });
      assertThat(t.same(0, 1)).isTrue();
      int hash = t.identityHash(2);
      collectAll(heap);
      assertThat(early.isCleared()).isTrue();
      assertThat(t.findString(0, "early")).isFalse();
      assertThat(t.findString(0, "inside")).isTrue();
      t.newString(1, "inside");
      assertThat(t.same(0, 1)).isTrue();
      assertThat(t.identityHash(1)).isEqualTo(hash);
      assertThat(heap.statistics().strings()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @MethodSource("collectorsAndSettings")
  void threadsAndNativesMadeInsideAreOrdinary(String collector, String settings) {
    try (Heap heap = open(collector, settings)) {
      Mutator t = heap.mutator();
      List<Object> freed = new ArrayList<>();
      heap.makeBuiltins(() -> {
        t.newThread(0);
        t.newNative(1, "lost", (object, closing) -> freed.add(object));
        t.newNative(2, "held", (object, closing) -> freed.add(object));
        t.newRecord(3, 1);
        t.store(3, 0, 2);
      });
      WeakRef thread = t.newWeak(0);
      WeakRef record = t.newWeak(3);
      collectAll(heap);
      assertThat(thread.isCleared()).isTrue();
      assertThat(freed).containsExactly("lost");
      t.getWeak(3, record);
      t.load(2, 3, 0);
      assertThat(t.nativeValue(2)).isEqualTo("held");
      t.storeNull(3, 0);
      collectAll(heap);
      assertThat(freed).containsExactly("lost", "held");
    }
  }

  @ParameterizedTest
  @MethodSource("collectorsAndSettings")
  void nestedAndFailedMakersEndAsTheyShould(String collector, String settings) {
    try (Heap heap = open(collector, settings)) {
      Mutator t = heap.mutator();
      long others = heap.statistics().live(Kind.RECORD);
      Runnable fails =
          () -> {
            t.newRecord(0, 1);
            throw new IllegalStateException("in the middle");
          };
      heap.makeBuiltins(() -> {
        heap.makeBuiltins(() -> t.newRecord(0, 1));
        assertThatThrownBy(() -> heap.makeBuiltins(fails)).hasMessage("in the middle");
        t.newRecord(0, 1);
      });
      assertThatThrownBy(() -> heap.makeBuiltins(fails)).hasMessage("in the middle");
      assertThatThrownBy(() -> heap.makeBuiltins(heap::close))
          .isInstanceOf(HeapUsageException.class)
          .hasMessageContaining("while built-ins are made");
      for (int i = 0; i < 100; i++) {
        t.newRecord(0, 1);
      }
      collectAll(heap);
      assertThat(heap.statistics().live(Kind.RECORD)).isEqualTo(others + 4);
    }
  }

  /** Finalizers and callbacks that become due meanwhile are no makers. */
  @ParameterizedTest
  @MethodSource("collectorsAndSettings")
  void whatIsDueInBetweenMakesOrdinaryElements(String collector, String settings) {
    try (Heap heap = open(collector, settings)) {
      Mutator t = heap.mutator();
      t.newObject(0);
      t.setFinalizer(0, "makes a record", (thread, closing) -> thread.newRecord(1, 1));
      t.newNative(1, "object", (object, closing) -> t.newRecord(7, 1));
      heap.makeBuiltins(() -> {
        t.setUndefined(1);
        t.newRecord(0, 1);
        heap.collect();
        assertThat(heap.statistics().finalizersRun()).isZero();
        t.newRecord(0, 1);
      });
      assertThat(heap.statistics().finalizersRun()).isEqualTo(1);
      collectAll(heap);
      assertThat(heap.statistics().live(Kind.RECORD)).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void theLimitIsTheirsToo(String collector) {
    try (Heap heap = open(collector, "memory.max = 256KiB")) {
      Mutator t = heap.mutator();
      heap.reserveExternal(10_000);
      assertThatThrownBy(() ->
              heap.makeBuiltins(() -> {
                while (true) {
                  t.newRecord(0, 20);
                }
              }))
          .isInstanceOf(HeapExhaustedException.class);
      assertThat(heap.statistics().usedBytes()).isBetween(250L << 10, 256L << 10);
      collectAll(heap);
      assertThat(heap.statistics().live(Kind.RECORD)).isBetween(1400L, 1600L);
      heap.releaseExternal(10_000);
      t.newRecord(0, 1);
      WeakRef ordinary = t.newWeak(0);
      collectAll(heap);
      assertThat(ordinary.isCleared()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void closingGivesBackAllOfThem(String collector) {
    Set<Long> held = new HashSet<>();
    Heap heap =
        Installed.factory(collector, "")
            .open(
                "own functions",
                defaults ->
                    new AllocationFunctions() {
                      @Override
                      public long alloc(long bytes) {
                        long block = defaults.alloc(bytes);
                        held.add(block);
                        return block;
                      }

                      @Override
                      public long realloc(long block, long bytes) {
                        long moved = defaults.realloc(block, bytes);
                        held.remove(block);
                        held.add(moved);
                        return moved;
                      }

                      @Override
                      public void free(long block) {
                        assertThat(block == 0 || held.remove(block)).isTrue();
                        defaults.free(block);
                      }
                    });
    Mutator t = heap.mutator();
    t.enter(8);
    heap.makeBuiltins(() -> {
      makeSome(t);
      for (int i = 0; i < 500; i++) {
        t.newRecord(6, i);
      }
    });
    collectAll(heap);
    assertThat(held).hasSizeGreaterThan(5);
    heap.close();
    assertThat(held).isEmpty();
    assertThat(heap.statistics().usedBytes()).isZero();
    assertThat(heap.statistics().liveElements()).isZero();
  }

  /** While a collection is under way, references wander from ordinary elements to built-ins. */
  @ParameterizedTest
  @MethodSource("collectors")
  void builtinsMadeInTheMiddleOfACollectionHideNothing(String collector) {
    try (Heap heap = open(collector, INCREMENTAL)) {
      assumeTrue(heap.traits().has(Capability.INCREMENTAL));
      Mutator t = heap.mutator();
      int n = 3000;
      t.setNull(0);
      for (int i = 0; i < n; i++) { // a list, whose end is marked last
        t.newRecord(1, 2);
        t.store(1, 0, 0);
        t.storeInt(1, 1, i);
        t.copy(0, 1);
      }
      GlobalRef list = heap.newGlobal();
      t.setGlobal(list, 0);
      heap.collect();
      List<WeakRef> builtins = new ArrayList<>();
      for (int i = n - 1; i > 0; i--) {
        boolean _ = heap.step(1);
        t.load(1, 0, 0);
        heap.makeBuiltins(() -> t.newRecord(2, 1 + builtins.size() % 50));
        t.store(2, 0, 1);
        t.storeNull(0, 0); // the rest hangs on the built-in alone
        builtins.add(t.newWeak(2));
        t.copy(0, 1);
        t.setUndefined(1);
      }
      assertThat(heap.statistics().collections()).isGreaterThan(1);
      collectAll(heap);
      for (int i = 0; i < builtins.size(); i++) {
        assertThat(t.getWeak(0, builtins.get(i))).isTrue();
        t.load(1, 0, 0);
        assertThat(t.loadInt(1, 1)).isEqualTo(n - 2 - i);
      }
    }
  }
}
