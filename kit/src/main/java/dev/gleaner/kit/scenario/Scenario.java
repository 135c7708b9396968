package dev.gleaner.kit.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apiguardian.api.API;

/**
 * A scenario that was read: a small program of heap operations and expectations.
 *
 * <p>It can be run any number of times, by any number of runners.
 */
@API(status = API.Status.STABLE, since = "0.1")
public final class Scenario {
  /** What a file has at most, in bytes; a line, in characters. */
  static final int MOST_BYTES = 4 << 20;

  static final int LONGEST_LINE = 1 << 16;

  private final String file;
  private final Header header;
  private final Program program;

  /**
   * The statements, and what they need.
   *
   * @param globals the names of the global roots
   * @param weaks how many weak references there are
   * @param finalizers whether any finalizer is set
   * @param natives whether any native is made
   * @param torturable whether collections at every allocation leave the expectations as they are
   */
  record Program(
      Block block,
      FrameLayout layout,
      List<String> globals,
      int weaks,
      boolean finalizers,
      boolean natives,
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
    try (InputStream in = Files.newInputStream(file)) {
      return read(file.toString(), in);
    }
  }

  /**
   * Reads a file in UTF-8, with other values for its parameters.
   *
   * @param file its path
   * @param parameters names of parameters that its header has, with values of at least 0
   * @return the scenario
   * @throws ScenarioSyntaxException at the first thing that is no scenario, or if the header has no
   *     such parameter
   * @throws IOException if the file cannot be read
   */
  public static Scenario read(Path file, Map<String, Long> parameters) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return parse(file.toString(), in.readNBytes(MOST_BYTES + 1), parameters);
    }
  }

  /**
   * Reads what a stream has, in UTF-8.
   *
   * @param file the name for messages
   * @param in read to its end, or to the longest that a scenario may be
   * @return the scenario
   * @throws ScenarioSyntaxException at the first thing that is no scenario
   * @throws IOException if the stream cannot be read
   */
  public static Scenario read(String file, InputStream in) throws IOException {
    return parse(file, in.readNBytes(MOST_BYTES + 1), Map.of());
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
    return parse(file, text, Map.of());
  }

  private static Scenario parse(String file, String text, Map<String, Long> parameters) {
    checkLength(file, text, text.length());
    return new Parser(new Source(file, text, parameters)).scenario();
  }

  private static void checkLength(String file, String text, int bytes) {
    int line = 1;
    int start = 0;
    for (int at = 0; at < text.length(); at++) {
      if (text.charAt(at) == '\n') {
        line++;
        start = at + 1;
      } else if (at - start >= LONGEST_LINE) {
        throw new ScenarioSyntaxException(
            file,
            line,
            text.codePointCount(start, at) + 1,
            "a longer line",
            "at most " + LONGEST_LINE + " characters in a line");
      }
    }
    if (bytes > MOST_BYTES) {
      throw new ScenarioSyntaxException(
          file, line, 1, "a longer text", "at most " + MOST_BYTES + " bytes");
    }
  }

  private static Scenario parse(String file, byte[] utf8, Map<String, Long> parameters) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(utf8);
    CharBuffer out = CharBuffer.allocate(utf8.length);
    CoderResult result = decoder.decode(in, out, true);
    String text = out.flip().toString();
    checkLength(file, text, utf8.length);
    if (result.isError()) {
      int lineStart = text.lastIndexOf('\n') + 1;
      throw new ScenarioSyntaxException(
          file,
          (int) text.chars().filter(c -> c == '\n').count() + 1,
          text.codePointCount(lineStart, text.length()) + 1,
          "the byte 0x%02X".formatted(in.get()),
          "UTF-8");
    }
    return parse(file, text.startsWith("\uFEFF") ? text.substring(1) : text, parameters);
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
