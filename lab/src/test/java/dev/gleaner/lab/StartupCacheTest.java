package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StartupCacheTest {
  @Test
  void fromAFolderOfClassesThereIsNone() {
    assertThat(StartupCache.flags()).isEmpty();
  }

  @Test
  @Tag("exhaustive")
  void theTrainingEnds() throws Exception {
    assertThat(StartupCache.train(JvmFlags.forCollector(0, List.of()))).isTrue();
  }
}
