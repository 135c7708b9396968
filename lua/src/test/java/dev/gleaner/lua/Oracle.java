package dev.gleaner.lua;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** The program lua5.4, where it is installed: what it prints is what tests expect. */
public final class Oracle {
  private static final boolean INSTALLED = Files.isExecutable(Path.of("/usr/bin/lua5.4"));

  private Oracle() {}

  /** Skips a test where lua5.4 is not installed. */
  public static void require() {
    Assumptions.assumeTrue(INSTALLED, "lua5.4 is not installed");
  }

  /** What it prints, errors included, for a script of bytes in ISO 8859-1. */
  public static String run(String script, String... arguments) {
    try {
      Path file = Files.createTempFile("oracle", ".lua");
      try {
        Files.writeString(file, script, StandardCharsets.ISO_8859_1);
        List<String> command = new ArrayList<>(List.of("lua5.4", file.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A resource beside a class, bytes in ISO 8859-1. */
  public static String resource(Class<?> of, String name) {
    try (InputStream in = of.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("no resource " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
