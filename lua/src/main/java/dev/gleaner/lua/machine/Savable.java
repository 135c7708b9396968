package dev.gleaner.lua.machine;

import org.jspecify.annotations.Nullable;

/** A Java object of a library that an image may name. */
public interface Savable {
  /** {@return the name in an image, by which the library finds it again; null if it has none} */
  @Nullable String savedName();

  /** {@return what it is, for the message that it cannot be saved} */
  String describe();
}
