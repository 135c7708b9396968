package dev.gleaner.lua.machine;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The values and the code of the host, for a machine's calls of routines. */
interface Host {
  /** Returns the Java value of a slot; a {@code LuaValue} of a table or function. */
  @Nullable Object get(int s);

  /** Returns the object of the host that a userdata has; null for any other value. */
  @Nullable Object object(int s);

  /** Stores a Java value. */
  void set(int d, @Nullable Object value);

  /**
   * Runs work for a function of the host. Exceptions become errors of the script. At the end, the
   * values that {@link #get} has made meanwhile are given up.
   */
  <T> T serve(Callable<T> work);

  /** Runs code of the host. An interrupt of the guest wakes the thread meanwhile. */
  <T extends @Nullable Object> T run(Callable<T> code) throws Exception;
}
