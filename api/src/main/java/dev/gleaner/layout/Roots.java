package dev.gleaner.layout;

import dev.gleaner.spi.HeapContext;

/**
 * The roots of a heap besides what they lead to: the threads (current, main, finalizer), the global
 * references, the finalize list, the built-ins (Duktape, "Heap structure").
 */
public interface Roots {
  /**
   * Calls back for each. What it answers for an element of the finalize list does not count: that
   * list is told by {@link HeapContext#relocate}, with the other tables.
   *
   * @param visitor is given each, and answers where that element is now
   */
  void forEachRoot(RootVisitor visitor);

  /**
   * Names a root, for messages.
   *
   * @param number counts the calls of {@link #forEachRoot} from 0 on
   * @return such as {@code main thread} or {@code global reference 3}
   */
  default String name(int number) {
    return "number " + number;
  }
}
