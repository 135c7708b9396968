package dev.gleaner.lua.compiler;

import dev.gleaner.lua.compiler.Syntax.Local;
import org.jspecify.annotations.Nullable;

/** A name or reserved word of a chunk: one object, wherever the chunk has the name. */
final class Name {
  final String text;

  /** {@link Token#NAME}, or that of a reserved word. */
  final int kind;

  /** The innermost local variable of the name that is in scope; of any function. */
  @Nullable Local local;

  Name(String text, int kind) {
    this.text = text;
    this.kind = kind;
  }
}
