package dev.gleaner.lua.compiler;

import dev.gleaner.lua.compiler.Syntax.Local;
import org.jspecify.annotations.Nullable;

/** A name or reserved word of a chunk: one object for all occurrences in the chunk. */
final class Name {
  final String text;

  /** {@link Token#NAME}, or the kind of a reserved word. */
  final int kind;

  /** The innermost local variable of the name in scope, in this or an outer function. */
  @Nullable Local local;

  Name(String text, int kind) {
    this.text = text;
    this.kind = kind;
  }
}
