package dev.gleaner.kit.oracle;

/** What a finalizer of a random program does, decided when it is set. */
final class FinalizerBody {
  /** The ways. */
  enum Kind {
    EMPTY,
    /** Stores its element into a certain global, each time it is called. */
    RESCUE,
    /** Makes elements with such finalizers, which nothing refers to. */
    BREED,
    /** Does random operations. */
    RANDOM
  }

  final String label;
  final Kind kind;

  /** The number that its steps are derived from. */
  final long seed;

  /** The global that a rescue stores into. */
  final int global;

  /** The block of the script. */
  final Script.Block block;

  /** How often it was called. */
  int calls;

  FinalizerBody(String label, Kind kind, long seed, int global, Script.Block block) {
    this.label = label;
    this.kind = kind;
    this.seed = seed;
    this.global = global;
    this.block = block;
  }

  @Override
  public String toString() {
    return label;
  }
}
