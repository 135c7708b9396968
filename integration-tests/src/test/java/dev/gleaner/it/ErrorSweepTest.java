package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.it.errors.InstrumentedClasses;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An error at each point of each operation: a heap is whole afterwards, or says it is not. */
class ErrorSweepTest {
  static List<String> collectors() {
    return Installed.collectors();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void wherverAnErrorComesAHeapIsWholeOrSaysThatItIsNot(String collector) throws Exception {
    try (InstrumentedClasses classes = InstrumentedClasses.make()) {
      assertThat(classes.sweep(collector)).isEmpty();
    }
  }
}
