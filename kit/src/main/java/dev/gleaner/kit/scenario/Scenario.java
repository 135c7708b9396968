package dev.gleaner.kit.scenario;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apiguardian.api.API;

/**
 * A scenario that was read: a small program of heap operations and expectations.
 *
 * <p>It can be run any number of times, by any number of runners.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class Scenario {
  private final String file;
  private final Header header;
  private final Program program;

  /**
   * The statements, and what they need.
   *
   * @param globals how many global roots there are
   * @param weaks how many weak references there are
   * @param finalizers whether any finalizer is set
   * @param torturable whether collections at every allocation leave the expectations as they are
   */
  record Program(
      Block block,
      FrameLayout layout,
      int globals,
      int weaks,
      boolean finalizers,
      boolean torturable) {}

  Scenario(String file, Header header, Program program) {
    this.file = file;
    this.header = header;
    this.program = program;
  }

  /**
   * Reads a file in UTF-8.
   *
   * @param file its path
   * @return the scenario
   * @throws ScenarioSyntaxException at the first thing that is no scenario
   * @throws IOException if the file cannot be read
   */
  public static Scenario read(Path file) throws IOException {
    return parse(file.toString(), Files.readAllBytes(file));
  }

  /**
   * Reads a text.
   *
   * @param file the name for messages
   * @param text the scenario as it is written
   * @return the scenario
   * @throws ScenarioSyntaxException at the first thing that is no scenario
   */
  public static Scenario parse(String file, String text) {
    return new Parser(new Source(file, text)).scenario();
  }

  private static Scenario parse(String file, byte[] utf8) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(utf8);
    CharBuffer out = CharBuffer.allocate(utf8.length);
    CoderResult result = decoder.decode(in, out, true);
    String text = out.flip().toString();
    if (result.isError()) {
      int lineStart = text.lastIndexOf('\n') + 1;
      throw new ScenarioSyntaxException(
          file,
          (int) text.chars().filter(c -> c == '\n').count() + 1,
          text.codePointCount(lineStart, text.length()) + 1,
          "the byte 0x%02X".formatted(in.get()),
          "UTF-8");
    }
    return parse(file, text.startsWith("\uFEFF") ? text.substring(1) : text);
  }

  /** {@return the file's name as it was given} */
  public String file() {
    return file;
  }

  Header header() {
    return header;
  }

  Program program() {
    return program;
  }

  @Override
  public String toString() {
    return "scenario " + file;
  }
}
