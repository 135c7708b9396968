package dev.gleaner.lab.script;

import dev.gleaner.lua.Console;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.LuaException;
import dev.gleaner.lua.LuaMemoryException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * The interactive prompt, as that of {@code lua5.4}: what fails is told, and it goes on.
 *
 * @param out where the guest writes; it is flushed before each line
 */
public record Prompt(Guest guest, Lines lines, OutputStream out, PrintWriter err) {
  /**
   * Runs line after line, until there are no more.
   *
   * @throws dev.gleaner.lua.LuaLimitException if a limit on instructions or time is reached
   */
  public void run() throws IOException {
    Console console = new Console(guest);
    while (true) {
      out.flush();
      String line = lines.next(console.prompt());
      try {
        if (line == null) {
          console.end();
          break;
        }
        console.take(line.getBytes(StandardCharsets.ISO_8859_1));
      } catch (LuaMemoryException e) {
        tell("not enough memory", "");
      } catch (LuaException e) {
        tell(e.getMessage(), e.traceback());
      }
      if (line == null) {
        break;
      }
    }
    out.write('\n');
    out.flush();
  }

  private void tell(String message, String traceback) throws IOException {
    out.flush();
    err.println(message);
    if (!traceback.isEmpty()) {
      err.println(traceback);
    }
    err.flush();
  }
}
