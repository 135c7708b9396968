package dev.gleaner.lua.machine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Maps code numbers to library functions, and to functions of the host. */
final class Builtins {
  private final Codes codes;
  private @Nullable Builtin[] functions = new Builtin[Codes.ROOM];

  Builtins(Codes codes) {
    this.codes = codes;
  }

  /** Returns the function of a number; null if the number has none. */
  @Nullable Builtin get(int n) {
    @Nullable Builtin[] all = functions;
    return n < all.length ? all[n] : null;
  }

  /** Adds a library function. Returns its number. */
  int add(Builtin function, String key, int values) {
    int n = codes.add(key, values);
    set(n, function);
    return n;
  }

  /** Sets a function of the host. */
  void setHost(int n, String name, Builtin function) {
    set(n, function);
    codes.setName(n, name);
  }

  private void set(int n, Builtin function) {
    if (n >= functions.length) {
      functions = Arrays.copyOf(functions, Math.max(n + 1, 2 * functions.length));
    }
    functions[n] = function;
  }

  void release(int n) {
    if (n < functions.length) {
      functions[n] = null;
    }
    codes.release(n);
  }

  /** Returns a function or routine of the host; null for other numbers. */
  @Nullable Object host(int n) {
    Object routine = codes.hosts[n];
    return routine == null && get(n) instanceof HostMade b ? b.made() : routine;
  }
}
