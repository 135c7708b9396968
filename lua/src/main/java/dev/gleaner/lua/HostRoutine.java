package dev.gleaner.lua;

/**
 * A function of the host with typed arguments, which can yield, and call others without a Java
 * frame of its own below them. What it throws is an error of the script.
 */
@FunctionalInterface
public interface HostRoutine {
  /**
   * Does its work, or a part of it.
   *
   * @param call its arguments; where it goes on, what it was resumed with, or what was called
   *     returned
   * @return how it ends, or goes on
   * @throws Exception that becomes an error of the script
   */
  Answer call(Invocation call) throws Exception;
}
