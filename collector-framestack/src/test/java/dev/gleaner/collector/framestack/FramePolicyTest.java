package dev.gleaner.collector.framestack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the settings of frames change. */
class FramePolicyTest extends HeapTests {
  private static final Pattern GENERATION = Pattern.compile("generation (\\d+)");

  private Heap open(String own) {
    return super.open("voluntary.enabled = false", "collectors.framestack { " + own + " }");
  }

  /** F(ni) of the diary: a tight loop of tail calls, after something that is worth a cycle. */
  private static long peakOfLoop(Heap heap, int steps) {
    Mutator t = heap.mutator();
    t.enter(2);
    for (int i = 0; i < steps; i++) {
      t.newRecord(1, 2);
      t.storeInt(1, 0, i);
      t.copy(0, 1);
      t.compact(0);
    }
    return heap.statistics().peakBytes();
  }

  @Test
  @Tag("F12")
  void whatIsOwnedFromBirthGoesByCycles() {
    Heap heap = open("mode = owned");
    assertThat(peakOfLoop(heap, 100_000)).isLessThan(64 << 10);
    assertThat(heap.inspect().verify()).isEmpty();
    assertThat(heap.statistics().movedElements()).as("nothing is copied").isZero();
    assertThat(heap.statistics().collections()).isZero();
  }

  @Test
  @Tag("F12")
  void whatACallMadeIsOwnedByIt() {
    Heap heap = open("mode = owned, merge.bytes = 0");
    Mutator t = heap.mutator();
    t.enter(2);
    t.newRecord(0, 1);
    assertThat(heap.inspect().describe(0)).contains("owned by a frame");
    t.enter(1);
    t.newObject(0, 1);
    assertThat(heap.inspect().describe(0)).contains("owned by a frame");
    t.leave(0, 1);
    t.store(0, 0, 1);
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  @Tag("F5")
  void aCycleThatIsFinishedKeepsMemoryConstant() {
    long once = peakOfLoop(open("mode = owned"), 50_000);
    assertThat(peakOfLoop(open("mode = owned"), 100_000)).isLessThan(once + 4096);
  }

  /** F(ni) with numbers of many digits, which ni shares: a cycle takes longer than a step. */
  private static long peakOfDigits(Heap heap, int steps) {
    Mutator t = heap.mutator();
    t.enter(3);
    for (int i = 0; i < 500; i++) {
      t.newRecord(1, 1);
      t.store(1, 0, 0);
      t.copy(0, 1);
    }
    for (int i = 0; i < steps; i++) {
      t.newRecord(1, 2);
      if (i > 0) {
        t.load(0, 0, 0);
      }
      t.store(1, 0, 0);
      t.storeInt(1, 1, i);
      t.copy(0, 1);
      t.compact(0);
    }
    long peak = heap.statistics().peakBytes();
    assertThat(heap.statistics().collections()).isZero();
    assertThat(heap.inspect().verify()).isEmpty();
    heap.collect();
    assertThat(heap.statistics().live(Kind.RECORD)).isEqualTo(501);
    return peak;
  }

  /** The last leak of the diary: each step abandons the cycle, and nothing is ever found. */
  @Test
  @Tag("F5b")
  void aCycleThatIsAbandonedAtEachStepLeaks() {
    String finish = "mode = owned";
    long once = peakOfDigits(open(finish), 5_000);
    assertThat(peakOfDigits(open(finish), 10_000)).isLessThan(once + 4096);
    String abandon = finish + ", cycle.on-leave = abandon";
    long leaky = peakOfDigits(open(abandon), 5_000);
    assertThat(peakOfDigits(open(abandon), 10_000)).isBetween(leaky * 9 / 5, leaky * 11 / 5);
  }

  /** Calls that share an owner share its generation. */
  @ParameterizedTest
  @Tag("F7b")
  @CsvSource({"4KiB, 65536, 1", "0, 65536, 4", "4KiB, 1, 4", "4KiB, 2, 3", "300, 65536, 2"})
  void callsAreMergedByBytesAndByNumber(String bytes, int calls, int owners) {
    Heap heap = open("mode = owned, merge { bytes = " + bytes + ", calls = " + calls + " }");
    Mutator t = heap.mutator();
    long last = 0;
    int found = 0;
    for (int i = 0; i < 4; i++) {
      t.enter(1);
      t.newRecord(0, 15); // 128 bytes
      MatchResult generation =
          GENERATION.matcher(heap.inspect().describe(0)).results().findFirst().orElseThrow();
      long g = Long.parseLong(generation.group(1));
      found += g == last ? 0 : 1;
      last = g;
    }
    assertThat(found).isEqualTo(owners);
  }
}
