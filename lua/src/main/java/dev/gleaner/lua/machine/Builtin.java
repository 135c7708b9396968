package dev.gleaner.lua.machine;

/** A library function. It runs in a frame of its own: slot 0 is the function, then arguments. */
@FunctionalInterface
public interface Builtin {
  /**
   * Does its work.
   *
   * @param a its arguments; the same object for every call, valid until it returns
   * @return how many results it leaves: {@code return a.one(s)}, {@code a.none()}, {@code
   *     a.results(first, count)}
   */
  int call(Arguments a);
}
