package dev.gleaner.policy;

import dev.gleaner.heap.FreeCallback;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The Java objects of native elements with their on-free callbacks.
 *
 * <p>A collection only notes what was freed; the callbacks run after it, when the heap is whole.
 */
public final class NativeTable {
  private @Nullable Object[] values = new Object[0];
  private @Nullable FreeCallback[] callbacks = new FreeCallback[0];
  private final Numbers numbers = new Numbers(0);
  private int live;
  private final ArrayDeque<Freed> freed = new ArrayDeque<>(0);

  /** A freed native element's object with its callback. */
  public record Freed(Object value, FreeCallback callback) {}

  /** Makes a table without objects; it takes memory with the first one. */
  public NativeTable() {}

  /** Enters an object; answers its number. */
  public int add(Object value, @Nullable FreeCallback callback) {
    int n = numbers.take();
    if (n == values.length) {
      int capacity = Math.max(8, n * 2);
      values = Arrays.copyOf(values, capacity);
      callbacks = Arrays.copyOf(callbacks, capacity);
    }
    values[n] = value;
    callbacks[n] = callback;
    live++;
    return n;
  }

  public Object get(int n) {
    Object value = values[n];
    if (value == null) {
      throw new IllegalStateException("no native object " + n);
    }
    return value;
  }

  /** Answers the object, or null: while the heap closes, elements outlast theirs. */
  public @Nullable Object find(int n) {
    return values[n];
  }

  public int size() {
    return live;
  }

  /** Notes that the element of an object was freed. */
  public void release(int n) {
    Object value = get(n);
    FreeCallback callback = callbacks[n];
    if (callback != null) {
      freed.add(new Freed(value, callback));
    }
    values[n] = null;
    callbacks[n] = null;
    numbers.release(n);
    live--;
  }

  /** Whether a freed object has a callback to run. */
  public boolean hasFreed() {
    return !freed.isEmpty();
  }

  /** Takes the next freed object that has a callback to run, or null. */
  public @Nullable Freed nextFreed() {
    return freed.poll();
  }
}
