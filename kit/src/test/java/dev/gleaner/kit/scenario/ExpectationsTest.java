package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every expectation that does not hold says what was expected and what was found. */
class ExpectationsTest {
  private static final String BEFORE =
      """
      config { voluntary.enabled = false }
      object a
      record b 1
      set b.0 "text"
      set one 1
      buffer d 10
      fill d 1
      record dead 0
      native n N
      finalizer dead A
      weak ~dead dead
      weak ~b b
      drop dead n
      collect
      mark used
      """;
  private static final int LINES = 15;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "expect finalized | finalized none | N A",
        "expect finalized A N | finalized A N | N A",
        "expect finalized {A N B} | finalized {A N B} | N A",
        "expect finalized [A B] N*2 | finalized [A B] N*2 | N A",
        "expect finalizer-calls == 3 | finalizer-calls == 3 | 2",
        "expect finalizer-calls >= 3 | finalizer-calls >= 3 | 2",
        "expect finalizer-calls <= 1 | finalizer-calls <= 1 | 2",
        "expect alive 2 | alive 2 | 4",
        "expect alive <= 2 | alive <= 2 | 4",
        "expect alive >= 5 | alive >= 5 | 4",
        "expect strings \"text\" \"no\" | \"no\" in the string table | \"no\" not there",
        "expect no-strings \"no\" \"text\" | \"text\" not there | \"text\" in the string table",
        "expect cleared ~b | ~b cleared | ~b held",
        "expect held ~dead | ~dead held | ~dead cleared",
        "expect a == b | a == b | an object and a record",
        "expect b == a | b == a | a record and an object",
        "expect b != b | b != b | a record and a record",
        "expect b.0 == \"tex\" | b.0 == \"tex\" | \"text\"",
        "expect one == 2 | one == 2 | 1",
        "expect one != 1.0 | one != 1 | 1",
        "expect ~dead != null | ~dead != null | null",
        "expect hash b == b | hash b == b | ? and a record",
        "expect hash b.0 == ~b | hash b.0 == ~b | ? and a record",
        "expect used <= 10 | used <= 10 | ?",
        "expect used >= 1GiB | used >= 1073741824 | ?",
        "expect used >= mark + 8 | used >= ? (mark +8) | ?",
        "expect used <= mark - 8 | used <= ? (mark -8) | ?",
        "expect collections == 0 | collections == 0 | 1",
        "expect collections minor >= 1 | collections minor >= 1 | 0",
        "expect peak <= 10 | peak <= 10 | ?",
        "expect peak >= 1GiB | peak >= 1073741824 | ?",
        "expect peak <= mark - 8 | peak <= ? (mark -8) | ?",
        "expect emergencies >= 1 | emergencies >= 1 | 0",
        "expect filled d 2 | filled d 2 | byte 0 is ? instead of ?",
        "expect out-of-memory {;} | out-of-memory | no error",
        "expect out-of-memory {;set b.1 1;} | out-of-memory | no slot 1 in a record of 1",
        "expect error \"x\" {;} | error \"x\" | no error",
        "expect error \"x\" {;set b.1 1;} | error \"x\" | no slot 1 in a record of 1",
      })
  void saysWhatWasFound(String statement, String expected, String found) {
    ScenarioResult result = Scenarios.run(BEFORE + statement.replace(';', '\n'));
    assertThat(result.message().replaceAll("-?[0-9]{3,}|(?<=is |of )-?[0-9]+(?= instead|$)", "?"))
        .isEqualTo(
            ("expected " + expected + ", found " + found)
                .replaceAll("-?[0-9]{3,}|(?<=is |of )-?[0-9]+(?= instead|$)", "?"));
    assertThat(result.line()).isEqualTo(LINES + 1);
    assertThat(result.verdict().message())
        .isEqualTo("test.heap:" + (LINES + 1) + ": " + result.message());
  }

  @Test
  void theFirstFailureEndsTheScenario() {
    Scenarios.fails("expect alive 1\nexpect alive 2", 1, "expected alive 1, found 0");
  }

  @Test
  void aFailureInAFinalizerIsNotSwallowed() {
    String text =
        """
        record a 0
        finalizer a A {
          expect error "x" {
            expect alive 7
          }
        }
        record b 0
        finalizer b B {
          expect alive 8
        }
        drop a b
        expect error "" {
          collect
          set c @none.1
        }
        """;
    Scenarios.fails(text, 4, "expected alive 7, found 2");
    Scenarios.fails(
        text.replace("  collect\n  set c @none.1", "  close"), 4, "expected alive 7, found 2");
  }

  @Test
  void aFailureInAFinalizerComesBeforeTheErrorAfterIt() {
    Scenarios.fails(
        """
        config { memory.max = 64KiB }
        record a 0
        finalizer a A {
          expect self == null
        }
        drop a
        buffer b 10MiB
        """,
        4,
        "expected self == null, found a record");
  }

  @Test
  void finalizersOfTheHeapsEndAreNoneOfTheScenarios() {
    Scenarios.passes(
        """
        record a 0
        finalizer a A {
          expect alive 1_000
        }
        """);
  }

  @Test
  void patternsOfManyLengthsAreMatched() {
    String ten =
        """
        repeat 10 {
          record a 0
          finalizer a A
          drop a
          collect
        }
        """;
    for (String pattern :
        new String[] {
          "A*10", "A*3 A*7", "{A*4 A*6}", "[A A*2] [A A*2] A*8", "[B A*10]", "A*0 A*10", "{A A} A*8"
        }) {
      Scenarios.passes(ten + "expect finalized " + pattern + "\nexpect finalized");
    }
    for (String pattern :
        new String[] {
          "A*9", "A*11", "A", "[A A*2] [A A*2]", "{A*9 B}", "A*10 B", "A!*10", "a*10"
        }) {
      Scenarios.fails(
          ten + "expect finalized " + pattern, 7, "expected finalized " + pattern + ", found A*10");
    }
  }
}
