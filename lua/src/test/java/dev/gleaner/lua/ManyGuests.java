package dev.gleaner.lua;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A program that opens guests, one after the other or some at once, each of which runs a script of
 * its own; a third of them reach a limit. It prints what of it is resident: {@code warm KIB} after
 * half of them, {@code end KIB}, and how many ended in which way.
 *
 * <p>Arguments: the collector, the number of guests, how many are open at once.
 */
final class ManyGuests {
  private static final String SETTINGS =
      "gleaner.memory.max = 256KiB, gleaner.lua.max-instructions = 50000, gleaner.collector = ";

  /** Each with the way in which it is to end. */
  private static final String[][] SCRIPTS = {
    {"done", "local t = {} for i = 1, %d do t[i] = {i, 'x' .. i} end return #t"},
    {"done", "local s = '' for i = 1, %d %% 50 do s = s .. i end return s:rep(3)"},
    {
      "done",
      "local co = coroutine.wrap(function() for i = 1, %d do coroutine.yield(i) end end) co()"
    },
    {"done", "return setmetatable({}, {__gc = function() gone = %d end})"},
    {"done", "local f = load('return function(a) return a + %d end')() return f(1)"},
    {"done", "return pcall(error, {code = %d}), string.format('%%5d', 3), ('a,b'):gsub(',', ';')"},
    {"limit", "local n = %d while true do n = n + 1 end"},
    {
      "limit",
      "local x = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) return"
          + " pcall(function() while true do pcall(function() return x[%d] end) end end)"
    },
    {"memory", "local t = ('x%d'):rep(1000) while true do t = t .. t end"},
  };

  private ManyGuests() {}

  /** Opens them. */
  public static void main(String... arguments) throws IOException {
    Lua lua = Lua.of(ConfigFactory.parseString(SETTINGS + arguments[0]));
    int guests = Integer.parseInt(arguments[1]);
    int atOnce = Integer.parseInt(arguments[2]);
    SplittableRandom random = new SplittableRandom(7);
    Deque<Guest> open = new ArrayDeque<>();
    int limits = 0;
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (int i = 0; i < guests; i++) {
      if (i == guests / 2) {
        out.println("warm " + residentKib());
      }
      Guest guest = lua.open();
      open.add(guest);
      String[] script = SCRIPTS[random.nextInt(SCRIPTS.length)];
      String ended = run(guest, script[1].formatted(1 + random.nextInt(300)));
      if (!ended.equals(script[0])) {
        throw new AssertionError(script[1] + " ended by " + ended);
      }
      limits += ended.equals("done") ? 0 : 1;
      if (open.size() > atOnce) {
        open.remove().close();
      }
    }
    open.forEach(Guest::close);
    out.println("end " + residentKib());
    out.println("limits " + limits);
  }

  private static String run(Guest guest, String script) {
    try {
      @Nullable Object[] _ = guest.run(script);
      return "done";
    } catch (LuaLimitException e) {
      return "limit";
    } catch (LuaMemoryException e) {
      return "memory";
    }
  }

  private static long residentKib() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new IOException("no VmRSS");
  }
}
