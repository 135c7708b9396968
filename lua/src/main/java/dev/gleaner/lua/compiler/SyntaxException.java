package dev.gleaner.lua.compiler;

/** A chunk is not valid Lua, or larger than a limit. The message has the position. */
public final class SyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  SyntaxException(String message) {
    super(message, null, false, false);
  }
}
