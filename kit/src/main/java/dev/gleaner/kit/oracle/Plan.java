package dev.gleaner.kit.oracle;

import com.typesafe.config.ConfigFactory;

/**
 * What makes a program: the same plan is the same program.
 *
 * @param operations steps of the program, those of finalizers not counted
 * @param checkEvery after how many of them everything is compared and verified
 */
record Plan(Variant variant, Mode mode, long seed, int operations, int checkEvery) {
  private static final int OFTEN = 40;

  /** Few operations, often checked: good for finding faults. */
  static Plan brief(Variant variant, Mode mode, long seed) {
    return new Plan(variant, mode, seed, variant.operations, OFTEN);
  }

  /** Whether counts are checked after every operation, where there are any. */
  boolean checksCounts() {
    return checkEvery <= OFTEN;
  }

  /** The limit of the heap, in bytes. */
  long maxMemory() {
    return ConfigFactory.parseString(settings()).getMemorySize("memory.max").toBytes();
  }

  /** The settings in HOCON, relative to {@code gleaner}. */
  String settings() {
    return variant.settings(mode, seed);
  }
}
