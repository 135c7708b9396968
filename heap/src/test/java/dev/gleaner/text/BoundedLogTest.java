package dev.gleaner.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.testing.Log;
import dev.gleaner.testing.Tier;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A log that a program cannot fill. */
class BoundedLogTest {
  private final Log log = new Log();
  private final BoundedLog bounded = new BoundedLog("dev.gleaner.heap", "heap a");

  @AfterEach
  void close() {
    log.close();
  }

  /** The bytes that a handler would write. */
  private int bytes() {
    StringWriter text = new StringWriter();
    for (LogRecord r : log.records) {
      text.write(r.getMessage());
      if (r.getThrown() != null) {
        r.getThrown().printStackTrace(new PrintWriter(text));
      }
    }
    return text.toString().length();
  }

  @Test
  void theFirstWithItsTraceThenCounts() {
    IllegalStateException e = new IllegalStateException("x");
    for (int i = 0; i < 12_345; i++) {
      bounded.warn("finalizer failed", "finalizer f" + i + " failed", e);
    }
    bounded.end();
    bounded.end();
    String kind = " times: finalizer failed with java.lang.IllegalStateException";
    assertThat(log.messages())
        .containsExactly(
            "heap a: finalizer f0 failed",
            "heap a: finalizer f9 failed (10" + kind + ")",
            "heap a: finalizer f99 failed (100" + kind + ")",
            "heap a: finalizer f999 failed (1000" + kind + ")",
            "heap a: finalizer f9999 failed (10000" + kind + ")",
            "heap a: 12345" + kind);
    assertThat(log.records.getFirst().getThrown()).isSameAs(e);
    assertThat(log.records.stream().skip(1)).allMatch(r -> r.getThrown() == null);
  }

  @Test
  void whatWasToldIsNotToldAgainAtTheEnd() {
    bounded.warn("a", "a failed", null);
    bounded.end();
    assertThat(log.messages()).containsExactly("heap a: a failed");
  }

  private static Throwable deep(int depth) {
    return depth == 0 ? new IllegalStateException("deep") : deep(depth - 1);
  }

  @Test
  void hugeTextsTracesAndCausesAreCut() {
    String huge = "m".repeat(1 << 20);
    Throwable e = new IllegalArgumentException(huge, deep(900));
    for (int i = 0; i < 50; i++) {
      e = new RuntimeException(huge, e);
      e.addSuppressed(new Error(huge));
    }
    bounded.warn("listener failed", huge, e);
    assertThat(bytes()).isBetween(3000, 64_000);
    assertThat(log.messages().getFirst()).contains("(1048576 characters)");
    assertThat(log.records.getFirst().getThrown())
        .hasMessageStartingWith("java.lang.RuntimeException: mmm");
  }

  @Test
  @Tag("seeds")
  void asManyKindsAsAProgramLikesAreBounded() {
    for (int i = 0; i < Tier.number(20_000, 100_000); i++) {
      bounded.warn("kind " + i % 1000, "m".repeat(5000), deep(100));
    }
    bounded.end();
    assertThat(bytes()).isLessThan(256 << 10);
    assertThat(log.messages().getLast()).contains("times: ");
    assertThat(log.messages()).anyMatch(m -> m.contains("failures of other kinds"));
  }

  @Test
  void whatThrowsItselfIsLeftAlone() {
    bounded.warn(
        "a",
        "a failed",
        new RuntimeException() {
          @Override
          public String getMessage() {
            throw new IllegalStateException();
          }
        });
    bounded.warn("b", "b failed", null);
    assertThat(log.messages()).containsExactly("heap a: b failed");
  }
}
