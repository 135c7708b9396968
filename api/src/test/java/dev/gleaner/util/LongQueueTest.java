package dev.gleaner.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LongQueueTest {
  @Test
  void agreesWithADeque() {
    for (int seed = 0; seed < 8; seed++) {
      Random dice = new Random(seed);
      LongQueue queue = new LongQueue();
      ArrayDeque<Long> model = new ArrayDeque<>();
      for (int phase = 0; phase < 40; phase++) {
        int adds = dice.nextInt(11); // of ten: the queue grows, shrinks, or moves along
        int ahead = dice.nextInt(11);
        for (int i = 0; i < 3000; i++) {
          step(queue, model, dice.nextInt(10) < adds, dice.nextInt(10) < ahead, i);
        }
        assertThat(queue.size()).isEqualTo(model.size());
        int at = 0;
        for (long value : model) {
          assertThat(queue.get(at++)).isEqualTo(value);
        }
        if (dice.nextInt(8) == 0) {
          queue.clear();
          model.clear();
        }
      }
    }
  }

  private static void step(
      LongQueue queue, ArrayDeque<Long> model, boolean add, boolean first, long value) {
    if (add && first) {
      queue.addFirst(value);
      model.addFirst(value);
    } else if (add) {
      queue.addLast(value);
      model.addLast(value);
    } else if (!model.isEmpty()) {
      assertThat(first ? queue.pollFirst() : queue.pollLast())
          .isEqualTo(first ? model.pollFirst() : model.pollLast());
    }
    assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
  }
}
