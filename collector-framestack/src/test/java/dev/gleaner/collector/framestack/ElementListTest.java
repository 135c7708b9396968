package dev.gleaner.collector.framestack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Lists that share their segments, over more of these than a chunk has. */
class ElementListTest {
  private final Segments segments = new Segments();
  private final List<ElementList> lists = new ArrayList<>();
  private final List<Set<Long>> models = new ArrayList<>();
  private long last;

  @Test
  void listsAgreeWithSets() {
    Random random = new Random(7);
    for (int i = 0; i < 4; i++) {
      lists.add(new ElementList(segments));
      models.add(new HashSet<>());
    }
    for (int round = 0; round < 300; round++) {
      int i = random.nextInt(4);
      switch (random.nextInt(5)) {
        case 0, 1 -> add(i, random.nextInt(random.nextInt(8) == 0 ? 30_000 : 100));
        case 2 -> take(i, random.nextInt(random.nextInt(8) == 0 ? 20_000 : 100));
        case 3 -> takeAll(i, (i + 1 + random.nextInt(3)) % 4);
        default -> check(i);
      }
    }
    for (int i = 0; i < 4; i++) {
      check(i);
      take(i, Integer.MAX_VALUE);
      check(i);
    }
  }

  private void add(int i, int count) {
    for (int k = 0; k < count; k++) {
      last += 8;
      long element = k % 2 == 0 ? last : Segments.REACH - last;
      lists.get(i).add(element);
      models.get(i).add(element);
    }
  }

  private void take(int i, int count) {
    for (int k = 0; k < count && !models.get(i).isEmpty(); k++) {
      assertThat(models.get(i).remove(lists.get(i).take())).isTrue();
    }
    assertThat(lists.get(i).size()).isEqualTo(models.get(i).size());
  }

  private void takeAll(int to, int from) {
    lists.get(to).takeAll(lists.get(from));
    models.get(to).addAll(models.get(from));
    models.get(from).clear();
    assertThat(lists.get(from).size()).isZero();
    assertThat(lists.get(from).take()).isZero();
  }

  private void check(int i) {
    Set<Long> seen = new HashSet<>();
    lists.get(i).forEach(e -> assertThat(seen.add(e)).isTrue());
    assertThat(seen).isEqualTo(models.get(i));
    assertThat(lists.get(i).size()).isEqualTo(seen.size());
  }
}
