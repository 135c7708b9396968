package dev.gleaner.lab.chart;

import dev.gleaner.lab.output.Units;
import dev.gleaner.lab.output.Units.Unit;

/** What an axis counts, hence the units of its labels. */
public enum Quantity {
  /** Seconds. */
  TIME,
  /** Bytes. */
  BYTES,
  /** Things. */
  COUNT;

  /** Returns the unit that suits a value of this size. */
  Unit unit(double value) {
    return switch (this) {
      case TIME -> Units.time(value);
      case BYTES -> Units.size(value);
      case COUNT -> Units.number(value);
    };
  }

  /** Returns a value with the unit that suits it. */
  public String text(double value) {
    Unit unit = unit(value);
    return unit.name().isEmpty() ? unit.text(value) : unit.text(value) + "\u00a0" + unit.name();
  }
}
