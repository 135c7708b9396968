package dev.gleaner.lua.lib;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Names of files: bytes in scripts, as Java strings of ISO 8859-1; text for the system. */
final class Paths {
  private Paths() {}

  /** Text of bytes, which end at a zero as C's do. */
  static String text(String bytes) {
    int end = bytes.indexOf('\0');
    String name = end < 0 ? bytes : bytes.substring(0, end);
    return new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /** Bytes of text. */
  static String bytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  /** The path of a name in bytes. */
  static Path path(String bytes) {
    return Path.of(text(bytes));
  }

  /** A new empty file in the folder of temporary files. */
  static Path temporary() throws IOException {
    return Files.createTempFile("lua_", "");
  }
}
