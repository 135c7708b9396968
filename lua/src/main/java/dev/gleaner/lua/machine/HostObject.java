package dev.gleaner.lua.machine;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An object of the host, behind a userdata.
 *
 * @param value the object
 * @param release runs once, when the userdata is freed; null for nothing
 */
record HostObject(Object value, @Nullable Consumer<Object> release) {
  void free() {
    if (release != null) {
      release.accept(value);
    }
  }
}
