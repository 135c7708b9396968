package dev.gleaner.kit.oracle;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.ImageBindings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is Java's in a random program that is saved, by numbers. In the heap that is opened natives
 * hold the same objects. Finalizers and callbacks do what they did, in the program that goes on.
 */
final class SavedObjects implements ImageBindings {
  private final List<Object> objects = new ArrayList<>();
  private final Map<String, GlobalRef> saved = new LinkedHashMap<>();
  private final Map<Integer, GlobalRef> opened = new HashMap<>();
  private RootOperations.@Nullable FinalizerRunner runner;
  private @Nullable FreeCallback freed;
  private @Nullable ShadowFinalizers finalizers;

  /** Saves a global reference under a number. */
  void save(int number, GlobalRef ref) {
    saved.put(Integer.toString(number), ref);
  }

  /** Names the program that goes on. */
  void goOn(
      RootOperations.FinalizerRunner finalizerRunner,
      FreeCallback callback,
      ShadowFinalizers model) {
    runner = finalizerRunner;
    freed = callback;
    finalizers = model;
  }

  @Override
  public byte[] write(Role role, Object object) {
    objects.add(object);
    return Integer.toString(objects.size() - 1).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public Object read(Role role, byte[] name) {
    Object object = objects.get(Integer.parseInt(new String(name, StandardCharsets.UTF_8)));
    return switch (role) {
      case FINALIZER -> finalizer(object);
      case FREE_CALLBACK ->
          (FreeCallback) (value, closing) -> Objects.requireNonNull(freed).freed(value, closing);
      case NATIVE, THREAD_OBJECT, CODE -> object;
    };
  }

  private Finalizer finalizer(Object object) {
    RootOperations.FinalizerRunner later =
        (element, body, closing) -> Objects.requireNonNull(runner).run(element, body, closing);
    return switch (object) {
      case RootOperations.Own own -> new RootOperations.Own(own.element(), own.body(), later);
      case RootOperations.Lent lent ->
          new RootOperations.Lent(lent.body(), () -> Objects.requireNonNull(finalizers), later);
      default -> throw new AssertionError(object);
    };
  }

  @Override
  public Map<String, GlobalRef> globals() {
    return saved;
  }

  @Override
  public void global(String name, GlobalRef ref) {
    opened.put(Integer.valueOf(name), ref);
  }

  /** The global references of the heap that was opened, by their numbers. */
  Map<Integer, GlobalRef> opened() {
    return opened;
  }
}
