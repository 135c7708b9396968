package dev.gleaner.lua.compiler;

/** A chunk is no Lua, or larger than a limit; the message has its place. */
public final class SyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  SyntaxException(String message) {
    super(message, null, false, false);
  }
}
