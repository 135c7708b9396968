package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void shortensNamesInTheirMidstToFit() {
    for (int width = 24; width < 60; width++) {
      TextTable table = new TextTable().column("class").column("bytes");
      table.row(List.of("org.example.long.and.deep.package.Node", "12"));
      table.row(List.of("int[]", "1"));
      table.shorten(0, width);
      int most = width;
      assertThat(table.lines())
          .allMatch(line -> line.length() <= most)
          .anyMatch(line -> line.startsWith("int[] "))
          .anyMatch(line -> line.startsWith("org.") && line.contains("Node "));
    }
  }

  /** A name may say what it likes, and stays a name. */
  @Test
  void showsControlCharactersAsEscapes() {
    TextTable table = new TextTable().column("class");
    table.row(List.of("a\u001b[31m\nb\u202e"));
    assertThat(table.lines()).containsExactly("class", "a\\u001b[31m\\u000ab\\u202e");
  }
}
