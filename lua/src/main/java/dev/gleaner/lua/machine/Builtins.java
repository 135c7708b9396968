package dev.gleaner.lua.machine;

/** Library functions that are made again and again, and must be the same ones. */
final class Builtins {
  static final Builtin NEXT = BasicLibrary::next;
  static final Builtin NEXT_INDEX = BasicLibrary::nextIndex;

  private Builtins() {}
}
