package dev.gleaner.kit.scenario;

import java.util.List;

/** What a scenario says must hold. */
sealed interface Expectation extends Statement {

  /** An expectation without a block. */
  sealed interface Simple extends Expectation {}

  /** How a figure is compared. */
  enum Comparison {
    EQUAL("=="),
    AT_MOST("<="),
    AT_LEAST(">=");

    private final String symbol;

    Comparison(String symbol) {
      this.symbol = symbol;
    }

    boolean holds(long found, long bound) {
      return switch (this) {
        case EQUAL -> found == bound;
        case AT_MOST -> found <= bound;
        case AT_LEAST -> found >= bound;
      };
    }

    @Override
    public String toString() {
      return symbol;
    }
  }

  /** Figures that can be compared with a number. */
  enum Figure {
    FINALIZER_CALLS("finalizer-calls"),
    ALIVE("alive"),
    USED("used"),
    PEAK("peak"),
    COLLECTIONS("collections"),
    MINOR_COLLECTIONS("collections minor"),
    EMERGENCIES("emergencies");

    private final String word;

    Figure(String word) {
      this.word = word;
    }

    /** Whether collections at every allocation change it by themselves. */
    boolean changesUnderTorture() {
      return this != FINALIZER_CALLS && this != ALIVE;
    }

    /** Whether these are bytes, which are compared with bounds only, and with the mark. */
    boolean isBytes() {
      return this == USED || this == PEAK;
    }

    @Override
    public String toString() {
      return word;
    }
  }

  record Finalized(List<Pattern> patterns) implements Simple {}

  /** {@code expect used <= mark + N} when it counts from the mark. */
  record Count(Figure figure, Comparison comparison, boolean fromMark, long number)
      implements Simple {}

  record Strings(List<String> texts, boolean present) implements Simple {}

  record Weakly(Name.Weak weak, boolean cleared) implements Simple {}

  record Same(Value left, Value right, boolean same) implements Simple {}

  record SameHash(Place place, Value hash, boolean same) implements Simple {}

  record Filled(Place place, long seed) implements Simple {}

  record Walked(long entries) implements Simple {}

  /** Compares a size of an object, which is named as in the file. */
  record Size(String size, Place object, Comparison comparison, long number) implements Simple {}

  record Intact() implements Simple {}

  record OutOfMemory(Block block) implements Expectation {}

  record Fails(String text, Block block) implements Expectation {}
}
