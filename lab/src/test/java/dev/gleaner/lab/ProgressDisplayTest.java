package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProgressDisplayTest {
  @Test
  void leavesRoomForTheBar() {
    String rule = "finalizers run once in an operation, whatever rescues them";
    assertThat(ProgressDisplay.shortened(rule, 35))
        .isEqualTo("finalizers run once in an operatio…")
        .hasSize(35);
    assertThat(ProgressDisplay.shortened(rule, rule.length())).isEqualTo(rule);
    assertThat(ProgressDisplay.shortened(rule, -5)).isEqualTo("…");
  }
}
