package dev.gleaner.kit.oracle;

import dev.gleaner.layout.Kind;
import java.util.List;

/** Built-ins: what other operations make inside of one. */
final class BuiltinOperations {
  private static final long MOST_BYTES = 8 << 10;

  private final Twin twin;
  private final Lots inside;
  private final boolean any;

  /**
   * @param inside what is done inside: no change of frames or threads
   * @param any whether this program makes any; if not, all of the heap can be given back
   */
  BuiltinOperations(Twin twin, List<Operation> inside, boolean any) {
    this.twin = twin;
    this.inside = new Lots(inside, Operation::weight);
    this.any = any;
  }

  List<Operation> all() {
    return List.of(new Operation("make built-ins", any ? 3 : 0, this::make).unsayable());
  }

  private void make(Dice dice) {
    long bytes = twin.shadow.builtins.stream().mapToLong(ShadowElement::leastBytes).sum();
    if (bytes > MOST_BYTES) {
      return;
    }
    twin.cannotSay("make built-ins");
    twin.heap.makeBuiltins(() -> {
      twin.shadow.makingBuiltins = true;
      try {
        for (int n = dice.below(8); n > 0; n--) {
          inside.roll(dice).action().run(dice);
        }
      } finally {
        twin.shadow.makingBuiltins = false;
        remember();
        twin.script.note("  built-ins end");
      }
    });
  }

  /**
   * Takes weak references to them, by which they can be compared when nothing else refers to them.
   */
  private void remember() {
    for (int i = 0; i < twin.frame().slots.size(); i++) {
      if (twin.get(i) instanceof ShadowElement e
          && e.kind != Kind.INTEGER
          && twin.shadow.builtins.contains(e)
          && !twin.shadow.builtinRefs.containsKey(e)) {
        twin.shadow.builtinRefs.put(e, twin.t.newWeak(i));
      }
    }
  }
}
