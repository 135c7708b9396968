package dev.gleaner.collector.semispace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapUsageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What moves and what does not, as views of buffers show it. */
class MovingTest extends HeapTests {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private static long address(Mutator t, int buffer) {
    return t.view(buffer).address();
  }

  private static void fill(Mutator t, int buffer, int value) {
    for (long i = 0; i < t.bufferSize(buffer); i++) {
      t.putByte(buffer, i, (byte) value);
    }
  }

  private static void expectFilled(Mutator t, int buffer, int value) {
    for (long i = 0; i < t.bufferSize(buffer); i++) {
      assertThat(t.getByte(buffer, i)).isEqualTo((byte) value);
    }
  }

  @Test
  @Tag("P1")
  void aSmallElementMovesInEveryCollection() {
    Heap heap = open("verify = after-collection"); // so the half that was left is kept
    Mutator t = heap.mutator();
    t.enter(1);
    t.newBuffer(0, 100);
    fill(t, 0, 7);
    for (int i = 0; i < 4; i++) {
      long before = address(t, 0);
      heap.collect();
      assertThat(address(t, 0)).isNotEqualTo(before);
      expectFilled(t, 0, 7);
    }
  }

  @Test
  @Tag("P1")
  void whatMovedIsCounted() {
    Heap heap = open();
    Mutator t = heap.mutator();
    t.enter(3);
    t.newBuffer(2, 9000); // stays
    heap.collect();
    long before = heap.statistics().movedElements();
    heap.collect();
    long itsOwn = heap.statistics().movedElements() - before;
    t.newRecord(0, 2);
    t.newBuffer(1, 100);
    t.newRecord(2, 1);
    heap.collect();
    assertThat(heap.statistics().movedElements() - before).isEqualTo(2 * itsOwn + 3);
  }

  @Test
  @Tag("P8")
  void aLargeElementStays() {
    Heap heap = open();
    Mutator t = heap.mutator();
    t.enter(1);
    t.newBuffer(0, 9000);
    long before = address(t, 0);
    for (int i = 0; i < 3; i++) {
      heap.collect();
      assertThat(address(t, 0)).isEqualTo(before);
    }
    t.wipe(0);
    heap.collect();
    assertThat(count(heap, Kind.BUFFER)).isZero();
  }

  @Test
  @Tag("P9")
  void whatWasLeftIsPoisonedInVerifyMode() {
    Heap heap = open("verify = after-collection");
    Mutator t = heap.mutator();
    t.enter(1);
    t.newBuffer(0, 100);
    MemorySegment left = t.view(0);
    heap.collect();
    for (long i = 0; i < 96; i += 8) {
      assertThat(left.get(ValueLayout.JAVA_LONG_UNALIGNED, i)).isEqualTo(0xFFFF_7BAD_7BAD_7BAFL);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 8000, 100_000})
  void aPinnedBufferStaysUntilItIsUnpinnedAndDropped(int bytes) {
    Heap heap = open();
    Mutator t = heap.mutator();
    t.enter(3);
    t.newBuffer(0, bytes);
    fill(t, 0, 5);
    t.newRecord(1, 1);
    t.store(1, 0, 0);
    int hash = t.identityHash(0);
    MemorySegment view = t.pin(0);
    assertThat(view.byteSize()).isEqualTo(bytes);
    for (int i = 0; i < 3; i++) {
      list(t, 2, 0, 1000);
      heap.collect();
      t.load(0, 1, 0);
      assertThat(address(t, 0)).isEqualTo(view.address());
      view.set(BYTE, bytes - 1, (byte) i);
      assertThat(t.getByte(0, bytes - 1)).isEqualTo((byte) i);
      assertThat(view.get(BYTE, 0)).isEqualTo((byte) (bytes == 1 ? i : 5));
      assertThat(t.identityHash(0)).isEqualTo(hash);
      assertThat(heap.inspect().verify()).isEmpty();
    }
    t.unpin(0);
    t.wipe(0);
    heap.collect();
    assertThat(count(heap, Kind.BUFFER)).isZero();
  }

