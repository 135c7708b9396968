package dev.gleaner.kit.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be read is refused with its place, what stands there, and what could. */
class SyntaxTest {
  private static ScenarioSyntaxException refused(String text) {
    ScenarioSyntaxException e =
        catchThrowableOfType(
            ScenarioSyntaxException.class, () -> Scenario.parse("dir/x.heap", text));
    assertThat(e).as(text).isNotNull();
    assertThat(e.file()).isEqualTo("dir/x.heap");
    assertThat(e.getMessage())
        .startsWith("dir/x.heap:" + e.line() + ":" + e.column() + ": read ")
        .contains(", expected ");
    return e;
  }

  /** Line ends are written as semicolons. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "recrod a 1 | 1:1: read 'recrod', expected one of record, object",
        "recrod a 1 | (record?)",
        "record a 1;  recrod a 1 | 2:3: read 'recrod'",
        "# ä;record 5 1 | 2:8: read '5', expected a place: NAME, @NAME",
        "record A 1 | 1:8: read 'A', expected a place",
        "record null 1 | 1:8: read 'null', expected a place",
        "record a | 1:9: read the end of the line, expected a number of reference slots",
        "record a x | 1:10: read 'x', expected a number of reference slots",
        "record a 1.5 | expected a number of reference slots, which is a whole number",
        "record a 3GiB | at most 2147483647",
        "buffer a 9_999_999_999GiB | at most 9223372036854775807",
        "record a 1 2 | 1:12: read '2', expected the end of the line",
        "record a 1x | 1:10: read '1x'",
        "record a $ | 1:10: read '$'",
        "record @ 1 | 1:8: read '@'",
        "record @A 1 | 1:8: read '@A'",
        "string a b | 1:10: read 'b', expected a text",
        "string a \"b | 1:12: read the end of the line, expected '\"'",
        "string a \"\\x\" | 1:11: read '\\x', expected \\\", \\\\, \\n or \\uXXXX",
        "string a \"\\u12\" | 1:11: read '\\u12\"', expected",
        "string a \"ü\" \"ö\" | 1:14: read \"ö\", expected the end",
        "buffer a 1 static | 1:12: read 'static', expected the end of the line",
        "native a 5 | 1:10: read '5', expected a label",
        "native a b-c | 1:10: read 'b-c', expected a label",
        "set a | 1:6: read the end of the line, expected a value: a place, null",
        "set a b | 1:7: read 'b', expected a local that is assigned somewhere; there is only a",
        "set a lost;set last 1 | 1:7: read 'lost', expected a local that is assigned somewhere;"
            + " there are a, last (last?)",
        "frame {;print x y;};frame {;set y 1;} | 2:7: read 'x', expected a local",
        "print b | there is none",
        "set a.x 1 | 1:7: read 'x', expected the number of a slot, or proto",
        "set @a[] 1 | 1:8: read ']', expected a key: a text, a number, true, false, or a place",
        "set @a[\"k\" 1 | 1:12: read '1', expected ']'",
        "set @a.1.2 5 | read '1.2'",
        "set a 1e999 | 1:7: read '1e999', expected a number up to",
        "set a - | 1:8: read the end of the line, expected a number",
        "add @a x | expected a whole number",
        "delete @a | 1:10: read the end of the line, expected '['",
        "drop | 1:5: read the end of the line, expected NAME, @NAME or ~NAME",
        "weak a @b | 1:6: read 'a', expected a weak reference, ~NAME",
        "hash @a @b | 1:6: read '@a', expected a name",
        "push @a | expected a value",
        "resume @t | 1:10: read the end of the line, expected '{'",
        "resume @t { record a 1 } | 1:13: read 'record', expected the end of the line",
        "finalizer @a | 1:13: read the end of the line, expected a label",
        "finalizer @a again | 1:14: read 'again', expected a label: 'again' stands inside",
        "throw \"x\" | 1:1: read 'throw', expected a statement: 'throw' stands inside",
        "tail | 1:1: read 'tail', expected a statement: 'tail' stands inside a frame",
        "finalizer @a A {;tail;} | 2:1: read 'tail'",
        "finalizer @a A {;frame {;tail b;};} | 3:6: read 'b', expected a local that is assigned"
            + " somewhere; there is only self",
        "when closed {;} | 1:6: read 'closed', expected 'closing' or 'not closing'",
        "when not open {;} | 1:10: read 'open', expected 'closing'",
        "collect no-finaliser | (no-finalizers?)",
        "base-flags {;} | 1:12: read '{', expected a flag: emergency",
        "base-flags soft {;} | expected '{' or a flag: emergency",
        "frame r {;} | 2:1: read '}', expected a statement or 'return VALUE'",
        "frame r {;return 1;print 2;} | 3:1: read 'print', expected '}'",
        "frame {;return 1;} | 2:1: read 'return', expected a statement: 'return' ends a block of",
        "return 1 | 1:1: read 'return', expected a statement: 'return' ends",
        "nest 3 r {;} | 2:1: read '}', expected a statement or 'return VALUE'",
        "nest 3 r {;deeper;deeper;return 1;} | 3:1: read 'deeper', expected a statement",
        "nest r {;return 1;} | 1:6: read 'r', expected a number of frames",
        "repeat 3 | 1:9: read the end of the line, expected '{'",
        "repeat 3 {;record a 1 | 3:1: read the end of the file, expected a statement or '}'",
        "repeat 3 {;} x | 2:3: read 'x', expected the end of the line",
        "walk @o k | 1:10: read the end of the line, expected a name",
        "walk @o k v | 1:12: read the end of the line, expected '{'",
        "expect walked | 1:14: read the end of the line, expected a number of entries",
        "} | 1:1: read '}', expected one of record",
        "repeat 3 {;x;} | 2:1: read 'x', expected '}' or one of record",
        "fail-allocations 3 {;} | 1:18: read '3', expected 'after'",
        "fail-allocations after 3 x {;} | 1:26: read 'x', expected 'for' or '{'",
        "mark | expected 'used'",
        "print | expected a value",
        "expect | 1:7: read the end of the line, expected one of finalized, finalizer-calls",
        "expect finalised A | 1:8: read 'finalised', expected one of finalized",
        "expect finalised A | (finalized?)",
        "expect finalized A b-c | 1:20: read 'b-c', expected a label, '{', '[' or the end",
        "expect finalized {A | 1:20: read the end of the line, expected a label or '}'",
        "expect finalized {} | 1:19: read '}', expected a label",
        "expect finalized [A {B}] | 1:21: read '{', expected a label or ']'",
        "expect finalized A* | 1:20: read the end of the line, expected how many times",
        "expect finalizer-calls 3 | 1:24: read '3', expected '==', '<=' or '>='",
        "expect alive == 3 | 1:14: read '==', expected a number, '<=' or '>='",
        "expect used == 3 | 1:13: read '==', expected '<=' or '>='",
        "expect used 3 | expected '<=' or '>='",
        "expect used <= marker | 1:16: read 'marker', expected a number, or mark",
        "expect used <= mark 3 | 1:21: read '3', expected '+' or '-'",
        "expect strings | expected a text",
        "expect cleared a | expected a weak reference",
        "expect @a | 1:10: read the end of the line, expected '==' or '!='",
        "expect @a <= 3 | 1:11: read '<=', expected '==' or '!='",
        "expect hash @a 3 | expected '==' or '!='",
        "expect filled @a | expected the number of the pattern",
        "expect out-of-memory | expected '{'",
        "expect error {;} | 1:14: read '{', expected a text, a part of the error's message",
        "save | 1:5: read the end of the line, expected a name: a lower-case letter",
        "open a | 1:6: read 'a', expected an image that some line saves; there is none",
        "save one;open two | 2:6: read 'two', expected an image that some line saves; there is only"
            + " one",
        "open c;save a;save b | 1:6: read 'c', expected an image that some line saves; there are a,"
            + " b",
        "save a b | 1:8: read 'b', expected the end of the line",
        "finalizer @a A {;save b;} | 2:1: read 'save', expected a statement: 'save' stands outside",
        "save b;finalizer @a A {;frame {;open b;};} | 4:1: read 'open', expected a statement:"
            + " 'open' stands outside of finalizers",
        "requires | 1:9: read the end of the line, expected a capability: cycles",
        "requires cycle | 1:10: read 'cycle', expected a capability: cycles, prompt",
        "requires cycle | (cycles?)",
        "requires ! prompt moved | 1:19: read 'moved'",
        "print 1;requires cycles | 2:1: read 'requires', expected a statement: 'requires' stands"
            + " before",
        "config memory | 1:8: read 'memory', expected '{'",
        "config {;a = 1 | 3:1: read the end of the file, expected '}'",
        "config {;a = [;} | 1:1: read 'config', expected settings in HOCON: dir/x.heap: 3:",
        "config { collector = x } | expected no 'collector' in it",
        "config { a = 1 } b | 1:18: read 'b', expected the end of the line",
      })
  void saysWhatIsWrong(String text, String message) {
    String expected = message.matches("[0-9]+:.*") ? "dir/x.heap:" + message : message;
    assertThat(refused(text.replace(';', '\n')).getMessage()).contains(expected);
  }

  @Test
  void blocksCannotBeSoDeepThatReadingThemOverflows() {
    String deep = "repeat 1 {\n".repeat(100_000);
    assertThat(refused(deep).getMessage()).contains("expected blocks at most 200 deep");
    Scenario _ = Scenario.parse("x", "repeat 1 {\n".repeat(200) + "}\n".repeat(200));
  }

  @Test
  void wordsWithAMeaningCanBeLocals() {
    Scenarios.passes(
        """
        set hash 1
        expect hash == 1
        record cleared 2
        set cleared.0 hash
        expect cleared.0 == 1
        expect hash cleared != hash
        object intact
        expect intact["a"] == undefined
        set record 2
        expect record != hash
        native finalized F
        finalizer cleared C
        drop cleared finalized
        collect
        expect finalized [C F] [C F]
        """);
  }

  @Test
  void numbersAndTextsAreReadAsTheyAreMeant() {
    Scenarios.passes(
        """
        expect 1_000 == 1000
        expect 2KiB == 2048
        expect 1.5KiB == 1536
        expect 2GiB == 2_147_483_648
        expect -1.5 != 1.5
        expect 1e3 == 1000
        expect 1 == 1.0
        expect - 5 == -5
        expect "\\u0041\\"\\\\#" == "A\\"\\u005c#"   # a comment "
        expect "\\n" != "n"
        expect "1" != 1
        expect null != undefined
        expect true != false
        """);
  }

  @Test
  void lineEndsOfAllSystemsAreUnderstood() {
    Scenarios.passes("record a 1\r\nrepeat 2 {\r\n\tset a.0 1 # x\r\n}\r\n\r\nexpect a.0 == 1");
    Scenarios.passes("");
    Scenarios.passes("# nothing");
  }
}
