package dev.gleaner.kit.oracle;

/**
 * The settings that random programs run under.
 *
 * <p>The shape of the heap is the same in all modes of a program; when it collects, and how much it
 * holds, is so only in {@link Mode#FULL}.
 */
enum Variant {
  PLAIN("", "", 400),
  TORTURE("", "torture.gc = every-allocation", 150),
  TORTURE_SOME("", "torture { gc = 7, seed = SEED }", 250),
  TORTURE_FINALIZERS("", "torture { gc = 5, seed = SEED, finalizers = on }", 200),
  INCREMENTAL("incremental { enabled = true, slice = 1us, allocations-per-slice = 1 }", "", 400),
  INCREMENTAL_LONG(
      "incremental { enabled = true, slice = 20us, allocations-per-slice = 20 }", "", 400),
  INCREMENTAL_TORTURE(
      "incremental { enabled = true, slice = 1us, allocations-per-slice = 1 }",
      "torture { gc = 31, seed = SEED, finalizers = on }",
      250),
  VERIFY("verify = after-collection", "", 250),
  VERIFY_TORTURE("verify = after-collection", "torture { gc = 3, seed = SEED }", 150),
  GROWN("memory { backing = grown, initial = 0 }", "", 400),
  GROWN_TORTURE("memory { backing = grown, initial = 0 }", "torture.gc = every-allocation", 150),
  GROWN_INCREMENTAL(
      "memory { backing = grown, initial = 0 }, incremental { enabled = true, slice = 1us }",
      "",
      300),
  FINALIZERS_OFF("finalizers = off", "", 250),
  BASE_FLAGS("base-flags = [emergency, no-object-compaction, no-string-table-resize]", "", 300),
  LITTLE_STACK("mark.recursion-limit = 16, threads.initial-stack-slots = 8", "", 300),
  OWN_FUNCTIONS("", "", 300),
  OWN_FUNCTIONS_TORTURE("", "torture { gc = 3, seed = SEED }", 200),
  TINY("strings.initial = 16", "memory.max = 64KiB", 400),
  TINY_TORTURE("strings.initial = 16", "memory.max = 64KiB, torture.gc = every-allocation", 150),
  SMALL("strings.initial = 16", "memory.max = 160KiB, voluntary.enabled = false", 500),
  SMALL_INCREMENTAL(
      "strings.initial = 16"
          + ", incremental { enabled = true, slice = 1us, allocations-per-slice = 3 }",
      "memory.max = 160KiB",
      400);

  private static final String COMMON = "memory.max = 64MiB, strings.initial = 32\n";

  final int operations;
  final boolean incremental;
  final boolean finalizers;
  private final boolean limited;
  private final String shape;
  private final String timing;

  Variant(String shape, String timing, int operations) {
    this.shape = shape;
    this.timing = timing;
    this.operations = operations;
    incremental = shape.contains("incremental");
    finalizers = !shape.contains("finalizers = off");
    limited = timing.contains("KiB");
  }

  /** The settings of a program, in HOCON and relative to {@code gleaner}. */
  String settings(Mode mode, long seed) {
    return COMMON
        + shape
        + "\n"
        + switch (mode) {
          case FULL ->
              "voluntary { mult = 0.5, add = 40 }\n"
                  + timing.replace("SEED", "" + Math.floorMod(seed, 31))
                  + "\n";
          case TORTURED -> "voluntary.enabled = false\ntorture.gc = every-allocation\n";
          case SCRIPTED -> "voluntary.enabled = false\n";
        };
  }

  /** Whether the limit is so low that requests are refused for it. */
  boolean isSmall(Mode mode) {
    return limited && mode == Mode.FULL;
  }

  /**
   * Whether there are collections before finalizers are called: when the heap closes, the model
   * cannot know which is next.
   */
  boolean torturesFinalizers() {
    return timing.contains("finalizers = on");
  }

  boolean ownFunctions() {
    return name().startsWith("OWN_FUNCTIONS");
  }

  /** After how many operations a scripted program collects, on average. */
  int collectEvery() {
    return timing.contains("every-allocation") ? 1 : timing.contains("torture") ? 5 : 15;
  }
}
