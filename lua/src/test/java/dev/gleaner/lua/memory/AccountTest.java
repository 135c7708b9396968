package dev.gleaner.lua.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.refusal.HeapExhaustedException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AccountTest {
  private static final long LIMIT = 1 << 20;

  private static Heap open(String collector) {
    String settings = "gleaner.memory.max = " + LIMIT + "\ngleaner.collector = " + collector;
    return Gleaner.factory(ConfigFactory.parseString(settings).withFallback(ConfigFactory.load()))
        .open();
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void keepsAQuarterAndLendsTheRest(String collector) {
    try (Heap heap = open(collector)) {
      Account account = new Account(heap);
      account.charge(LIMIT / 4);
      assertThatThrownBy(() -> account.charge(1)).isInstanceOf(HeapExhaustedException.class);
      assertThat(account.charged()).isEqualTo(LIMIT / 4);
      try (Account.Loan loan = account.borrow()) {
        loan.add(LIMIT / 2);
        assertThatThrownBy(() -> loan.add(LIMIT / 2)).isInstanceOf(HeapExhaustedException.class);
        assertThat(account.charged()).isEqualTo(LIMIT / 4 + LIMIT / 2);
        assertThatThrownBy(loan::keep).isInstanceOf(HeapExhaustedException.class);
        assertThat(loan.bytes()).isEqualTo(LIMIT / 2);
      }
      account.release(LIMIT / 4);
      assertThat(account.charged()).isZero();
      assertThat(heap.statistics().externalBytes()).isBetween(0L, 2 * 4096L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void collectsBeforeAChargeIsRefused(String collector) {
    try (Heap heap = open(collector)) {
      Account account = new Account(heap);
      heap.mutator().enter(1);
      account.charge(LIMIT / 4);
      heap.mutator().newNative(0, "a unit", (value, closing) -> account.release(LIMIT / 4));
      heap.mutator().setUndefined(0);
      account.charge(LIMIT / 8);
      assertThat(account.charged()).isEqualTo(LIMIT / 8);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 24, 100, 4095, 4096, 10_000})
  void smallChargesReserveInGrants(int size) {
    try (Heap heap = open("hybrid")) {
      Account account = new Account(heap);
      long reserved = 0;
      for (int i = 1; i <= 20; i++) {
        account.charge(size);
        reserved = heap.statistics().externalBytes();
        assertThat(reserved).isBetween((long) size * i, (long) size * i + 4096);
      }
      for (int i = 0; i < 20; i++) {
        account.release(size);
      }
      assertThat(heap.statistics().externalBytes()).isBetween(0L, 2 * 4096L);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 1000, LIMIT})
  void anAccountWithoutAGuestHasABound(long size) {
    Account account = Account.upTo(LIMIT);
    try (Account.Loan loan = account.borrow()) {
      loan.add(size);
      loan.add(LIMIT - size);
      assertThatThrownBy(() -> loan.add(1)).isInstanceOf(HeapExhaustedException.class);
      loan.drop(size);
      assertThat(account.charged()).isEqualTo(LIMIT - size);
    }
    assertThat(account.charged()).isZero();
  }
}
