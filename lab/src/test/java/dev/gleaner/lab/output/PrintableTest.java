package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrintableTest {

  @ParameterizedTest
  @CsvSource({
    "1b, a terminal's sequences",
    "07, bell",
    "08, back",
    "7f, delete",
    "9b, the same as escape and a bracket",
    "0d, to the start of the line",
    "202e, right to left",
    "2066, isolates",
    "200b, no width",
    "ad, a soft hyphen",
    "2028, end of line",
    "2029, end of paragraph",
    "feff, byte order mark",
    "d800, half of a character"
  })
  void escapesWhatIsNotToBeSeen(String hex, String what) {
    String odd = Character.toString((char) Integer.parseInt(hex, 16));
    String escaped = "a\\u" + "0".repeat(4 - hex.length()) + hex + "b";
    assertThat(Printable.line("a" + odd + "b")).as(what).isEqualTo(escaped);
    StringWriter text = new StringWriter();
    PrintWriter out = Printable.printer(text);
    out.print("a" + odd + "b");
    out.flush();
    assertThat(text).as(what).hasToString(escaped);
  }

  @Test
  void leavesWhatIsToBeSeen() {
    String text = "äß 漢字 €  \\u001b 😀 \u00a0";
    assertThat(Printable.line(text)).isEqualTo(text);
  }

  @Test
  void escapesTagsBeyondTheFirstPlane() {
    assertThat(Printable.line(Character.toString(0xe0041))).isEqualTo("\\udb40\\udc41");
  }

  @Test
  void keepsLinesOfTheProgramButNotOfNames() {
    StringWriter text = new StringWriter();
    PrintWriter out = Printable.printer(text);
    out.print("1\n\t2\n");
    out.flush();
    assertThat(text).hasToString("1\n\t2\n");
    assertThat(Printable.line("1\n\t2")).isEqualTo("1\\u000a\\u00092");
  }

  @Test
  void aCellIsOneLineAsWideAsItLooks() {
    TextTable table = new TextTable().column("name").column("n");
    table.row(List.of("a\n\u001b[2J", "1"));
    table.row(List.of("b", "2"));
    assertThat(table.lines())
        .containsExactly("name              n", "a\\u000a\\u001b[2J  1", "b                 2");
    assertThat(String.join("", table.lines()).getBytes(StandardCharsets.UTF_8))
        .doesNotContain(new byte[] {0x1b});
  }
}
