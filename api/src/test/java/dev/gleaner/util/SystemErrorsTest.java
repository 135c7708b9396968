package dev.gleaner.util;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class SystemErrorsTest {
  /** Whatever the language. */
  @Test
  void areTheTextsOfMessages() {
    assertThatThrownBy(
            () -> {
              try (var in = Files.newInputStream(Path.of("/"))) {
                int _ = in.read();
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining(SystemErrors.text(21));
    assertThat(SystemErrors.text(21)).isNotEqualTo(SystemErrors.text(20)).isNotEmpty();
  }
}
