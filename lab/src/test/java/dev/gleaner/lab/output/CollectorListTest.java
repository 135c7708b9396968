package dev.gleaner.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CollectorListTest {
  private static final List<CollectorList.Item> ITEMS =
      List.of(
          new CollectorList.Item(
              "mine",
              "0.1.0-SNAPSHOT",
              "/plugins/gleaner-collector-mine-0.1.0-SNAPSHOT.jar",
              List.of("cycles", "prompt", "duktape-finalizers", "incremental"),
              "copies what lives, and the rest goes at once: one, two, three, four, five"));

  private static List<String> lines(int width) {
    return CollectorList.text(ITEMS, Format.TABLE, width).lines().toList();
  }

  @Test
  void showsAllWhereThereIsRoom() {
    assertThat(lines(120))
        .hasSize(4)
        .anyMatch(line -> line.endsWith("  gleaner-collector-mine-0.1.0-SNAPSHOT.jar"))
        .contains(
            "mine  copies what lives, and the rest goes at once: one, two, three, four, five");
  }

  @Test
  void leavesOutAndNamesWhatATerminalDoesNotHold() {
    for (int width = 60; width < 120; width++) {
      int most = width;
      assertThat(lines(width)).allMatch(line -> line.length() <= most);
    }
    assertThat(lines(80)).contains("Not shown for want of width: jar.");
    assertThat(lines(60))
        .contains("Not shown for want of width: jar and version.")
        .contains("mine  copies what lives, and the rest goes at once: one,");
  }
}
