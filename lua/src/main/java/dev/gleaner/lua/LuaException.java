package dev.gleaner.lua;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A script failed: a syntax error, or an error that it did not catch. */
public class LuaException extends GuestException {
  private static final long serialVersionUID = 1;

  /** "name:12: ", where a name may be {@code [string "text"]}. */
  private static final Pattern PLACE =
      Pattern.compile("^(\\[string \".{0,80}?\"]|[^\\n]{1,200}?):(\\d{1,9}): ", Pattern.DOTALL);

  private final transient @Nullable Object value;
  private final String traceback;

  /**
   * An error of a script.
   *
   * @param message as {@code lua} prints it
   * @param value the error's value, as a result of a script
   * @param traceback of the place where it happened; empty if it never ran
   */
  public LuaException(String message, @Nullable Object value, String traceback) {
    this(message, value, traceback, null);
  }

  /**
   * An error of a script.
   *
   * @param message as {@code lua} prints it
   * @param value the error's value, as a result of a script
   * @param traceback of the place where it happened; empty if it never ran
   * @param cause what a function of the host threw; null if there is none
   */
  public LuaException(
      String message, @Nullable Object value, String traceback, @Nullable Throwable cause) {
    super(message, cause);
    this.value = value;
    this.traceback = traceback;
  }

  /**
   * {@return the error's value, as a result of a script is: null, a Boolean, Long, Double or
   * String, an object of the host, or a {@link LuaValue}}
   */
  public @Nullable Object value() {
    return value;
  }

  /** {@return the stack of the script where it happened; empty if it never ran} */
  public String traceback() {
    return traceback;
  }

  /** {@return the name of the chunk that the message begins with; null if there is none} */
  public @Nullable String source() {
    Matcher place = PLACE.matcher(getMessage());
    return place.find() ? place.group(1) : null;
  }

  /** {@return the line that the message begins with; -1 if there is none} */
  public int line() {
    Matcher place = PLACE.matcher(getMessage());
    return place.find() ? Integer.parseInt(place.group(2)) : -1;
  }
}
