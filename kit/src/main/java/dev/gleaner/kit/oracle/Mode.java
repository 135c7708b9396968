package dev.gleaner.kit.oracle;

/** How much a program may do. */
enum Mode {
  /** Everything, under the settings of the variant. */
  FULL,

  /** What the scenario language can say, with a collection before every allocation. */
  TORTURED,

  /**
   * What the scenario language can say; collections are statements, too, and come from nowhere
   * else.
   */
  SCRIPTED;

  /** Whether everything that is done must be a statement of the scenario language. */
  boolean isSayable() {
    return this != FULL;
  }
}
