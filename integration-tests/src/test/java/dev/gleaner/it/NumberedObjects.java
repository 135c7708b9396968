package dev.gleaner.it;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.heap.Mutator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Bindings that name every object by a number. Where an image is opened natives hold the same
 * objects; finalizers and callbacks are others that do nothing, and have the same numbers.
 */
public final class NumberedObjects implements ImageBindings {
  private final IdentityHashMap<Object, Integer> numbers;
  private final List<Object> objects;
  private final Map<String, GlobalRef> globals = new TreeMap<>();

  /** Makes bindings without a name. */
  public NumberedObjects() {
    this(new IdentityHashMap<>(), new ArrayList<>());
  }

  private NumberedObjects(IdentityHashMap<Object, Integer> numbers, List<Object> objects) {
    this.numbers = numbers;
    this.objects = objects;
  }

  /** Returns bindings of the same objects, for a heap that is opened. */
  public NumberedObjects there() {
    return new NumberedObjects(numbers, objects);
  }

  /** What stands for an object in a heap that was opened. */
  private record Stub(int number) implements Finalizer, FreeCallback {
    @Override
    public void run(Mutator mutator, boolean closing) {}

    @Override
    public void freed(Object value, boolean closing) {}
  }

  /** Names a global reference that is to be saved. */
  public void save(String name, GlobalRef ref) {
    globals.put(name, ref);
  }

  @Override
  public byte[] write(Role role, Object object) {
    int number =
        switch (object) {
          case Integer code when role == Role.CODE -> code;
          case Stub stub -> stub.number();
          default -> numbers.computeIfAbsent(object, this::enter);
        };
    return Integer.toString(number).getBytes(StandardCharsets.UTF_8);
  }

  private int enter(Object object) {
    objects.add(object);
    return objects.size() - 1;
  }

  @Override
  public @Nullable Object read(Role role, byte[] name) {
    String text = new String(name, StandardCharsets.UTF_8);
    if (!text.matches("[0-9]{1,8}")) {
      return null;
    }
    int number = Integer.parseInt(text);
    if (role == Role.CODE) {
      return number;
    }
    return role == Role.NATIVE && number < objects.size() ? objects.get(number) : new Stub(number);
  }

  @Override
  public Map<String, GlobalRef> globals() {
    return globals;
  }

  @Override
  public void global(String name, GlobalRef ref) {
    globals.put(name, ref);
  }
}
