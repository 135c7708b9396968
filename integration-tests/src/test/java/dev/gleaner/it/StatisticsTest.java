package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import org.junit.jupiter.api.Test;

/** A heap's figures in a message. */
class StatisticsTest {
  @Test
  void sayWhatTheyAre() {
    try (Heap heap = Gleaner.factory(ConfigFactory.load()).open()) {
      heap.mutator().enter(2);
      heap.mutator().newRecord(0, 1);
      heap.mutator().newRecord(1, 1);
      heap.collect();
      assertThat(heap.statistics().toString())
          .matches(
              "\\d+ of \\d+ bytes in use, \\d+ at the peak; 2 RECORD, (\\d+ \\w+, )*1 collections");
    }
  }
}
