package dev.gleaner.table;

import dev.gleaner.util.Numbers;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The Java objects of native elements with their on-free callbacks.
 *
 * <p>A collection only notes the freed objects. Their callbacks run after the collection, when the
 * heap is whole. If a finalizer or callback made a native, the callback of that native runs in a
 * later operation of the program.
 */
public final class NativeTable {
  private @Nullable Object[] values = new Object[0];
  private @Nullable Object[] callbacks = new Object[0];
  private long[] operations = new long[0];
  private final Numbers numbers = new Numbers(0);
  private int live;
  private final ArrayDeque<Freed> freed = new ArrayDeque<>(0);
  private final ArrayDeque<Freed> postponed = new ArrayDeque<>(0);

  /** The number of an element that has outlived its object, while the heap closes. */
  public static final int NONE = -1;

  /**
   * A freed native element's object with its callback.
   *
   * @param operation the program's operation in which a finalizer or callback made the native; or 0
   */
  public record Freed(Object value, Object callback, long operation) {}

  /** Makes an empty table. The table takes memory with its first object. */
  public NativeTable() {}

  /** Enters an object; returns its number. */
  public int add(Object value, @Nullable Object callback) {
    return add(value, callback, 0);
  }

  /**
   * Enters an object; returns its number.
   *
   * @param operation the program's operation in which a finalizer or callback makes the native; or
   *     0
   */
  public int add(Object value, @Nullable Object callback, long operation) {
    if (numbers.bound() == values.length) {
      grow(Math.max(8, values.length * 2));
    }
    int n = numbers.take();
    values[n] = value;
    callbacks[n] = callback;
    operations[n] = operation;
    live++;
    return n;
  }

  /** Grows all arrays or none, even if the JVM has no memory for one of them. */
  private void grow(int capacity) {
    @Nullable Object[] moreValues = Arrays.copyOf(values, capacity);
    @Nullable Object[] moreCallbacks = Arrays.copyOf(callbacks, capacity);
    operations = Arrays.copyOf(operations, capacity);
    values = moreValues;
    callbacks = moreCallbacks;
  }

  public Object get(int n) {
    Object value = find(n);
    if (value == null) {
      throw new IllegalStateException("no native object " + n);
    }
    return value;
  }

  /** Returns the object; null if the heap is closing, as an element may outlive its object then. */
  public @Nullable Object find(int n) {
    return n == NONE ? null : values[n];
  }

  /** Returns the on-free callback of an object, or null. */
  public @Nullable Object callback(int n) {
    return callbacks[n];
  }

  public int size() {
    return live;
  }

  /** Notes that the element of an object was freed. */
  public void release(int n) {
    if (n == NONE) {
      return;
    }
    Object value = get(n);
    Object callback = callbacks[n];
    if (callback != null) {
      freed.add(new Freed(value, callback, operations[n]));
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

  /**
   * Takes the next freed object that has a callback to run, or null.
   *
   * @param operation the present operation; objects that were made in it wait for the next
   *     operation
   */
  public @Nullable Freed nextFreed(long operation) {
    Freed f = freed.poll();
    while (f != null && f.operation == operation) {
      postponed.add(f);
      f = freed.poll();
    }
    return f;
  }

  /** Makes the postponed objects due. */
  public void resumePostponed() {
    while (!postponed.isEmpty()) {
      freed.addFirst(postponed.removeLast());
    }
  }
}
