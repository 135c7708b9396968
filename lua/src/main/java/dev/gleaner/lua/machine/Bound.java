package dev.gleaner.lua.machine;

import dev.gleaner.lua.HostFunction;
import dev.gleaner.lua.HostRoutine;
import dev.gleaner.refusal.ImageException;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the host has by name, for images. */
public final class Bound {
  private final Map<String, Object> functions = new HashMap<>();
  private final Map<String, Named> objects = new HashMap<>();
  private final IdentityHashMap<Object, String> names = new IdentityHashMap<>();
  private final Map<String, Type<?>> types = new LinkedHashMap<>();

  /** Whether the instructions of the guest that was saved count. */
  private boolean countsOn;

  private record Named(Object value, @Nullable Consumer<Object> release) {}

  private record Type<T>(
      Class<T> type,
      Function<? super T, byte @Nullable []> write,
      Function<byte[], ? extends @Nullable T> read,
      @Nullable Consumer<Object> release) {
    boolean fits(Object value) {
      return type.isInstance(value);
    }

    byte @Nullable [] state(Object value) {
      return write.apply(type.cast(value));
    }
  }

  /** What an image says of an object: its type, and its state. */
  static final class State {
    private final String type;
    private final byte[] bytes;

    private State(String type, byte[] bytes) {
      this.type = type;
      this.bytes = bytes;
    }

    String type() {
      return type;
    }

    byte[] bytes() {
      return bytes;
    }
  }

  /** Makes an empty table of names. */
  public Bound() {}

  /** Has the instructions of the guest that was saved count. */
  public void countOn() {
    countsOn = true;
  }

  boolean countsOn() {
    return countsOn;
  }

  /**
   * Binds a function.
   *
   * @param name the name
   * @param function the function
   */
  public void bindFunction(String name, HostFunction function) {
    putNew(functions, name, function);
  }

  /**
   * Binds a routine.
   *
   * @param name the name
   * @param routine the routine
   */
  public void bindRoutine(String name, HostRoutine routine) {
    putNew(functions, name, routine);
  }

  /**
   * Binds an object.
   *
   * @param name the name
   * @param value the object
   * @param release runs once, when the userdata of the new guest is freed; null for nothing
   */
  public void bind(String name, Object value, @Nullable Consumer<Object> release) {
    if (names.containsKey(value)) {
      throw new IllegalArgumentException("the object has a name already: " + names.get(value));
    }
    putNew(objects, name, new Named(value, release));
    names.put(value, name);
  }

  /**
   * Binds a type.
   *
   * @param <T> the type
   * @param name the name of the type
   * @param type objects of it are saved by their state
   * @param write returns the state of an object, or null
   * @param read makes an object of a state, or null
   * @param release runs once, when a userdata of the new guest is freed; null for nothing
   */
  public <T> void bindType(
      String name,
      Class<T> type,
      Function<? super T, byte @Nullable []> write,
      Function<byte[], ? extends @Nullable T> read,
      @Nullable Consumer<Object> release) {
    putNew(types, name, new Type<>(type, write, read, release));
  }

  private static <V> void putNew(Map<String, ? super V> map, String name, V value) {
    if (map.putIfAbsent(name, value) != null) {
      throw new IllegalArgumentException("the name is bound already: " + name);
    }
  }

  @Nullable Object functionOf(String name) {
    return functions.get(name);
  }

  @Nullable String nameOf(Object value) {
    return names.get(value);
  }

  @Nullable HostObject objectOf(String name) {
    Named found = objects.get(name);
    return found == null ? null : new HostObject(found.value, found.release);
  }

  /** Returns the state of an object; null if its type is not bound, or gives none. */
  @Nullable State stateOf(Object value) {
    for (var entry : types.entrySet()) {
      if (entry.getValue().fits(value)) {
        byte[] state = entry.getValue().state(value);
        return state == null ? null : new State(entry.getKey(), state);
      }
    }
    return null;
  }

  /** Makes an object of its state; null if its type is not bound. */
  @Nullable HostObject read(String type, byte[] state) {
    Type<?> found = types.get(type);
    if (found == null) {
      return null;
    }
    Object made = found.read.apply(state);
    if (made == null) {
      throw new ImageException("no object was made of a saved state of type " + type);
    }
    return new HostObject(made, found.release);
  }
}
