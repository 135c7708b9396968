package dev.gleaner.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A region of memory, reserved or grown: the same but for how it gets its bytes. */
class MemoryTest {
  private static final long LIMIT = 1 << 20;

  private static Memory open(boolean reserve) {
    assumeTrue(!reserve || Memory.canReserve(), "address space cannot be reserved here");
    Memory m = Memory.open(LIMIT, 4096, reserve);
    assertThat(m.isReserved()).isEqualTo(reserve);
    return m;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void readsAsZeroWhereNothingWasWritten(boolean reserve) {
    try (Memory m = open(reserve)) {
      assertThat(m.ensure(LIMIT)).isTrue();
      for (long at = 0; at < LIMIT; at += 8) {
        assertThat(m.get(at)).isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void wordsIntsAndBytesShareTheBytes(boolean reserve) {
    try (Memory m = open(reserve)) {
      m.put(8, 0x1122334455667788L);
      m.putInt(16, -2);
      m.putByte(20, (byte) 0x7F);
      assertThat(m.get(8)).isEqualTo(0x1122334455667788L);
      assertThat(m.getUnchecked(8)).isEqualTo(0x1122334455667788L);
      m.putUnchecked(24, 7);
      assertThat(m.get(24)).isEqualTo(7);
      assertThat(m.getInt(16)).isEqualTo(-2);
      assertThat(m.getByte(20)).isEqualTo((byte) 0x7F);
      byte[] bytes = new byte[8];
      m.read(8, bytes, 0, 8);
      m.write(100, bytes, 0, 8); // not aligned to a word: buffers may read so
      assertThat(m.get(100)).isEqualTo(0x1122334455667788L);
      assertThat(m.view(8, 8).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(0x1122334455667788L);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyAccessIsChecked(boolean reserve) {
    try (Memory m = open(reserve)) {
      long end = m.size();
      m.put(end - 8, 1);
      assertThat(m.getInShortLoop(end - 8)).isEqualTo(1);
      for (long at : new long[] {-8, -1, end - 7, end, end + 8, Long.MAX_VALUE, Long.MIN_VALUE}) {
        assertThatThrownBy(() -> m.get(at)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> m.getInShortLoop(at))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> m.put(at, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> m.getInt(at < 0 ? at : at + 4))
            .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> m.getByte(at < 0 ? at : at + 7))
            .isInstanceOf(IndexOutOfBoundsException.class);
      }
      assertThatThrownBy(() -> m.zero(end - 8, 16)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> m.zero(end - 8, 160)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> m.copy(0, end - 8, 16))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> m.view(end - 8, 16)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> m.read(end - 8, new byte[16], 0, 16))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> m.write(-8, new byte[16], 0, 16))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void grownMemoryKeepsItsContentsUpToItsLimit() {
    try (Memory m = open(false)) {
      assertThat(m.size()).isEqualTo(4096);
      for (long at = 0; at < 4096; at += 8) {
        m.put(at, at);
      }
      assertThat(m.ensure(4097)).isTrue();
      assertThat(m.size()).isBetween(4097L, LIMIT);
      assertThat(m.ensure(LIMIT)).isTrue();
      assertThat(m.ensure(LIMIT + 1)).isFalse();
      for (long at = 0; at < 4096; at += 8) {
        assertThat(m.get(at)).isEqualTo(at);
      }
      for (long at = 4096; at < LIMIT; at += 8) {
        assertThat(m.get(at)).isZero();
      }
      m.put(LIMIT - 8, 1);
      assertThat(m.release(0, 4096)).as("only reserved memory can be given back").isFalse();
    }
  }

  @Test
  void reservedMemoryIsAllThereAndCanBeGivenBack() {
    try (Memory m = open(true)) {
      assertThat(m.size()).isGreaterThanOrEqualTo(LIMIT);
      assertThat(m.ensure(LIMIT)).isTrue();
      assertThat(m.ensure(m.size() + 1)).isFalse();
      m.put(0, 1);
      m.put(64 << 10, 2);
      m.put(LIMIT - 8, 3);
      assertThat(m.release(32 << 10, 512 << 10)).isTrue();
      assertThat(m.get(0)).isEqualTo(1);
      assertThat(m.get(64 << 10)).isZero();
      assertThat(m.get(LIMIT - 8)).isEqualTo(3);
      assertThat(m.release(8, 64)).as("no whole page").isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 16, 64})
  void wholePagesOfTheSystemAreGivenBackAndNothingElse(int kib) {
    assumeTrue(Memory.canReserve());
    try (SimulatedPages _ = new SimulatedPages(kib << 10);
        Memory m = Memory.open(LIMIT, LIMIT, true)) {
      assertThat(m.pageSize()).isEqualTo(kib << 10);
      for (long at = 0; at < LIMIT; at += 8) {
        m.put(at, 1);
      }
      long from = 3 * 4096 + 8;
      long to = LIMIT - 5 * 4096 - 16;
      assertThat(m.release(from, to - from)).isTrue();
      long page = m.pageSize();
      for (long at = 0; at < LIMIT; at += 8) {
        boolean whole = at / page * page >= from && at / page * page + page <= to;
        assertThat(m.get(at)).isEqualTo(whole ? 0 : 1);
      }
      assertThat(m.release(8, 2 * page - 16)).as("no whole page").isFalse();
    }
  }

  private static final long SMALL = 1 << 20;

  private static Memory beginSmall() {
    assumeTrue(Memory.canReserve());
    Memory m = Memory.beginSmall(16 * SMALL, 4096);
    assertThat(m.isReserved()).isTrue();
    return m;
  }

  @Test
  void memoryThatBeginsSmallIsMappedWhenItOutgrowsThat() {
    try (Memory m = beginSmall()) {
      assertThat(m.size()).isEqualTo(4096);
      m.put(8, 1);
      assertThat(m.release(0, 4096)).as("nothing of a page can be given back").isFalse();
      assertThat(m.ensure(SMALL)).isTrue();
      assertThat(m.size()).isEqualTo(SMALL);
      m.put(SMALL - 8, 2);
      assertThat(m.ensure(SMALL + 1)).isTrue();
      assertThat(m.size()).isGreaterThanOrEqualTo(16 * SMALL);
      assertThat(m.get(8)).isEqualTo(1);
      assertThat(m.get(SMALL - 8)).isEqualTo(2);
      assertThat(m.get(SMALL)).isZero();
      assertThat(m.release(0, SMALL)).isTrue();
      assertThat(m.get(8)).isZero();
      assertThat(m.ensure(m.size() + 1)).isFalse();
    }
  }

  @Test
  void aViewOfMemoryThatBeginsSmallStaysWhereItIs() {
    try (Memory m = beginSmall()) {
      m.put(8, 1);
      MemorySegment view = m.view(8, 8);
      assertThat(m.ensure(8 * SMALL)).isTrue();
      m.put(8, 2);
      assertThat(view.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(2);
      assertThat(m.keepsPlace()).isTrue();
    }
    Memory closed = beginSmall();
    closed.close();
    assertThat(closed.ensure(1)).isFalse();
    assertThatThrownBy(() -> closed.view(0, 8)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void memoryThatBeginsSmallGrowsWhereTheSystemRefusesToMapIt() {
    assumeTrue(Memory.canReserve());
    try (SimulatedPages _ =
            new SimulatedPages(4096) {
              @Override
              public long map(long bytes) {
                return -1;
              }
            };
        Memory m = Memory.beginSmall(4 * SMALL, 4096)) {
      m.put(8, 1);
      assertThat(m.ensure(2 * SMALL)).isTrue();
      assertThat(m.isReserved()).isFalse();
      assertThat(m.keepsPlace()).isFalse();
      assertThat(m.size()).isEqualTo(2 * SMALL);
      m.put(2 * SMALL - 8, 2);
      assertThat(m.ensure(4 * SMALL)).isTrue();
      assertThat(m.get(8)).isEqualTo(1);
      assertThat(m.get(2 * SMALL - 8)).isEqualTo(2);
      assertThat(m.ensure(4 * SMALL + 1)).isFalse();
    }
  }

  @Test
  void aJvmThatCalledTheSystemReservesAtOnce() {
    assumeTrue(Memory.canReserve());
    try (Memory m = Memory.open(SMALL, 4096, true);
        Memory next = Memory.openSmall(2 * SMALL, 4096)) {
      assertThat(m.isReserved()).isTrue();
      assertThat(next.size()).isGreaterThanOrEqualTo(2 * SMALL);
    }
  }

  @Test
  void reservingIsCheapHoweverMuch() {
    assumeTrue(Memory.canReserve());
    try (Memory m = Memory.open(1L << 40, 0, true)) {
      assumeTrue(m.isReserved());
      m.put((1L << 40) - 8, 1);
      assertThat(m.get((1L << 40) - 8)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void zeroesAndCopiesParts(boolean reserve) {
    try (Memory m = open(reserve);
        Memory other = open(false)) {
      for (int bytes : new int[] {0, 8, 16, 24, 32, 40, 64, 72, 1000}) {
        for (long at = 0; at < 2048; at += 8) {
          m.put(at, at + 1);
        }
        m.zero(16, bytes);
        for (long at = 0; at < 2048; at += 8) {
          assertThat(m.get(at)).isEqualTo(at >= 16 && at < 16 + bytes ? 0 : at + 1);
        }
      }
      for (long at = 0; at < 2048; at += 8) {
        m.put(at, at + 1);
      }
      m.copy(0, 8, 1024); // they overlap
      assertThat(m.get(8)).isEqualTo(1);
      assertThat(m.get(1024)).isEqualTo(1017);
      other.copyFrom(m, 8, 16, 64);
      assertThat(other.get(8)).isZero();
      assertThat(other.get(16)).isEqualTo(1);
      assertThat(other.get(72)).isEqualTo(57);
      assertThat(other.get(80)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nothingIsAccessibleOnceClosed(boolean reserve) {
    Memory m = open(reserve);
    m.put(8, 1);
    m.close();
    assertThat(m.size()).isZero();
    assertThatThrownBy(() -> m.get(8)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> m.getInShortLoop(8)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> m.put(8, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> m.getByte(8)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> m.zero(0, 8)).isInstanceOf(IndexOutOfBoundsException.class);
    m.close(); // again: nothing
  }
}
