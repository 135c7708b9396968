package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.machine.Arguments;
import java.util.ArrayList;
import java.util.List;

/**
 * The builders of one machine, used again. A function that calls back into Lua may be entered again
 * before its string is done, so there are as many as calls are nested, which is bounded.
 */
final class LibraryTexts {
  private final Mutator t;
  private final List<TextBuilder> builders = new ArrayList<>();
  private int open;

  LibraryTexts(Mutator mutator) {
    t = mutator;
  }

  /** A builder until it is closed; the slot, which is undefined, is for its buffer. */
  TextBuilder open(Arguments a, int buffer) {
    if (open == builders.size()) {
      builders.add(new TextBuilder(t, this));
    }
    TextBuilder text = builders.get(open);
    text.open(a, buffer);
    open++;
    return text;
  }

  /** Gives the builder opened last back. */
  void close() {
    open--;
  }
}
