package dev.gleaner.lab.script;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;

/** Lines that are edited on a terminal, with those before as history. */
public final class TerminalLines implements Lines, AutoCloseable {
  private final Terminal terminal;
  private final LineReader reader;

  /** Takes the terminal of the program. */
  public TerminalLines() throws IOException {
    terminal = TerminalBuilder.builder().system(true).dumb(true).build();
    reader =
        LineReaderBuilder.builder()
            .terminal(terminal)
            .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
            .build();
  }

  /** A line that is broken off by Ctrl-C is an empty one. */
  @Override
  public @Nullable String next(String prompt) {
    try {
      byte[] line = reader.readLine(prompt).getBytes(StandardCharsets.UTF_8);
      return new String(line, StandardCharsets.ISO_8859_1);
    } catch (UserInterruptException e) {
      return "";
    } catch (EndOfFileException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    terminal.close();
  }
}
