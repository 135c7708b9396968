package dev.gleaner.kit.oracle;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;

/**
 * The settings that random programs run under: those of a {@link Variant}, or drawn from a {@link
 * SettingsSpace}.
 *
 * <p>The shape of the heap is the same in all modes of a program; when it collects, and how much it
 * holds, is so only in {@link Mode#FULL}.
 *
 * @param shape settings in HOCON, relative to {@code gleaner}
 * @param timing likewise; {@code SEED} stands for a number that the program makes
 * @param operations of a brief program
 * @param ownFunctions whether allocation functions of a user's own serve the heap
 * @param inForce all of them, with what every program sets
 */
record Setup(
    String name,
    String shape,
    String timing,
    int operations,
    boolean ownFunctions,
    Config inForce) {
  private static final String COMMON =
      "memory.max = 64MiB, strings.initial = 32, finalizer-order = registration\n";
  private static final String OFTEN = "voluntary { mult = 0.5, add = 40 }\n";
  private static final long AMPLE = 64L << 20;

  Setup(String name, String shape, String timing, int operations, boolean ownFunctions) {
    this(
        name,
        shape,
        timing,
        operations,
        ownFunctions,
        ConfigFactory.parseString(COMMON + OFTEN + shape + "\n" + timing));
  }

  /** The settings of a program, in HOCON and relative to {@code gleaner}. */
  String settings(Mode mode, long seed) {
    return COMMON
        + "strings.hash-seed = "
        + Math.floorMod(seed, 31)
        + "\n"
        + shape
        + "\n"
        + switch (mode) {
          case FULL -> OFTEN + timing.replace("SEED", "" + Math.floorMod(seed, 31)) + "\n";
          case TORTURED -> "voluntary.enabled = false\ntorture.gc = every-allocation\n";
          case SCRIPTED -> "voluntary.enabled = false\n";
        };
  }

  private boolean isOn(String path) {
    return inForce.hasPath(path) && inForce.getBoolean(path);
  }

  boolean incremental() {
    return isOn("incremental.enabled");
  }

  boolean finalizers() {
    return !inForce.hasPath("finalizers") || inForce.getBoolean("finalizers");
  }

  /** Whether finalizers run by the ages of their elements. */
  boolean finalizesByAge() {
    return "duktape".equals(inForce.getString("finalizer-order"));
  }

  /** The limit of the heap, in bytes. */
  long maxMemory(Mode mode) {
    return mode == Mode.FULL ? inForce.getMemorySize("memory.max").toBytes() : AMPLE;
  }

  /** Whether the limit is so low that requests are refused for it. */
  boolean isSmall(Mode mode) {
    return maxMemory(mode) < AMPLE;
  }

  /**
   * Whether there are collections before finalizers are called: when the heap closes, the model
   * cannot know which is next.
   */
  boolean torturesFinalizers() {
    return isOn("torture.finalizers");
  }

  private boolean tortures() {
    return inForce.hasPath("torture.gc") && !inForce.getString("torture.gc").equals("off");
  }

  /** After how many operations a scripted program collects, on average. */
  int collectEvery() {
    return !tortures() ? 15 : inForce.getString("torture.gc").equals("every-allocation") ? 1 : 5;
  }

  /** How much longer an operation takes than in a heap that collects now and then, about. */
  int cost() {
    return collectEvery() == 1 ? 30 : tortures() ? 5 : 1;
  }

  @Override
  public String toString() {
    return name;
  }
}
