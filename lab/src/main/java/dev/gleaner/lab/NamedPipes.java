package dev.gleaner.lab;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Refuses named pipes as inputs: to open one without a writer waits for ever. What a shell passes
 * as a pipe that is open already, {@code /dev/stdin} or {@code <(…)}, is read.
 */
final class NamedPipes {
  private NamedPipes() {}

  /**
   * Checks an input.
   *
   * @param what the option, or nothing, for the message
   * @throws RequestException if it is a named pipe
   */
  static void refuse(String what, Path file) {
    Path whole = file.toAbsolutePath().normalize();
    boolean special = Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    if (special && !whole.startsWith("/dev") && !whole.startsWith("/proc")) {
      throw new RequestException(
          "%s%s: a named pipe or device, expected a file; /dev/stdin is the standard input"
              .formatted(what, file));
    }
  }
}
