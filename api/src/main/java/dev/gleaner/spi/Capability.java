package dev.gleaner.spi;

import java.util.Locale;
import org.apiguardian.api.API;

/** What a collector can do beyond what every one must; scenarios ask for these by {@link #text}. */
@API(status = API.Status.STABLE, since = "0.1")
public enum Capability {
  /** Reclaims elements that refer to each other in a cycle. */
  CYCLES,
  /** Reclaims an element at the moment its last reference is dropped. */
  PROMPT,
  /** May move an element. */
  MOVING,
  /** Calls one finalizer of a chain or cycle of elements a collection, the outermost first. */
  ORDERED_FINALIZERS,
  /**
   * Calls all finalizers of a collection's garbage after it; a rescue can be decided by the next
   * collection.
   */
  DUKTAPE_FINALIZERS,
  /**
   * Reclaims by leaving and compacting frames alone, in the long run, with no collection asked for.
   */
  FRAMES,
  /** Collects in slices: {@code step} works. */
  INCREMENTAL,
  /** Reclaims between full collections, in minor ones that look at a part of the heap. */
  MINOR;

  private final String text = name().toLowerCase(Locale.ROOT).replace('_', '-');

  /** {@return the word of scenarios and messages, such as {@code ordered-finalizers}} */
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return text;
  }
}
