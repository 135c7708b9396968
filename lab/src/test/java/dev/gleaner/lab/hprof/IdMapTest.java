package dev.gleaner.lab.hprof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IdMapTest {
  private static final int ENTRIES = 100_000;

  @ParameterizedTest
  @CsvSource({"100000, 8", "100000, 16", "0, 8", "100000, 0"})
  void findsWhatWasPut(int expected, int stride) {
    SplittableRandom random = new SplittableRandom(1);
    IdMap map = new IdMap(expected);
    Map<Long, Integer> model = new HashMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      long id = stride == 0 ? random.nextLong() : 0x7f00_0000_0000L + (long) i * stride;
      map.put(id, i);
      model.put(id, i);
    }
    map.put(0, 5);
    model.put(0L, 5);
    model.forEach((id, number) -> assertThat(map.get(id)).isEqualTo(number));
    assertThat(map.get(3)).isEqualTo(-1);
    assertThat(map.get(-1)).isEqualTo(-1);
  }
}
