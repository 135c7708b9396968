package dev.gleaner.lua.machine;

/** What is known of a {@link CompiledBody}, for all that run none. */
abstract class Body {
  /** The entries, by instruction: the first instruction, heads of loops, and others. */
  boolean[] entries = {};

  /** The size of the class, in bytes. */
  int bytes;

  /** Whether the body computes with numbers in Java locals. */
  boolean holdsNumbers;

  /** Whether the interpreter came in lately. Guests share this field, so writes are rare. */
  boolean used;
}
