package dev.gleaner.lua;

import org.jspecify.annotations.Nullable;

/**
 * A call of a {@link HostRoutine}, with its arguments, from 1 on. It is valid until the routine
 * returns.
 */
public interface Invocation {
  /** {@return how many arguments there are} */
  int count();

  /**
   * {@return whether there is no such argument, or it is nil}
   *
   * @param i from 1
   */
  boolean isAbsent(int i);

  /**
   * {@return an argument of any type; null if it is nil, or not there}
   *
   * @param i from 1
   */
  @Nullable Object get(int i);

  /**
   * {@return whether an argument is neither nil nor false}
   *
   * @param i from 1
   */
  boolean truth(int i);

  /**
   * {@return an integer, or a float or string that has one}
   *
   * @param i from 1
   * @throws RuntimeException that is the script's error "bad argument #1 to …"
   */
  long integer(int i);

  /**
   * {@return a number, or a string that has one}
   *
   * @param i from 1
   * @throws RuntimeException as above
   */
  double number(int i);

  /**
   * {@return a string, or a number as one; UTF-8 is decoded}
   *
   * @param i from 1
   * @throws RuntimeException as above
   */
  String string(int i);

  /**
   * {@return the bytes of a string, or of a number as one}
   *
   * @param i from 1
   * @throws RuntimeException as above
   */
  byte[] bytes(int i);

  /**
   * {@return a table}
   *
   * @param i from 1
   * @throws RuntimeException as above
   */
  LuaValue table(int i);

  /**
   * {@return a function}
   *
   * @param i from 1
   * @throws RuntimeException as above
   */
  LuaValue function(int i);

  /**
   * {@return an object of the host}
   *
   * @param <T> its type
   * @param i from 1
   * @param type its class
   * @throws RuntimeException as above
   */
  <T> T object(int i, Class<T> type);

  /**
   * {@return an error about an argument, to be thrown}
   *
   * @param i from 1
   * @param message what is wrong
   */
  RuntimeException argumentError(int i, String message);
}
