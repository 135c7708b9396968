package dev.gleaner.lua;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import dev.gleaner.settings.Layers;
import dev.gleaner.settings.Problems;
import dev.gleaner.settings.Section;
import java.time.Duration;
import java.util.List;

/**
 * The settings under {@code gleaner.lua}.
 *
 * @param life what a guest may take in all
 * @param call what each call of the host may take
 * @param graceTime of the variables to close when a call is ended
 * @param threadInterrupt whether an interrupt of the Java thread ends a call
 * @param maxOutput bytes that a guest writes; 0 for no limit
 * @param closeTime of all finalizers together when a guest is closed
 * @param convertTables whether results that are tables are lists and maps
 * @param maxCalls how many calls can be in each other
 * @param compileAfter calls and turns of cycles until a function is compiled; 0 for never
 * @param maxCompiled compiled functions of all guests together
 */
record LuaSettings(
    Budget life,
    Budget call,
    Duration graceTime,
    boolean threadInterrupt,
    long maxOutput,
    Duration closeTime,
    boolean convertTables,
    int maxCalls,
    int compileAfter,
    int maxCompiled) {
  private static final String ROOT = "gleaner";
  private static final String NAME = "lua";
  static final String SECTION = ROOT + "." + NAME;
  private static final long MOST_INSTRUCTIONS = 1_000_000_000_000_000_000L;
  private static final long MOST_TIME = Long.MAX_VALUE / 4; // of nanoseconds: deadlines stay whole
  private static final long MOST_OUTPUT = 1L << 40;
  private static final int LEAST_CALLS = 100;
  private static final int MOST_CALLS = 100_000_000;
  private static final int MOST_TURNS = 1_000_000_000;
  private static final int MOST_COMPILED = 1_000_000;

  /**
   * Reads the section.
   *
   * @throws dev.gleaner.settings.ConfigurationException listing what is wrong, with its place
   */
  static LuaSettings read(Config config) {
    Problems problems = new Problems();
    ConfigObject gleaner = Layers.section(config.root(), ROOT);
    ConfigValue value = gleaner.get(NAME);
    if (value != null && !(value instanceof ConfigObject)) {
      problems.add(SECTION, value, "must be a section { … }");
    }
    ConfigObject given = Layers.section(gleaner, NAME);
    ConfigObject reference =
        Layers.section(
            Layers.section(
                ConfigFactory.parseResources(LuaSettings.class.getClassLoader(), "reference.conf")
                    .root(),
                ROOT),
            NAME);
    Section lua =
        new Section(
            List.of(
                new Section.Layer(SECTION, Layers.only(given, false)),
                new Section.Layer(SECTION, reference)),
            problems);
    LuaSettings settings =
        new LuaSettings(
            budget(lua, "max-"),
            budget(lua, "call-"),
            Duration.ofNanos(lua.nanos("grace-time", 0, MOST_TIME)),
            lua.trueFalse("thread-interrupt"),
            lua.bytes("max-output", 0, MOST_OUTPUT),
            Duration.ofNanos(lua.nanos("close-time", 0, MOST_TIME)),
            lua.trueFalse("convert-tables"),
            lua.integer("max-calls", LEAST_CALLS, MOST_CALLS),
            lua.integer("compile-after", 0, MOST_TURNS),
            lua.integer("max-compiled", 1, MOST_COMPILED));
    lua.noteUnknown(List.of());
    problems.throwIfAny();
    return settings;
  }

  /** Limits of which 0 is none. */
  private static Budget budget(Section lua, String prefix) {
    long instructions = lua.whole(prefix + "instructions", 0, MOST_INSTRUCTIONS);
    long time = lua.nanos(prefix + "time", 0, MOST_TIME);
    long cpuTime = lua.nanos(prefix + "cpu-time", 0, MOST_TIME);
    Budget budget = instructions == 0 ? Budget.NONE : Budget.ofInstructions(instructions);
    budget = time == 0 ? budget : budget.withTime(Duration.ofNanos(time));
    return cpuTime == 0 ? budget : budget.withCpuTime(Duration.ofNanos(cpuTime));
  }
}
