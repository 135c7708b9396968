package dev.gleaner.lua;

import dev.gleaner.lua.compiler.Compiler;
import dev.gleaner.lua.compiler.Prototype;
import dev.gleaner.lua.compiler.SyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A chunk that is parsed, to be run in any number of guests. It is immutable; Java threads share
 * it. What a guest has of it counts in the guest's heap, as if it had parsed it.
 */
public final class Script {
  private final Prototype main;
  private final String name;

  private Script(Prototype main, String name) {
    this.main = main;
    this.name = name;
  }

  static Script parse(byte[] text, String name) {
    try {
      return new Script(Compiler.compile(withoutFirstComment(text), name), name);
    } catch (StackOverflowError e) {
      throw new LuaException("stack overflow", "stack overflow", "", e);
    } catch (SyntaxException e) {
      throw failure(e);
    }
  }

  static LuaException failure(SyntaxException e) {
    String bytes = String.valueOf(e.getMessage());
    String message =
        new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    return new LuaException(message, message, "");
  }

  /** A first line that begins with # is for the shell; the numbers of lines stay. */
  static byte[] withoutFirstComment(byte[] text) {
    if (text.length == 0 || text[0] != '#') {
      return text;
    }
    int end = 0;
    while (end < text.length && text[end] != '\n') {
      end++;
    }
    return Arrays.copyOfRange(text, end, text.length);
  }

  Prototype main() {
    return main;
  }

  /** {@return its name, as it was given} */
  public String name() {
    return name;
  }
}
