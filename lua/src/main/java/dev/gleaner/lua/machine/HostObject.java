package dev.gleaner.lua.machine;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An object of the host, which a userdata stands for.
 *
 * @param value the object
 * @param release told once, when the userdata is gone
 */
record HostObject(Object value, @Nullable Consumer<Object> release) {
  void free() {
    if (release != null) {
      release.accept(value);
    }
  }
}
