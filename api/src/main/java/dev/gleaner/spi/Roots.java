package dev.gleaner.spi;

/**
 * The roots of a heap besides what they lead to: the threads (current, main, finalizer), the global
 * references, the finalize list, the built-ins (Duktape, "Heap structure").
 */
public interface Roots {
  void forEachRoot(RootVisitor visitor);
}
