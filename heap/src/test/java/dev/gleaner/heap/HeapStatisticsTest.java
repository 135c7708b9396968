package dev.gleaner.heap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Kind;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HeapStatisticsTest {
  private static final Set<String> LARGEST = Set.of("peakBytes", "frameDepth");
  private static final Set<String> GONE =
      Set.of(
          "usedBytes",
          "committedBytes",
          "externalBytes",
          "liveElements",
          "strings",
          "liveByKind",
          "frameDepth");
  private static final Set<String> OF_OPEN_HEAPS =
      Set.of("maxBytes", "liveAfterBytes", "leakedElements");

  /** Figures that differ from each other: 1000, 2000 and so on in the order of the components. */
  private static HeapStatistics different(long factor) throws ReflectiveOperationException {
    List<Class<?>> types = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (RecordComponent c : HeapStatistics.class.getRecordComponents()) {
      long value = (values.size() + 1) * factor;
      types.add(c.getType());
      values.add(c.getType() == long.class ? (Object) value : byKind(value));
    }
    return HeapStatistics.class
        .getDeclaredConstructor(types.toArray(Class[]::new))
        .newInstance(values.toArray());
  }

  private static long[] byKind(long value) {
    long[] each = new long[Kind.values().length];
    for (int i = 0; i < each.length; i++) {
      each[i] = value + i;
    }
    return each;
  }

  private static Map<String, Long> figures(HeapStatistics s) throws ReflectiveOperationException {
    Map<String, Long> all = new TreeMap<>();
    for (RecordComponent c : HeapStatistics.class.getRecordComponents()) {
      Object value = Objects.requireNonNull(c.getAccessor().invoke(s));
      all.put(c.getName(), value instanceof long[] each ? each[1] : (long) value);
    }
    return all;
  }

  @Test
  void figuresAreSumsButForThePeakAndTheDepth() throws ReflectiveOperationException {
    Map<String, Long> sum = figures(different(1000).plus(different(3000)));
    Map<String, Long> expected = figures(different(4000));
    expected.replaceAll((name, v) -> LARGEST.contains(name) ? v / 4 * 3 : v);
    expected.merge("liveByKind", 1L, Long::sum);
    assertThat(sum).isEqualTo(expected);
    assertThat(figures(HeapStatistics.NONE.plus(different(1000))))
        .isEqualTo(figures(different(1000)));
    assertThat(figures(HeapStatistics.NONE).values()).containsOnly(0L);
  }

  @Test
  void whatIsNotCountedAddsNothing() throws ReflectiveOperationException {
    assertThat(figures(different(1000).plus(different(-1))).get("movedElements"))
        .isEqualTo(different(1000).movedElements());
  }

  @Test
  void aClosedHeapHasReclaimedAllAndIsThenCountedForWhatItDid()
      throws ReflectiveOperationException {
    HeapStatistics s = different(1000);
    Map<String, Long> expected = figures(s);
    expected.replaceAll((name, v) -> GONE.contains(name) ? 0 : v);
    expected.put("reclaimedBytes", s.reclaimedBytes() + s.usedBytes() - s.externalBytes());
    expected.put("reclaimedElements", s.allocatedElements());
    assertThat(figures(s.closed())).isEqualTo(expected);
    expected.replaceAll((name, v) -> OF_OPEN_HEAPS.contains(name) ? 0 : v);
    assertThat(figures(s.past())).isEqualTo(expected);
    assertThat(figures(s.closed().past())).isEqualTo(expected);
  }
}
