package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Layout;
import dev.gleaner.testing.Region;
import dev.gleaner.testing.Seeds;
import dev.gleaner.testing.Triggers;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** One buffer for all: what is granted is charged, bounded, clear, and counted by its headers. */
class CursorTest {
  private static final long MAX = 64 << 10;
  private static final int HOLE = 16 << 10;

  /** A cursor in one hole, and what was made. */
  private static final class Model implements AutoCloseable {
    final Region r = new Region(MAX);
    final VoluntaryTrigger trigger;
    final AllocationGate gate;
    final Cursor cursor;
    final long hole;
    final List<Long> made = new ArrayList<>();
    final List<Long> told = new ArrayList<>();
    long bytes;

    Model(double operations, boolean oneByOne) {
      trigger = Triggers.of(operations >= 0, 0, operations);
      gate = new AllocationGate(trigger, oneByOne);
      hole = r.raw.takePages(HOLE);
      for (long at = hole; at < hole + HOLE; at += 8) {
        r.memory.put(at, -1);
      }
      cursor = new Cursor(r.memory, r.budget, gate, this::note);
      cursor.moveTo(hole, hole + HOLE);
    }

    private void note(int kind, long element) {
      assertThat(kind).isEqualTo(Layout.kind(r.memory.get(element)));
      told.add(element);
    }

    /** After all was counted: the figures, and what the visitor was told. */
    void checkCounted() {
      assertThat(cursor.bytes()).isEqualTo(bytes);
      assertThat(cursor.elements()).isEqualTo(made.size());
      for (int kind = 1; kind < Layout.KINDS; kind++) {
        int k = kind;
        assertThat(cursor.elements(k)).isEqualTo(made.stream().filter(e -> kind(e) == k).count());
      }
      assertThat(told)
          .isEqualTo(
              made.stream()
                  .filter(e -> kind(e) == Layout.STRING || Layout.ownsResources(kind(e)))
                  .toList());
    }

    private int kind(long element) {
      return Layout.kind(r.memory.get(element));
    }

    /** Takes an element as the heap does; returns whether the cursor had to be asked. */
    boolean make(int kind, int words) {
      long[] buffer = cursor.buffer();
      long e = buffer[0];
      boolean asks = e + words * 8L > buffer[1];
      if (asks) {
        e = cursor.allocate(words, false);
      } else {
        buffer[0] = e + words * 8L;
      }
      assertThat(e).as("the next element").isEqualTo(hole + bytes);
      for (int w = 0; w < words; w++) {
        assertThat(r.memory.get(e + 8L * w)).isZero();
      }
      r.memory.put(e, Layout.header(kind, words - 1));
      bytes += words * 8L;
      made.add(e);
      return asks;
    }

    void check() {
      assertThat(r.budget.used()).isEqualTo(bytes);
      assertThat(cursor.next()).isEqualTo(hole + bytes);
    }

    @Override
    public void close() {
      r.close();
    }
  }

  private static int words(Random random) {
    return 1 + random.nextInt(random.nextInt(4) == 0 ? SizeClasses.EXACT : 5);
  }

  @Test
  void elementsOfAnyKindAndSizeLieSideBySide() {
    Seeds.forEach(
        10,
        random -> {
          try (Model m = new Model(-1, false)) {
            int asked = 0;
            for (int words = words(random); m.cursor.hasRoom(words); words = words(random)) {
              asked += m.make(1 + random.nextInt(Layout.KINDS - 1), words) ? 1 : 0;
              m.check();
              switch (random.nextInt(50)) {
                case 0 -> m.cursor.retire();
                case 1 -> m.r.budget.takeBack();
                case 2 -> {
                  m.cursor.count();
                  m.checkCounted();
                }
                default -> {}
              }
            }
            assertThat(asked).isLessThan(m.made.size() / 4);
            m.cursor.moveTo(0, 0);
            m.checkCounted();
            assertThat(m.r.budget.charged()).isEqualTo(m.bytes);
            assertThat(m.cursor.hasRoom(1)).isFalse();
          }
        });
  }

  /** Whatever the sizes, the trigger fires for the same element as if each one were counted. */
  @Test
  void theTriggerIsExact() {
    Seeds.forEach(
        20,
        random -> {
          int operations = random.nextInt(200);
          try (Model m = new Model(operations, false)) {
            while (!m.trigger.due()) {
              m.make(Layout.RECORD, words(random));
              assertThat(m.made.size()).isLessThanOrEqualTo(operations + 1);
            }
            assertThat(m.made).hasSize(operations + 1);
            m.cursor.retire();
            assertThat(m.trigger.count()).isEqualTo(-1);
          }
        });
  }

  @Test
  void theGateMayWantEachElementForItself() {
    try (Model m = new Model(-1, true)) {
      for (int i = 1; i < 20; i++) {
        assertThat(m.make(Layout.STRING, i)).isTrue();
        assertThat(m.cursor.unusedBytes()).isZero();
      }
    }
  }

  @Test
  void nothingIsGrantedBesidesAnElementThatIsToBeAlone() {
    try (Model m = new Model(-1, false)) {
      long e = m.cursor.allocate(5, true);
      assertThat(e).isEqualTo(m.hole);
      assertThat(m.cursor.unusedBytes()).isZero();
      assertThat(m.r.budget.charged()).isEqualTo(40);
    }
  }

  @Test
  void theLimitIsExact() {
    try (Model m = new Model(-1, false)) {
      long left = m.r.budget.remaining() - 3 * 32 - 8;
      assertThat(m.r.budget.charge(left - 5)).isTrue(); // bytes that are no words, as external ones
      for (int i = 0; i < 3; i++) {
        m.make(Layout.RECORD, 4);
      }
      assertThat(m.cursor.allocate(4, false)).isZero();
      m.make(Layout.RECORD, 1);
      assertThat(m.r.budget.remaining()).isEqualTo(5);
      m.cursor.retire();
      m.checkCounted();
    }
  }
}
