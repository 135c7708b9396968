package dev.gleaner.lua.machine;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An object of the host, behind a userdata. */
final class HostObject {
  private final Object value;
  private @Nullable Consumer<Object> release;

  /**
   * Takes an object.
   *
   * @param value the object
   * @param release runs once, when the userdata is freed; null for nothing
   */
  HostObject(Object value, @Nullable Consumer<Object> release) {
    this.value = value;
    this.release = release;
  }

  Object value() {
    return value;
  }

  void free() {
    Consumer<Object> told = release;
    release = null;
    if (told != null) {
      told.accept(value);
    }
  }
}
