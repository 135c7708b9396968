package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StartupCacheTest {
  @Test
  void fromAFolderOfClassesThereIsNone() {
    assertThat(StartupCache.flags()).isEmpty();
  }
}
