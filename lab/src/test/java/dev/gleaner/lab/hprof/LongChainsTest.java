package dev.gleaner.lab.hprof;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Work on classes is linear in the file, whatever their superclasses are. Steps count, not time.
 */
class LongChainsTest {
  private static final HprofType[] NO_FIELDS = {};
  private static final int EACH = 4;

  private static HprofClass dumped(int id, int superId, HprofType... fields) {
    return new HprofClass(
        id, superId, fields, new long[fields.length], 8, new long[0], new long[0], 0);
  }

  /** Class 1 is the top; n the lowest. */
  private static ClassLayouts chain(int n, HprofType... ofTop) {
    ClassLayouts layouts = new ClassLayouts();
    layouts.add(dumped(1, 0, ofTop));
    for (int i = 2; i <= n; i++) {
      layouts.add(dumped(i, i - 1, NO_FIELDS));
    }
    return layouts;
  }

  @Test
  void layoutsOfAChainTakeAFewStepsAClass() {
    for (int n : new int[] {20_000, 40_000}) {
      ClassLayouts layouts = chain(n, HprofType.OBJECT, HprofType.INT);
      for (int id = n; id > 0; id--) {
        ClassLayouts.Layout layout = Objects.requireNonNull(layouts.get(id));
        assertThat(layout.bytes()).isEqualTo(12);
        assertThat(layout.references()).containsExactly(0);
      }
      assertThat(layouts.steps()).isLessThan((long) EACH * n);
    }
  }

  @Test
  void whatIsUnderAClassTakesAFewStepsAClass() {
    int n = 40_000;
    ClassLayouts layouts = chain(n);
    byte[] under = new byte[n];
    byte[] never = new byte[n];
    for (int c = n - 1; c >= 0; c--) {
      assertThat(layouts.isUnder(c, under, at -> at.id() == 100)).isEqualTo(c >= 99);
      assertThat(layouts.isUnder(c, never, at -> false)).isFalse();
    }
    assertThat(layouts.steps()).isLessThan((long) EACH * n);
  }

  @Test
  void aCircleAndAMissingSuperclassHaveNoLayout() {
    int n = 40_000;
    ClassLayouts layouts = new ClassLayouts();
    for (int i = 1; i <= n; i++) {
      layouts.add(dumped(i, i == 1 ? n / 2 : i - 1, HprofType.INT));
    }
    layouts.add(dumped(n + 1, n + 7, HprofType.INT));
    layouts.add(dumped(n + 2, n + 2));
    for (int id = 1; id <= n + 2; id++) {
      assertThat(layouts.get(id)).isNull();
    }
    assertThat(layouts.steps()).isLessThan((long) EACH * n);
  }

  @Test
  void fieldsOfSuperclassesComeAfterThoseOfTheClass() {
    ClassLayouts layouts = new ClassLayouts();
    layouts.add(dumped(1, 0, HprofType.OBJECT));
    layouts.add(dumped(2, 1));
    layouts.add(dumped(3, 2, HprofType.INT, HprofType.OBJECT));
    layouts.add(dumped(4, 3));
    ClassLayouts.Layout layout = Objects.requireNonNull(layouts.get(4));
    assertThat(layout.references()).containsExactly(4, 12);
    assertThat(layout.bytes()).isEqualTo(20);
    assertThat(layout.primitiveBytes()).isEqualTo(4);
  }

  @Test
  void identifiersThatOneFixedHashPutsInOnePlaceAreFoundAll() {
    long unmix = 0xf1de83e19937733dL; // the inverse of 0x9e3779b97f4a7c15
    int n = 200_000;
    IdMap map = new IdMap(n);
    long[] ids = new long[n];
    Arrays.setAll(ids, i -> (i + 1L) * unmix);
    for (int i = 0; i < n; i++) {
      map.put(ids[i], i);
    }
    for (int i = 0; i < n; i++) {
      assertThat(map.get(ids[i])).isEqualTo(i);
    }
  }
}
