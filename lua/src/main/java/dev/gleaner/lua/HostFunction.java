package dev.gleaner.lua;

import org.jspecify.annotations.Nullable;

/** A function of the host. What it throws is an error of the script, with its message. */
@FunctionalInterface
public interface HostFunction {
  /**
   * Does its work.
   *
   * @param arguments null, Boolean, Long, Double or String each
   * @return any number of results: null, a Boolean, a whole number, a Float or Double, or a String
   * @throws Exception that becomes an error of the script
   */
  @Nullable Object[] call(@Nullable Object[] arguments) throws Exception;
}
