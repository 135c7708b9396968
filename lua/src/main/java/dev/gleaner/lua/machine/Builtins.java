package dev.gleaner.lua.machine;

/** Library functions that are registered several times, and must stay the same function. */
final class Builtins {
  static final Builtin NEXT = BasicLibrary::next;
  static final Builtin NEXT_INDEX = BasicLibrary::nextIndex;

  private Builtins() {}
}
