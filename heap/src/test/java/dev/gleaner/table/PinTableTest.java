package dev.gleaner.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pins are counted, and what is pinned is a root. */
@Tag("P8")
class PinTableTest {
  private final PinTable pins = new PinTable();

  @Test
  void agreesWithAMapOfCounts() {
    Random random = new Random(Long.getLong("gleaner.seed", 42));
    Map<Long, Integer> model = new HashMap<>();
    for (int i = 0; i < 10_000; i++) {
      if (i % 97 == 0) { // some move
        pins.forEachRoot(b -> (b >> 4) % 3 == 0 ? b ^ 8 : b);
        Map<Long, Integer> moved = new HashMap<>();
        model.forEach((b, n) -> moved.put((b >> 4) % 3 == 0 ? b ^ 8 : b, n));
        model.clear();
        model.putAll(moved);
      }
      long buffer = 16L * (1 + random.nextInt(40)) + (random.nextInt(10) == 0 ? 8 : 0);
      if (random.nextInt(100) < 55) {
        pins.pin(buffer);
        model.merge(buffer, 1, Integer::sum);
      } else {
        assertThat(pins.unpin(buffer)).isEqualTo(model.containsKey(buffer));
        model.computeIfPresent(buffer, (b, n) -> n == 1 ? null : n - 1);
      }
      assertThat(pins.contains(buffer)).isEqualTo(model.containsKey(buffer));
      assertThat(pins.size()).isEqualTo(model.size());
    }
  }

  @Test
  void takesOverThePlacesThatItsRootsMovedTo() {
    pins.pin(8);
    pins.pin(16);
    pins.pin(16);
    pins.forEachRoot(buffer -> buffer + 800);
    assertThat(pins.contains(8)).isFalse();
    assertThat(pins.unpin(816)).isTrue();
    assertThat(pins.unpin(816)).isTrue();
    assertThat(pins.unpin(816)).isFalse();
    assertThat(pins.unpin(808)).isTrue();
    assertThat(pins.size()).isZero();
  }
}
