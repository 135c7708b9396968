package dev.gleaner.kit.oracle;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  /** Of an object that inherits its finalizer, before the finalizer is called. */
  static final FinalizerBody NONE = new FinalizerBody("none", Kind.EMPTY, 0, 0, null);

  final String label;
  final Kind kind;

  /** The number that its steps are derived from. */
  final long seed;

  /** The global that a rescue stores into. */
  final int global;

  /** The block of the script; null if there is none. */
  final Script.@Nullable Block block;

  /** How often it was called. */
  int calls;

  FinalizerBody(String label, Kind kind, long seed, int global, Script.@Nullable Block block) {
    this.label = label;
    this.kind = kind;
    this.seed = seed;
    this.global = global;
    this.block = block;
  }

  /** What each element does that the finalizer was called for. */
  private final Map<ShadowElement, FinalizerBody> heirs = new HashMap<>();

  /** What this finalizer does for an element, as if it had been set for that alone. */
  FinalizerBody calledFor(ShadowElement heir) {
    return heirs.computeIfAbsent(
        heir, _ -> new FinalizerBody(label, kind, Dice.mix(seed, heirs.size()), global, null));
  }

  @Override
  public String toString() {
    return label;
  }
}
