package dev.gleaner.kit.scenario;

/**
 * The slots of a heap frame: the locals of a block, then its temporaries.
 *
 * <p>Invariant: between two statements every temporary is undefined, so the interpreter keeps no
 * element alive.
 */
record FrameLayout(int locals, int temps) {
  int size() {
    return locals + temps;
  }
}
