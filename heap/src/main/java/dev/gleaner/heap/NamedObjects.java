package dev.gleaner.heap;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bindings by a map of names. The same names are bound where a heap is saved and where it is
 * opened:
 *
 * <pre>{@code
 * NamedObjects bound = new NamedObjects().bind("log", log).save("registry", registry);
 * HeapImage image = heap.image(bound);
 * NamedObjects there = new NamedObjects().bind("log", log);
 * Heap copy = factory.open(image, there);
 * GlobalRef registryThere = there.globals().get("registry");
 * }</pre>
 *
 * Code numbers keep their value.
 */
public final class NamedObjects implements ImageBindings {
  private static final String CODE = "code ";

  private final IdentityHashMap<Object, String> names = new IdentityHashMap<>();
  private final Map<String, Object> objects = new HashMap<>();
  private final Map<String, GlobalRef> globals = new LinkedHashMap<>();

  /** Makes bindings without a name. */
  public NamedObjects() {}

  /**
   * Binds a name to an object.
   *
   * @param name the name
   * @param object a native's Java object, a callback, a finalizer or a thread's object
   * @return these bindings
   * @throws IllegalArgumentException if the name or the object is bound already
   */
  public NamedObjects bind(String name, Object object) {
    if (objects.containsKey(name) || names.containsKey(object)) {
      throw new IllegalArgumentException("bound already: " + name);
    }
    objects.put(name, object);
    names.put(object, name);
    return this;
  }

  /**
   * Names a global reference that is to be saved.
   *
   * @param name the name
   * @param ref a global reference of the heap that is saved
   * @return these bindings
   */
  public NamedObjects save(String name, GlobalRef ref) {
    globals.put(name, ref);
    return this;
  }

  @Override
  public byte @Nullable [] write(Role role, Object object) {
    String name = role == Role.CODE ? CODE + object : names.get(object);
    return name == null ? null : name.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public @Nullable Object read(Role role, byte[] name) {
    String text = new String(name, StandardCharsets.UTF_8);
    return role == Role.CODE ? code(text) : objects.get(text);
  }

  private static @Nullable Object code(String text) {
    try {
      return text.startsWith(CODE) ? Integer.valueOf(text.substring(CODE.length())) : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /**
   * {@return the global references: those to be saved, and those of the heap that was opened last}
   */
  @Override
  public Map<String, GlobalRef> globals() {
    return globals;
  }

  @Override
  public void global(String name, GlobalRef ref) {
    globals.put(name, ref);
  }
}
