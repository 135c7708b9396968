package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.it.errors.InstrumentedClasses;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An error at the points of every operation: a heap is whole afterwards, or says that it is not.
 * Some points of each, others with another {@code -Dgleaner.seed}, all of them with {@code
 * -Dgleaner.test.sweep=all}.
 */
@Tag("exhaustive")
class ErrorSweepTest {
  static List<String> collectors() {
    List<String> all = new ArrayList<>(Installed.collectors());
    all.add(ErrorSweep.OLD_HYBRID);
    return all;
  }

  @ParameterizedTest
  @MethodSource("collectors")
  void whereverAnErrorComesAHeapIsWholeOrSaysThatItIsNot(String collector) throws Exception {
    try (InstrumentedClasses classes = InstrumentedClasses.make()) {
      List<String> found = classes.run(ErrorSweep.class, collector);
      assertThat(found.getLast()).matches("[1-9]\\d{2,} whole, [1-9]\\d* broken");
      assertThat(found.subList(0, found.size() - 1)).isEmpty();
    }
  }

  @Test
  void whereverAnErrorComesThereIsNoTraceThatLacksAnything(@TempDir Path folder) throws Exception {
    try (InstrumentedClasses classes = InstrumentedClasses.make()) {
      assertThat(classes.run(RecordedErrors.class, folder.toString())).isEmpty();
    }
  }
}
