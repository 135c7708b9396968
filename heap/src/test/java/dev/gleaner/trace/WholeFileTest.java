package dev.gleaner.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class WholeFileTest {
  private static final byte[] NEW = "new".getBytes(StandardCharsets.UTF_8);

  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void name() {
    file = folder.resolve("file");
  }

  @Test
  void hasItsNameWhenItIsComplete() throws IOException {
    Files.writeString(file, "old");
    try (WholeFile whole = new WholeFile(file)) {
      whole.out().write(NEW);
      assertThat(file).hasContent("old");
      whole.complete();
      assertThat(file).hasContent("new");
    }
    assertThat(file).hasContent("new");
    assertThat(folder).isDirectoryContaining(file::equals);
    assertThat(folder.toFile().list()).hasSize(1);
  }

  @Test
  void isNotThereWhenItIsNot() throws IOException {
    Files.writeString(file, "old");
    try (WholeFile whole = new WholeFile(file)) {
      whole.out().write(NEW);
    }
    assertThat(file).hasContent("old");
    assertThat(folder.toFile().list()).hasSize(1);
  }

  @Test
  void aLinkLeadsToItStill() throws IOException {
    Files.writeString(file, "old");
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    WholeFile.write(link, "new");
    assertThat(link).isSymbolicLink();
    assertThat(file).hasContent("new");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aDeviceIsWrittenAsItIs() throws IOException {
    Path device = Path.of("/dev/null");
    WholeFile.write(device, "new");
    assertThat(Files.isRegularFile(device)).isFalse();
    assertThatThrownBy(() -> WholeFile.write(Path.of("/dev/full"), "new"))
        .isInstanceOf(IOException.class); // with the system's text, in its language
  }

  @Test
  void isRefusedWhereThereIsNoFolder() {
    assertThatThrownBy(() -> WholeFile.write(folder.resolve("none/file"), "new"))
        .isInstanceOf(IOException.class);
  }
}
