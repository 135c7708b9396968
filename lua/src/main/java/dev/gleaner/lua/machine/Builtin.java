package dev.gleaner.lua.machine;

/** A library function. Each call has a new frame: slot 0 is the function, the arguments follow. */
@FunctionalInterface
public interface Builtin {
  /**
   * Runs the function.
   *
   * @param a the arguments; the same object for every call, valid until the return
   * @return the number of results: {@code return a.one(s)}, {@code a.none()}, {@code
   *     a.results(first, count)}
   */
  int call(Arguments a);
}
