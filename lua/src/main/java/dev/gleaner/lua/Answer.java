package dev.gleaner.lua;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a {@link HostRoutine} ends: by results, a yield, or a call of another function. */
public final class Answer {
  /** What is to happen. */
  public enum Kind {
    /** It returns values. */
    RESULTS,
    /** It yields values, and goes on when the coroutine is resumed. */
    YIELD,
    /** It calls a function, and goes on with what that returns. */
    CALL
  }

  private final Kind kind;
  private final @Nullable Object function;
  private final @Nullable Object[] values;
  private final @Nullable HostRoutine next;

  private Answer(
      Kind kind, @Nullable Object function, @Nullable Object[] values, @Nullable HostRoutine next) {
    this.kind = kind;
    this.function = function;
    this.values = values.clone();
    this.next = next;
  }

  /**
   * {@return to return}
   *
   * @param values the results
   */
  public static Answer results(@Nullable Object... values) {
    return new Answer(Kind.RESULTS, null, values, null);
  }

  /**
   * {@return to yield}
   *
   * @param next what goes on when the coroutine is resumed, with what it is resumed with
   * @param values what resume returns
   */
  public static Answer yieldValues(HostRoutine next, @Nullable Object... values) {
    return new Answer(Kind.YIELD, null, values, Objects.requireNonNull(next, "next"));
  }

  /**
   * {@return to call a function, without a Java frame below it: it may yield}
   *
   * @param next what goes on with its results; null to return them
   * @param function what is called
   * @param arguments of the call
   */
  public static Answer call(
      @Nullable HostRoutine next, @Nullable Object function, @Nullable Object... arguments) {
    return new Answer(Kind.CALL, function, arguments, next);
  }

  /** {@return what is to happen} */
  public Kind kind() {
    return kind;
  }

  /** {@return what is called} */
  public @Nullable Object function() {
    return function;
  }

  /** {@return results, values to yield, or arguments} */
  public @Nullable Object[] values() {
    return values.clone();
  }

  /** {@return what goes on; null for nothing} */
  public @Nullable HostRoutine next() {
    return next;
  }
}
