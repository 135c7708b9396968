package dev.gleaner.kit.oracle;

import dev.gleaner.layout.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Many indexes at once, where they are in arrays: one step to the program. Among entries they are
 * put one by one, and finalizers may run between.
 */
record IndexOperations(Twin twin) {
  /** Longer arrays take long. */
  private static final int LONGEST = 300;

  List<Operation> all() {
    return List.of(
        new Operation("move indexes", 5, this::move).unsayable().amongCalls(3),
        new Operation("insert an index", 3, this::insert).unsayable().amongCalls(2),
        new Operation("remove an index", 3, this::remove).unsayable().amongCalls(2));
  }

  /** A slot with an object whose indexes are all in its array, or -1. */
  private int find(Dice dice) {
    return twin.find(
        dice,
        v ->
            v instanceof ShadowElement e
                && e.kind == Kind.OBJECT
                && !e.isWeak()
                && e.indexes.length <= LONGEST
                && e.indexes.areAllInArray(e.properties));
  }

  private void move(Dice dice) {
    int o = find(dice);
    int source = dice.chance(50) ? o : find(dice);
    if (o < 0 || source < 0) {
      return;
    }
    ShadowElement e = twin.element(o);
    ShadowElement src = twin.element(source);
    int to = dice.below(e.indexes.length + 3);
    int from = dice.below(src.indexes.length + 3);
    int count = dice.below(20);
    boolean drops = drops(e, to, count);
    if (count == 0 || !canMove(e, to, src, count, drops)) {
      return;
    }
    change(
        "move "
            + count
            + " indexes of "
            + twin.name(source)
            + " from "
            + from
            + " on to "
            + twin.name(o)
            + "["
            + to
            + "]",
        drops,
        () -> twin.t.moveRange(o, to, source, from, count),
        () -> move(e, to, src, from, count));
  }

  private void insert(Dice dice) {
    int o = find(dice);
    int s = twin.slot(dice);
    if (o < 0) {
      return;
    }
    ShadowElement e = twin.element(o);
    int length = e.indexes.length;
    int i = dice.below(length + 1);
    int more = Math.min(e.indexes.array.size(), length - i);
    if (!e.indexes.array.contains(i) || !e.indexes.isDense(length, more)) {
      return; // else it is put, and may be an entry
    }
    change(
        "insert " + twin.value(s) + " as " + twin.name(o) + "[" + i + "]",
        false,
        () -> twin.t.insertAt(o, i, s),
        () -> {
          Object value = twin.get(s);
          move(e, i + 1, e, i, length - i);
          e.putProperty(i, value);
          e.setLength(length + 1);
        });
  }

  private void remove(Dice dice) {
    int o = find(dice);
    if (o < 0 || twin.element(o).indexes.length == 0) {
      return;
    }
    ShadowElement e = twin.element(o);
    int length = e.indexes.length;
    int i = dice.below(length);
    boolean drops = drops(e, i, 1);
    if (!canMove(e, i, e, length - 1 - i, drops)) {
      return;
    }
    change(
        "remove " + twin.name(o) + "[" + i + "]",
        drops,
        () -> twin.t.removeAt(o, i),
        () -> {
          move(e, i, e, i + 1, length - 1 - i);
          e.setLength(length - 1);
        });
  }

  /**
   * What only drops changes the model first, as everywhere. Finalizers do nothing meanwhile: within
   * such an operation there is no order in which the model could have them.
   */
  private void change(String text, boolean drops, Runnable onHeap, Runnable onModel) {
    boolean quiet = twin.quiet;
    twin.quiet = true;
    try {
      twin.cannotSay(text);
      if (drops) {
        onModel.run();
      }
      onHeap.run();
    } finally {
      twin.quiet = quiet;
    }
    if (!drops) {
      onModel.run();
    }
  }

  /** Whether elements may go at once that were in a range. */
  private boolean drops(ShadowElement e, int from, int count) {
    boolean any = false;
    for (int i = from; twin.prompt && i < from + count; i++) {
      any |= e.properties.get(i) instanceof ShadowElement;
    }
    return any;
  }

  /** Whether it is one step that makes room, or drops, but not both. */
  private static boolean canMove(
      ShadowElement e, int to, ShadowElement src, int count, boolean drops) {
    boolean grows = e.indexes.array.isEmpty() || to + count > e.indexes.array.last() + 1;
    int more = Math.min(src.indexes.array.size(), count);
    return !(grows && drops) && (count == 0 || e.indexes.isDense(to + count - 1, more));
  }

  private static void move(ShadowElement e, int to, ShadowElement src, int from, int count) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(src.properties.get(from + i));
    }
    e.writeArray(to, values);
  }
}
