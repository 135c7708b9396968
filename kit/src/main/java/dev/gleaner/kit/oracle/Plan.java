package dev.gleaner.kit.oracle;

/**
 * What makes a program: the same plan is the same program.
 *
 * @param operations steps of the program, those of finalizers not counted
 * @param checkEvery after how many of them everything is compared and verified
 */
record Plan(Setup setup, Mode mode, long seed, int operations, int checkEvery) {
  private static final int OFTEN = 40;

  /** Few operations, often checked: good for finding faults. */
  static Plan brief(Setup setup, Mode mode, long seed) {
    return new Plan(setup, mode, seed, setup.operations(), OFTEN);
  }

  /** Likewise, under settings that have a name. */
  static Plan brief(Variant variant, Mode mode, long seed) {
    return brief(variant.setup(), mode, seed);
  }

  /** Whether all is looked at often, and counts, where there are any, after every operation. */
  boolean isThorough() {
    return checkEvery <= OFTEN;
  }

  /** The limit of the heap, in bytes. */
  long maxMemory() {
    return setup.maxMemory(mode);
  }

  /** The settings in HOCON, relative to {@code gleaner}. */
  String settings() {
    return setup.settings(mode, seed);
  }
}
