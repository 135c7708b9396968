package dev.gleaner.lua;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The settings under {@code gleaner.lua}.
 *
 * @param maxInstructions 0 for no limit
 * @param maxTime zero for no limit
 * @param maxCalls how many calls can be in each other
 * @param compileAfter calls and turns of cycles until a function is compiled; 0 for never
 */
record LuaSettings(long maxInstructions, Duration maxTime, int maxCalls, int compileAfter) {
  static final String SECTION = "gleaner.lua";
  private static final long MOST_INSTRUCTIONS = 1_000_000_000_000_000_000L;
  private static final int LEAST_CALLS = 100;
  private static final int MOST_CALLS = 100_000_000;
  private static final int MOST_TURNS = 1_000_000_000;
  private static final List<String> KEYS =
      List.of("max-instructions", "max-time", "max-calls", "compile-after");

  static LuaSettings read(Config config) {
    List<String> problems = new ArrayList<>();
    Config lua = config.getConfig(SECTION);
    for (String key : lua.root().keySet()) {
      if (!KEYS.contains(key)) {
        problems.add(SECTION + "." + key + ": unknown setting");
      }
    }
    long instructions = whole(lua, "max-instructions", 0, MOST_INSTRUCTIONS, problems);
    int calls = (int) whole(lua, "max-calls", LEAST_CALLS, MOST_CALLS, problems);
    int turns = (int) whole(lua, "compile-after", 0, MOST_TURNS, problems);
    Duration time = Duration.ZERO;
    try {
      time = lua.getDuration("max-time");
      if (time.isNegative()) {
        problems.add(SECTION + ".max-time: must not be negative");
      }
    } catch (ConfigException e) {
      problems.add(e.getMessage());
    }
    if (!problems.isEmpty()) {
      throw new ConfigException.Generic(String.join("\n", problems));
    }
    return new LuaSettings(instructions, time, calls, turns);
  }

  private static long whole(Config lua, String key, long least, long most, List<String> problems) {
    try {
      long v = lua.getLong(key);
      if (v >= least && v <= most) {
        return v;
      }
      problems.add(
          String.format(
              Locale.ROOT, "%s.%s = %d: must be from %d to %d", SECTION, key, v, least, most));
    } catch (ConfigException e) {
      problems.add(e.getMessage());
    }
    return least;
  }

  /** The time as messages have it. */
  String timeText() {
    long millis = maxTime.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }
}
