package dev.gleaner.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.FreeCallback;
import dev.gleaner.table.NativeTable.Freed;
import dev.gleaner.testing.Seeds;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Java objects by number, and the callbacks of those that were freed. */
@Tag("D9")
class NativeTableTest {
  private static final FreeCallback NOTHING = (value, closing) -> {};

  @Test
  void aReleasedObjectIsHandedOutOnceWithItsCallback() {
    NativeTable natives = new NativeTable();
    int a = natives.add("a", NOTHING);
    int b = natives.add("b", null);
    assertThat(natives.get(a)).isEqualTo("a");
    natives.release(b);
    assertThat(natives.hasFreed()).as("without a callback").isFalse();
    assertThat(natives.nextFreed(1)).isNull();
    assertThat(natives.find(a)).isEqualTo("a");
    natives.release(a);
    assertThat(natives.find(a)).isNull();
    assertThat(natives.hasFreed()).isTrue();
    assertThat(natives.size()).isZero();
    Freed freed = Objects.requireNonNull(natives.nextFreed(1));
    assertThat(freed.value()).isEqualTo("a");
    assertThat(freed.callback()).isSameAs(NOTHING);
    assertThat(natives.nextFreed(1)).isNull();
    assertThatThrownBy(() -> natives.get(a)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> natives.release(a)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void numbersAreUsedAgain() {
    NativeTable natives = new NativeTable();
    int most = 0;
    for (int i = 0; i < 10_000; i++) {
      int n = natives.add(i, null);
      most = Math.max(most, n);
      natives.release(n);
    }
    assertThat(most).isZero();
  }

  @Test
  void randomProgramsAgreeWithAMap() {
    Seeds.forEach(
        10,
        random -> {
          NativeTable natives = new NativeTable();
          Map<Integer, Object> model = new HashMap<>();
          for (int i = 0; i < 3000; i++) {
            if (model.isEmpty() || random.nextInt(100) < 55) {
              Object value = "v" + i;
              assertThat(model.put(natives.add(value, NOTHING), value)).isNull();
            } else {
              int n =
                  model.keySet().stream()
                      .skip(random.nextInt(model.size()))
                      .findFirst()
                      .orElseThrow();
              natives.release(n);
              assertThat(Objects.requireNonNull(natives.nextFreed(1)).value())
                  .isEqualTo(model.remove(n));
            }
            assertThat(natives.size()).isEqualTo(model.size());
          }
          model.forEach((n, value) -> assertThat(natives.get(n)).isEqualTo(value));
        });
  }
}
