package dev.gleaner.table;

import dev.gleaner.util.Numbers;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The Java objects that are attached to thread elements, numbered from 1. */
public final class ThreadObjects {
  private @Nullable Object[] objects = new Object[0];
  private final Numbers numbers = new Numbers(0);

  /** Makes an empty table. The table takes memory with its first object. */
  public ThreadObjects() {}

  /**
   * Attaches an object in place of another object.
   *
   * @param n the number of the attached object; 0 if no object is attached
   * @param value null to attach no object
   * @return the number of {@code value}; 0 for no object
   */
  public int set(int n, @Nullable Object value) {
    if (value == null) {
      release(n);
      return 0;
    }
    int number = n == 0 ? numbers.take() + 1 : n;
    if (number > objects.length) {
      objects = Arrays.copyOf(objects, Math.max(8, number * 2));
    }
    objects[number - 1] = value;
    return number;
  }

  /** Returns an object; null for the number 0. */
  public @Nullable Object get(int n) {
    return n == 0 ? null : objects[n - 1];
  }

  /** Forgets the object of a freed thread. */
  public void release(int n) {
    if (n != 0) {
      objects[n - 1] = null;
      numbers.release(n - 1);
    }
  }

  /** Forgets all objects. */
  public void clear() {
    objects = new Object[0];
  }
}
