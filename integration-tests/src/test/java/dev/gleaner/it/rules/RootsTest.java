package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What keeps an element, each way alone; and what does not. */
@Tag("D7")
class RootsTest extends AllCollectors {
  RootsTest(String collector) {
    super(collector);
  }

  private static final String QUIET = "voluntary.enabled = false";
  private final Heap heap = open(QUIET);
  private final Mutator t = heap.mutator();

  /** A record in a slot that nothing else refers to, watched. */
  private WeakRef fresh(int slot, int number) {
    t.newRecord(slot, 1);
    t.storeInt(slot, 0, number);
    return t.newWeak(slot);
  }

  private void assertKept(WeakRef weak, int number) {
    for (int i = 0; i < 3; i++) {
      heap.collect(i == 2 ? CollectFlags.EMERGENCY : 0);
      assertThat(weak.isCleared()).isFalse();
      garbage();
    }
    t.enter(1);
    assertThat(t.getWeak(0, weak)).isTrue();
    assertThat(t.loadInt(0, 0)).isEqualTo(number);
    t.leave();
  }

  private void assertLost(WeakRef weak) {
    heap.collect();
    assertThat(weak.isCleared()).isTrue();
  }

  /** Takes the cells of what a faulty collection would have freed. */
  private void garbage() {
    t.enter(1);
    for (int i = 0; i < 200; i++) {
      t.newRecord(0, 1);
      t.storeInt(0, 0, -1);
    }
    t.leave();
  }

  @Test
  void slotsOfTheFrameAndOfItsCallers() {
    t.enter(2);
    WeakRef a = fresh(1, 1);
    t.enter(1);
    WeakRef b = fresh(0, 2);
    t.enter(0);
    assertKept(a, 1);
    assertKept(b, 2);
    t.leave();
    t.leave();
    assertLost(b);
    assertKept(a, 1);
    t.setUndefined(1);
    assertLost(a);
  }

  @Test
  void builtInsAndWhatTheyReferTo() {
    t.enter(2);
    heap.makeBuiltins(() -> t.newRecord(0, 1));
    WeakRef builtin = t.newWeak(0);
    WeakRef a = fresh(1, 1);
    t.store(0, 0, 1);
    t.wipe(0);
    assertKept(a, 1);
    assertThat(t.getWeak(0, builtin)).isTrue();
    t.storeNull(0, 0);
    t.wipe(0);
    assertLost(a);
    assertThat(builtin.isCleared()).isFalse();
  }

  @Test
  void aReturnedValueAndArguments() {
    t.enter(1);
    t.enter(1);
    WeakRef a = fresh(0, 1);
    t.leave(0, 0);
    assertKept(a, 1);
    t.enter(1, 0, 1);
    assertKept(a, 1);
    t.leave();
  }

  @Test
  void whatCompactingKeepsAndWhatNot() {
    t.enter(3);
    WeakRef a = fresh(0, 1);
    WeakRef b = fresh(1, 2);
    WeakRef c = fresh(2, 3);
    t.compact(0, 2);
    assertKept(a, 1);
    assertKept(c, 3);
    assertLost(b);
    t.compact(new int[] {2});
    assertLost(a);
    assertKept(c, 3);
    t.compact();
    assertLost(c);
  }

