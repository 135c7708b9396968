package dev.gleaner.lua;

import dev.gleaner.refusal.HeapExhaustedException;
import java.util.Objects;

/**
 * Memory ran out, and the script did not catch that. The guest can be used further. The cause is a
 * {@link HeapExhaustedException} with the figures.
 */
public final class LuaMemoryException extends LuaException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param exhausted what the heap threw
   * @param traceback of the place where it happened; empty if there is none
   */
  public LuaMemoryException(HeapExhaustedException exhausted, String traceback) {
    super(String.valueOf(exhausted.getMessage()), "not enough memory", traceback, exhausted);
  }

  /** {@return what the heap threw, with the figures} */
  public HeapExhaustedException exhausted() {
    return (HeapExhaustedException) Objects.requireNonNull(getCause());
  }
}
