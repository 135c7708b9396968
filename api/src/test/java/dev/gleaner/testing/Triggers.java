package dev.gleaner.testing;

import dev.gleaner.settings.VoluntarySettings;
import dev.gleaner.space.Budget;
import dev.gleaner.space.VoluntaryTrigger;

/** Voluntary triggers for which bytes do not count. */
public final class Triggers {
  private Triggers() {}

  /** Makes a trigger. */
  public static VoluntaryTrigger of(boolean enabled, double mult, double add) {
    return new VoluntaryTrigger(new VoluntarySettings(enabled, mult, add, 0), new Budget(0));
  }
}
