/** The small interpreter of docs/interpreter.md, as somebody would write it who has a language. */
@NullMarked
package dev.gleaner.it.interpreter;

import org.jspecify.annotations.NullMarked;