  @Test
  void globalReferencesUntilTheyAreClosed() {
    t.enter(1);
    List<GlobalRef> globals = new ArrayList<>();
    List<WeakRef> weak = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      weak.add(fresh(0, i));
      globals.add(heap.newGlobal());
      t.setGlobal(globals.get(i), 0);
    }
    t.setUndefined(0);
    globals.get(3).close();
    globals.get(7).close();
    GlobalRef again = heap.newGlobal(); // takes a closed one's place
    t.getGlobal(0, again);
    assertThat(t.isUndefined(0)).isTrue();
    for (int i = 0; i < 10; i++) {
      if (i == 3 || i == 7) {
        assertLost(weak.get(i));
      } else {
        assertKept(weak.get(i), i);
      }
    }
    t.setGlobal(globals.get(0), 0);
    assertLost(weak.getFirst());
  }

  @Test
  void stacksOfSuspendedThreadsThatAreReachable() {
    t.enter(2);
    t.newThread(0);
    WeakRef pushed = fresh(1, 1);
    t.push(0, 1);
    t.setUndefined(1);
    assertKept(pushed, 1);
    t.resume(0, 2); // suspended inside frames
    t.enter(1);
    WeakRef inner = fresh(0, 2);
    t.enter(0);
    t.suspend();
    assertKept(inner, 2);
    assertKept(pushed, 1);
    t.setUndefined(0);
    assertLost(inner);
    assertLost(pushed);
    assertThat(count(heap, Kind.THREAD)).isEqualTo(1);
  }

  @Test
  void poppedAndLeftSlotsOfSuspendedThreadsAreNoRoots() {
    t.enter(2);
    t.newThread(0);
    WeakRef popped = fresh(1, 1);
    t.push(0, 1);
    t.pop(0, 1);
    t.setUndefined(1);
    assertLost(popped);
    t.resume(0, 1);
    WeakRef left = fresh(0, 2);
    t.suspend();
    assertLost(left);
  }

  @Test
  void theChainOfResumers() {
    t.enter(3);
    t.newThread(0);
    WeakRef main = fresh(1, 1);
    t.resume(0, 2);
    WeakRef first = fresh(0, 2);
    t.newThread(1);
    t.resume(1, 1);
    WeakRef second = fresh(0, 3);
    // The main thread and the one between run no longer, and wait for the current one.
    assertKept(main, 1);
    assertKept(first, 2);
    assertKept(second, 3);
    assertThat(count(heap, Kind.THREAD)).isEqualTo(3);
    t.suspend();
    assertLost(second);
    t.suspend();
    assertLost(first);
    assertKept(main, 1);
  }

  @Test
  void activationsKeepTheirFunctionWithItsConstantsAndInnerFunctions() {
    t.enter(3);
    t.newFunction(0, 1, 1);
    WeakRef constant = fresh(1, 1);
    t.storeConstant(0, 0, 1);
    t.newFunction(2, 1, 0);
    WeakRef inner = t.newWeak(2);
    WeakRef innermost = fresh(1, 2);
    t.storeConstant(2, 0, 1);
    t.storeInner(0, 0, 2);
    t.setUndefined(1);
    t.setUndefined(2);
    assertKept(constant, 1);
    assertKept(innermost, 2);
    t.call(1, 0);
    t.pushCatcher(0, 7);
    t.enter(0);
    assertKept(constant, 1);
    assertKept(innermost, 2);
    t.leave();
    t.leave();
    t.setUndefined(0);
    assertLost(inner);
    assertLost(constant);
    assertLost(innermost);
    assertThat(count(heap, Kind.FUNCTION)).isZero();
  }

  @Test
  void aRaisedValueIsKeptByTheCatchersSlot() {
    t.enter(1);
    t.pushCatcher(0, 42);
    t.enter(1);
    WeakRef a = fresh(0, 1);
    t.enter(1, 0, 1);
    assertThat(t.raise(0)).isEqualTo(42);
    assertKept(a, 1);
    assertThat(t.loadInt(0, 0)).isEqualTo(1);
    t.setUndefined(0);
    assertLost(a);
  }

  @Test
  void thePropertiesKeysArrayPrototypeAndSlotsOfAnObject() {
    t.enter(4);
    t.newObject(0, 2);
    WeakRef inline = fresh(1, 1);
    t.store(0, 1, 1);
    WeakRef value = fresh(1, 2);
    t.newString(2, "a key that nothing else holds");
    WeakRef key = t.newWeak(2);
    t.putProperty(0, 2, 1);
    WeakRef indexed = fresh(1, 3);
    t.putIndex(0, 9, 1);
    t.newObject(3);
    WeakRef inherited = fresh(1, 4);
    t.newString(2, "inherited");
    t.putProperty(3, 2, 1);
    t.setPrototype(0, 3);
    t.compact(0);
    assertKept(inline, 1);
    assertKept(value, 2);
    assertKept(indexed, 3);
    assertKept(inherited, 4);
    assertThat(key.isCleared()).isFalse();

    t.newString(2, "a key that nothing else holds");
    t.deleteProperty(0, 2);
    t.setUndefined(2);
    t.putIndex(0, 9, 2);
    t.setPrototype(0, 2);
    assertLost(value);
    assertLost(key);
    assertLost(indexed);
    assertLost(inherited);
    assertKept(inline, 1);
  }

  @Test
  void manyPropertiesWithAHashPart() {
    t.enter(3);
    t.newObject(0);
    List<WeakRef> weak = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      t.newString(1, "property " + i);
      weak.add(fresh(2, i));
      t.putProperty(0, 1, 2);
    }
    t.compact(0);
    for (int i = 0; i < 300; i += 37) {
      assertKept(weak.get(i), i);
    }
    assertThat(count(heap, Kind.STRING)).isEqualTo(300);
  }

  @Test
  @Needs("!prompt")
  void theFinalizeListAndWhatItReaches() {
    t.enter(2);
    t.newRecord(0, 1);
    t.newObject(1);
    t.store(0, 0, 1);
    t.newString(1, "behind");
    WeakRef behind = t.newWeak(1);
    t.load(1, 0, 0);
    t.setFinalizer(0, "f", noting("f"));
    t.enter(2);
    t.newString(0, "key");
    t.newString(1, "behind");
    t.leave();
    t.enter(4, 0, 2);
    t.newString(2, "k");
    t.newString(3, "behind");
    t.putProperty(1, 2, 3);
    t.leave();
    t.compact();
    for (int i = 0; i < 3; i++) {
      heap.collect(CollectFlags.NO_FINALIZERS);
      assertThat(finalized).isEmpty();
      assertThat(behind.isCleared()).isFalse();
      assertThat(count(heap, Kind.RECORD)).isEqualTo(1);
      assertThat(count(heap, Kind.OBJECT)).isEqualTo(1);
    }
    heap.collect();
    assertThat(finalized).containsExactly("f");
    heap.collect();
    assertThat(count(heap, Kind.RECORD)).isZero();
    assertThat(count(heap, Kind.OBJECT)).isZero();
    assertThat(behind.isCleared()).isTrue();
  }

  @Test
  void theThreadThatRunsFinalizersAndTheOneTheyInterrupted() {
    t.enter(2);
    WeakRef interrupted = fresh(0, 1);
    WeakRef[] inside = new WeakRef[1];
    lose(
        t,
        1,
        "f",
        (thread, closing) -> {
          inside[0] = fresh(1, 2);
          assertKept(inside[0], 2);
          assertKept(interrupted, 1);
        });
    t.newThread(1);
    t.resume(1, 0);
    heap.collect();
    t.suspend();
    assertThat(finalized).containsExactly("f");
    assertThat(heap.statistics().finalizersFailed()).isZero();
    assertLost(inside[0]);
    assertKept(interrupted, 1);
  }

  @Test
  void stringsBuffersAndNativesHoldNothing() {
    t.enter(3);
    WeakRef a = fresh(0, 1);
    int hash = t.identityHash(0);
    t.newBuffer(1, 800);
    t.newDynamicBuffer(2, 8000);
    // Whatever the offset of the record is: it stands somewhere among these words.
    for (int i = 0; i < 100; i++) {
      t.putLong(1, 8L * i, 8L * i + 1024);
    }
    for (int i = 0; i < 1000; i++) {
      t.putLong(2, 8L * i, 8L * i + 1024);
    }
    t.setInt(0, hash);
    assertLost(a);
  }
}
