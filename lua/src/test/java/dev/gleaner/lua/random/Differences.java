package dev.gleaner.lua.random;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Runs programs here and by lua5.4, many in one process of it. */
final class Differences {
  private static final String MARK = "\u0001program ";

  private static final int BATCH_SECONDS = 5;

  /** The exit status of the driver when a program takes more than 2 s of CPU time. */
  private static final int ENDLESS_STATUS = 3;

  /** In place of what a program printed that does not end. */
  private static final String ENDLESS = "endless";

  /** Reads programs, each after a line with its name and its length, and runs them. */
  private static final String DRIVER =
      """
      local function message(e)
        local m = type(e) == "table" and getmetatable(e)
        if type(e) == "string" or type(e) == "number" or type(m) == "table" and m.__tostring then
          return e
        end
        return "(error object is a " .. type(e) .. " value)"
      end
      local names = {}
      for name in pairs(_G) do names[name] = true end
      while true do
        local head = io.read("l")
        if not head then break end
        local name, length = head:match("(%S+) (%d+)")
        local text = io.read(tonumber(length))
        local begin = os.clock()
        debug.sethook(function() if os.clock() - begin > 2 then os.exit(3) end end, "", 100000)
        io.write("\\1program ", name, "\\n")
        local ok, e = pcall(load(text, "@" .. name, "t"))
        debug.sethook()
        if not ok then print("error", message(e)) end
        for name in pairs(_G) do
          if not names[name] then _G[name] = nil end
        end
        io.flush()
      end
      """;

  private static final Pattern ZERO_LINES =
      Pattern.compile(
          "(?:\\d+:)?(?:[\\w.-]+:\\d+: )?(attempt to (?:divide by zero|perform 'n%0'))");

  private static final Pattern DRIVER_LINES = Pattern.compile("\\S*/driver\\.lua:\\d+: ");

  private static final Pattern ADDRESS = Pattern.compile(": 0x[0-9a-f]{12}\\b");

  private Differences() {}

  /**
   * {@return what a program prints on a heap, with its error, if it has one}
   *
   * @param trusted whether it uses the debug library
   */
  static String run(Lua lua, String name, String program, boolean trusted) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String end = "";
    try (Guest guest =
        trusted ? lua.openTrusted(InputStream.nullInputStream(), out, out) : lua.open(out)) {
      guest.run(program.getBytes(StandardCharsets.ISO_8859_1), "@" + name);
    } catch (LuaException e) {
      end = "error\t" + e.getMessage() + "\n";
    } catch (RuntimeException e) {
      StringWriter trace = new StringWriter();
      e.printStackTrace(new PrintWriter(trace));
      end = trace.toString();
    }
    return out.toString(StandardCharsets.ISO_8859_1) + end;
  }

  /** {@return guests under a collector, with more settings} */
  static Lua lua(String collector, String settings) {
    return Lua.of(ConfigFactory.parseString("gleaner.collector = " + collector + "\n" + settings));
  }

  /** {@return what lua5.4 prints for each of some programs, by their names} */
  static Map<String, String> oracle(Map<String, String> programs) throws IOException {
    Map<String, String> printed = new HashMap<>();
    if (!printed(programs, printed)) { // one by one, without those that do not end
      for (Map.Entry<String, String> each : programs.entrySet()) {
        if (!printed(Map.of(each.getKey(), each.getValue()), printed)) {
          printed.put(each.getKey(), ENDLESS);
        }
      }
    }
    return printed;
  }

  /** {@return whether lua5.4 did not come to the end of a program} */
  static boolean isEndless(String wanted) {
    return wanted.equals(ENDLESS);
  }

  private static boolean printed(Map<String, String> programs, Map<String, String> printed)
      throws IOException {
    Path directory = Files.createTempDirectory("lua");
    File in = directory.resolve("in").toFile();
    File out = directory.resolve("out").toFile();
    File driver = directory.resolve("driver.lua").toFile();
    try {
      StringBuilder text = new StringBuilder();
      programs.forEach((name, program) ->
          text.append(name).append(' ').append(program.length()).append('\n').append(program));
      Files.writeString(in.toPath(), text, StandardCharsets.ISO_8859_1);
      Files.writeString(driver.toPath(), DRIVER, StandardCharsets.ISO_8859_1);
      Process process =
          new ProcessBuilder("lua5.4", driver.toString())
              .redirectInput(in)
              .redirectOutput(out)
              .redirectErrorStream(true)
              .start();
      if (!process.waitFor(BATCH_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return false;
      }
      if (process.exitValue() == ENDLESS_STATUS) {
        return false;
      }
      printed.putAll(split(Files.readString(out.toPath(), StandardCharsets.ISO_8859_1)));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      for (File f : List.of(in, out, driver, directory.toFile())) {
        Files.deleteIfExists(f.toPath());
      }
    }
  }

  /**
   * lua5.4 reports a division by zero in the line of what it did before, or in none, so the length
   * of the message differs, too; NaN has no sign here; addresses are others in each run; the driver
   * may be at the level of an error; and releases before 5.4.5 complain about another argument of
   * table.remove.
   */
  private static String comparable(String output) {
    String text = ZERO_LINES.matcher(output).replaceAll("?: $1").replace("-nan", "nan");
    text = DRIVER_LINES.matcher(text).replaceAll("");
    text = text.replaceAll("#1 to '(table\\.)?remove' \\(position", "#2 to '$1remove' (position");
    return ADDRESS.matcher(text).replaceAll(": 0x?");
  }

  private static Map<String, String> split(String text) {
    Map<String, String> outputs = new HashMap<>();
    for (String part : text.split(MARK, -1)) {
      int end = part.indexOf('\n');
      if (end > 0) {
        outputs.put(part.substring(0, end), part.substring(end + 1));
      }
    }
    return outputs;
  }

  /** {@return the first line that differs, as text; empty if none does} */
  static String first(String name, String wanted, String got) {
    String expected = comparable(wanted);
    String actual = comparable(got);
    if (expected.equals(actual)) {
      return "";
    }
    List<String> a = new ArrayList<>(expected.lines().toList());
    List<String> b = new ArrayList<>(actual.lines().toList());
    int i = 0;
    while (i < a.size() && i < b.size() && a.get(i).equals(b.get(i))) {
      i++;
    }
    String want = i < a.size() ? a.get(i) : "the end";
    String have =
        i < b.size() ? String.join("\n    ", b.subList(i, Math.min(i + 8, b.size()))) : "the end";
    return name + " line " + (i + 1) + "\n  want " + want + "\n  got  " + have;
  }
}