  @Test
  void aPinnedBufferIsARootAndPinsAreCounted() {
    Heap heap = open();
    Mutator t = heap.mutator();
    t.enter(2);
    t.newBuffer(0, 64);
    t.pin(0);
    MemorySegment view = t.pin(0);
    t.unpin(0);
    view.fill((byte) 9);
    t.newWeak(0);
    t.wipe(0);
    for (int i = 0; i < 3; i++) {
      list(t, 1, 0, 1000);
      t.wipe(0);
      heap.collect();
      assertThat(count(heap, Kind.BUFFER)).isEqualTo(1);
      assertThat(view.get(BYTE, 63)).isEqualTo((byte) 9);
    }
  }

  @Test
  void pinningMovesAndAllocatesNothing() {
    Heap heap = open();
    Mutator t = heap.mutator();
    t.enter(1);
    t.newBuffer(0, 100);
    heap.collect();
    HeapStatistics before = heap.statistics();
    t.pin(0);
    HeapStatistics pinned = heap.statistics();
    assertThat(pinned.allocatedElements()).isEqualTo(before.allocatedElements());
    assertThat(pinned.allocatedBytes()).isEqualTo(before.allocatedBytes());
    assertThat(pinned.movedElements()).isGreaterThan(before.movedElements());
  }

  @Test
  void aDynamicBufferThatIsPinnedIsNotResized() {
    Heap heap = open();
    Mutator t = heap.mutator();
    t.enter(1);
    t.newDynamicBuffer(0, 100);
    MemorySegment view = t.pin(0);
    view.set(BYTE, 99, (byte) 3);
    assertThatThrownBy(() -> t.resizeBuffer(0, 200))
        .isInstanceOf(HeapUsageException.class)
        .hasMessage("pinned buffer: slot 0");
    heap.collect();
    assertThat(t.getByte(0, 99)).isEqualTo((byte) 3);
    assertThat(address(t, 0)).isEqualTo(view.address());
    t.unpin(0);
    t.resizeBuffer(0, 200);
    assertThat(t.getByte(0, 99)).isEqualTo((byte) 3);
    assertThatThrownBy(() -> t.unpin(0))
        .isInstanceOf(HeapUsageException.class)
        .hasMessage("not pinned: slot 0");
  }

  @Test
  void manyPinnedBuffersDoNotShareMemory() {
    Heap heap = open("verify = after-collection");
    Mutator t = heap.mutator();
    t.enter(2);
    Set<Long> addresses = new HashSet<>();
    t.newRecord(0, 50);
    for (int i = 0; i < 50; i++) {
      t.newBuffer(1, 16);
      t.store(0, i, 1);
      MemorySegment view = t.pin(1);
      view.fill((byte) i);
      addresses.add(view.address());
    }
    heap.collect();
    assertThat(addresses).hasSize(50);
    for (int i = 0; i < 50; i++) {
      t.load(1, 0, i);
      assertThat(addresses).contains(address(t, 1));
      expectFilled(t, 1, i);
      t.unpin(1);
    }
  }

  @Test
  void grownMemoryIsNotPinned() {
    Heap heap = open("memory.backing = grown");
    assertThat(heap.traits().pinning()).isFalse();
    Mutator t = heap.mutator();
    t.enter(1);
    t.newBuffer(0, 10);
    assertThatThrownBy(() -> t.pin(0))
        .isInstanceOf(HeapUsageException.class)
        .hasMessage("no pinning: collector semispace");
  }

  @Test
  void pinningInAFullHeapSaysThatItIsFull() {
    Heap heap = open("memory.max = 64KiB");
    Mutator t = heap.mutator();
    t.enter(2);
    t.newBuffer(0, 200);
    heap.reserveExternal(64 * 1024 - used(heap) - 100);
    assertThatThrownBy(() -> t.pin(0))
        .isInstanceOf(dev.gleaner.refusal.HeapExhaustedException.class);
    heap.releaseExternal(400);
    t.pin(0);
    assertThat(heap.inspect().verify()).isEmpty();
    t.unpin(0);
  }
}
