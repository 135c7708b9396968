package dev.gleaner.lua;

import org.jspecify.annotations.Nullable;

/**
 * A function of the host. What it throws is an error of the script, with its message. One that
 * yields, or asks for types, is a {@link HostRoutine}.
 */
@FunctionalInterface
public interface HostFunction {
  /**
   * Does its work.
   *
   * @param arguments null, Boolean, Long, Double, String, {@link LuaValue}, or an object of the
   *     host
   * @return any number of results, of what {@link Guest#set(String, Object)} takes
   * @throws Exception that becomes an error of the script
   */
  @Nullable Object[] call(@Nullable Object[] arguments) throws Exception;
}
