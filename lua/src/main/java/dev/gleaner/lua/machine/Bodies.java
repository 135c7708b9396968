package dev.gleaner.lua.machine;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bodies that guests share: a function of the same code has the same one, which the JVM has
 * compiled already. It keeps those that were asked for last.
 */
public final class Bodies {
  private static final int MOST = 500;

  /** What decides on a body; the rest is in the function that it runs. */
  private static final class Key {
    private final int[] code;
    private final long[] numbers;
    private final int frameSize;

    Key(Code function) {
      this.code = function.code;
      this.numbers = function.numbers;
      this.frameSize = function.frameSize;
    }

    @Override
    public boolean equals(@Nullable Object o) {
      return o instanceof Key k
          && frameSize == k.frameSize
          && Arrays.equals(code, k.code)
          && Arrays.equals(numbers, k.numbers);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(code) * 31 + Arrays.hashCode(numbers);
    }
  }

  private final Map<Key, Body> bodies = new LinkedHashMap<>(16, 0.75f, true);

  /** The body of a function; null if it is too large to have one. */
  synchronized @Nullable Body of(Code function) {
    Key key = new Key(function);
    Body known = bodies.get(key);
    if (known != null) {
      return known;
    }
    Body made = BodyCompiler.compile(function);
    if (made != null) {
      bodies.put(key, made);
      if (bodies.size() > MOST) {
        bodies.remove(bodies.keySet().iterator().next());
      }
    }
    return made;
  }
}
