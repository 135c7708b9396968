package dev.gleaner.kit;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Weakness;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Objects with indexes, and operations that change many of them at once: for {@link RefusalRules},
 * which refuses each request for memory that one of these makes.
 *
 * <pre>
 *   shape       where indexes are: in an array, among the entries, in both, in a weak table; fixed by
 *               a walk; so many that the next one that is put has them counted, and moved
 *   operation   inserts, removes, moves within the object, from another one, to another one
 * </pre>
 */
record RangeRefusals(int object, int other, int key, int value) {
  /** Shapes that are drawn by lot. */
  private static final int DRAWN = 6;

  private static final int LONGEST = 60;

  /** What makes an object in the one slot, and another one in the other. */
  Map<String, Consumer<Mutator>> shapes() {
    Map<String, Consumer<Mutator>> all = new LinkedHashMap<>();
    all.put("sparse", t -> put(t, object, 20, 22, 30, 31, 33));
    all.put("in an array and sparse", t -> put(t, object, 0, 1, 2, 3, 20, 30, 31));
    all.put("far", t -> put(t, object, 50, 51));
    all.put(
        "fixed",
        t -> {
          put(t, object, 0, 1, 8, 20, 22, 24);
          boolean _ = t.nextProperty(object, 0, key, value) < 0;
        });
    all.put("to be counted", t -> put(t, object, 7, 6, 5));
    all.put("to be counted beside an array", t -> put(t, object, 0, 1, 9, 8, 7, 20));
    all.put("array of holes", this::holes);
    all.put(
        "weak",
        t -> {
          t.newWeakObject(object, Weakness.VALUES);
          fill(t, object, 1, 2, 3, 7, 9, 10);
        });
    for (int i = 0; i < DRAWN; i++) {
      long seed = i;
      all.put("drawn, " + i, t -> draw(t, new SplittableRandom(seed)));
    }
    return all;
  }

  private void put(Mutator t, int o, int... indexes) {
    t.newObject(o);
    fill(t, o, indexes);
  }

  private void fill(Mutator t, int o, int... indexes) {
    for (int i : indexes) {
      t.setInt(value, 1000 + i);
      t.putIndex(o, i, value);
    }
    if (o == object) {
      put(t, other, 0, 1, 3, 20, 22);
    }
  }

  /** An array whose middle is thin, so that an index there is put among the entries. */
  private void holes(Mutator t) {
    t.newObject(object);
    fill(t, object, range(0, LONGEST));
    delete(t, 18, LONGEST - 1);
  }

  private void delete(Mutator t, int from, int to) {
    for (int i = from; i < to; i++) {
      t.setInt(key, i);
      boolean _ = t.deleteProperty(object, key);
    }
  }

  private static int[] range(int from, int to) {
    int[] all = new int[to - from];
    for (int i = 0; i < all.length; i++) {
      all[i] = from + i;
    }
    return all;
  }

  private void draw(Mutator t, RandomGenerator random) {
    t.newObject(object, 0, random.nextInt(3), random.nextInt(3));
    put(t, other, random.ints(random.nextInt(8), 0, LONGEST).toArray());
    for (int step = 0; step < 40; step++) {
      int at = random.nextInt(LONGEST);
      switch (random.nextInt(12)) {
        case 0 -> delete(t, at, at + random.nextInt(20));
        case 1 -> t.setArrayLength(object, Math.max(at, t.arrayLength(object) / 2));
        case 2 -> {
          t.newString(key, "key " + at);
          t.putProperty(object, key, key);
        }
        case 3 -> {
          if (random.nextInt(4) == 0) {
            boolean _ = t.nextProperty(object, 0, key, value) < 0;
          }
        }
        case 4, 5, 6 -> {
          t.setInt(value, step);
          t.putIndex(object, t.arrayLength(object), value);
        }
        default -> {
          t.setInt(value, step);
          t.putIndex(object, at, value);
        }
      }
    }
  }

  /** What is done to any of these; an object that is shorter than it takes has nothing done. */
  Map<String, Consumer<Mutator>> operations() {
    Map<String, Consumer<Mutator>> all = new LinkedHashMap<>();
    for (int percent : List.of(0, 85)) {
      all.put("insertAt " + percent + " %", t -> t.insertAt(object, at(t, percent), value));
      all.put(
          "removeAt " + percent + " %",
          t -> {
            if (t.arrayLength(object) > 0) {
              t.removeAt(object, Math.min(at(t, percent), t.arrayLength(object) - 1));
            }
          });
    }
    all.put("insertAt the end", t -> t.insertAt(object, t.arrayLength(object), value));
    all.put("moveRange up", t -> t.moveRange(object, 5, object, 0, 40));
    all.put("moveRange down", t -> t.moveRange(object, 1, object, 3, 40));
    all.put("moveRange away", t -> t.moveRange(object, 61, object, 0, 30));
    all.put("moveRange from another", t -> t.moveRange(object, 2, other, 0, 30));
    all.put("moveRange to another", t -> t.moveRange(other, 4, object, 0, LONGEST));
    all.put("setArrayLength", t -> t.setArrayLength(object, 8));
    all.put("setWeakness", t -> t.setWeakness(object, Weakness.BOTH));
    return all;
  }

  private int at(Mutator t, int percent) {
    return t.arrayLength(object) * percent / 100;
  }
}
