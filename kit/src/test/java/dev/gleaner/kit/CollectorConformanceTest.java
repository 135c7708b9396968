package dev.gleaner.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.kit.Verdict.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/** A rule is a test, and what it makes heaps log is not shown. */
class CollectorConformanceTest {
  private static final System.Logger HEAPS = System.getLogger("dev.gleaner.heap");

  private final List<String> logged = new ArrayList<>();

  private static Rule rule(Status status) {
    return new Rule(
        "rule",
        "",
        () -> {
          HEAPS.log(System.Logger.Level.WARNING, "thrown on purpose");
          return new Verdict("rule", status, "because", "");
        });
  }

  @Test
  void showsNothingOfWhatRulesMakeHeapsLog() {
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            logged.add(entry.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.gleaner.heap");
    logger.setUseParentHandlers(false);
    logger.addHandler(handler);
    try {
      CollectorConformance.check(rule(Status.PASSED));
      assertThatThrownBy(() -> CollectorConformance.check(rule(Status.FAILED)))
          .isInstanceOf(AssertionFailedError.class)
          .hasMessage("because");
      assertThatThrownBy(() -> CollectorConformance.check(rule(Status.SKIPPED)))
          .isInstanceOf(TestAbortedException.class);
      HEAPS.log(System.Logger.Level.WARNING, "of the program");
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
    }
    assertThat(logged).containsExactly("of the program");
  }
}
