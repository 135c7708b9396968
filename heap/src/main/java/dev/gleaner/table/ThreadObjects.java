package dev.gleaner.table;

import dev.gleaner.util.Numbers;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The Java objects that are attached to thread elements, by numbers from 1. */
public final class ThreadObjects {
  private @Nullable Object[] objects = new Object[0];
  private final Numbers numbers = new Numbers(0);

  /** Makes a table without objects; it takes memory with the first one. */
  public ThreadObjects() {}

  /**
   * Attaches an object in place of another one.
   *
   * @param n the number of the one that is attached, or 0
   * @param value null to attach none
   * @return its number, or 0
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

  /** Answers an object; null for the number 0. */
  public @Nullable Object get(int n) {
    return n == 0 ? null : objects[n - 1];
  }

  /** Forgets an object, whose thread was freed. */
  public void release(int n) {
    if (n != 0) {
      objects[n - 1] = null;
      numbers.release(n - 1);
    }
  }

  /** Forgets all of them. */
  public void clear() {
    objects = new Object[0];
  }
}
