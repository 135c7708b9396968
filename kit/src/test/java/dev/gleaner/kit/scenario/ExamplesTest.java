package dev.gleaner.kit.scenario;

import org.junit.jupiter.api.Test;

/** The examples of the language's definition, word for word. */
class ExamplesTest {
  @Test
  void aLoopIsReclaimed() {
    String text =
        """
        # a loop is reclaimed by marking, not by counting
        requires cycles
        record a 1
        record b 1
        set a.0 b
        set b.0 a
        finalizer a A
        drop a b
        collect
        collect
        expect finalized A
        expect alive 0
        """;
    Scenarios.passes(text);
  }

  @Test
  void theFinalizerRescuesOnce() {
    String text =
        """
        # the finalizer rescues once
        record a 0
        finalizer a A {
          set @saved self
        }
        drop a
        collect
        expect finalized A
        collect
        expect alive 1
        drop @saved
        """;
    Scenarios.passes(text);
  }

  @Test
  void aTailRecursiveLoopRunsInConstantSpace() {
    String text =
        """
        # a tail-recursive loop runs in constant space
        config { memory.max = 256KiB }
        frame {
          record acc 1
          repeat 100_000 {
            record next 1
            set next.0 1
            set acc next
            tail acc
          }
        }
        """;
    Scenarios.passes(text);
  }
}
