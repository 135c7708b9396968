package dev.gleaner.lab.script;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Lines of what is no terminal. Prompt and line are shown, as {@code lua5.4} does, and no more is
 * read than the line, so that the script can read what follows.
 */
public record PipedLines(InputStream in, OutputStream out) implements Lines {
  @Override
  public @Nullable String next(String prompt) throws IOException {
    out.write(prompt.getBytes(StandardCharsets.UTF_8));
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int b = in.read();
    if (b < 0) {
      return null;
    }
    while (b >= 0 && b != '\n') {
      line.write(b);
      b = in.read();
    }
    out.write(line.toByteArray());
    out.write('\n');
    return line.toString(StandardCharsets.ISO_8859_1);
  }
}
