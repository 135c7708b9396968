package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.Map;

/**
 * Objects with property tables that grow, shrink and die, a thousand alive at a time.
 *
 * <pre>
 *   made at step   properties
 *   k              p0 … p7, in slot k % 1000 of a ring
 *   k - 300        p8 … p23 more
 *   k - 600        16 of them deleted, from a random one on, around the end; the other 8 read, and one
 *                  that the prototype of all has
 *   k - 1000       overwritten in the ring
 * </pre>
 *
 * <p>The value of pj is the step of the object's making plus j. The checksum is the sum of what was
 * read, plus the number of properties of each object that is left in the ring. In the baseline an
 * object is a hash map and a prototype.
 */
final class Properties extends NamedWorkload {
  static final int RING = 1000;
  static final int GROWS_AFTER = 300;
  static final int SHRINKS_AFTER = 600;
  static final int KEYS = 24;
  static final int KEYS_AT_FIRST = 8;
  static final int DELETED = 16;
  static final String INHERITED = "inherited";

  private static final int RING_SLOT = KEYS;
  private static final int PROTOTYPE_SLOT = KEYS + 1;
  private static final int INHERITED_SLOT = KEYS + 2;
  private static final int ARGUMENTS = KEYS + 3;
  private static final int OBJECT = ARGUMENTS;
  private static final int VALUE = ARGUMENTS + 1;

  Properties() {
    super(
        "properties",
        "objects with property tables that grow to 24 keys, shrink and die",
        Map.of("n", "1_000_000"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    Mutator t = run.openHeap().mutator();
    t.enter(ARGUMENTS + 1);
    for (int key = 0; key < KEYS; key++) {
      t.newString(key, "p" + key);
    }
    t.newRecord(RING_SLOT, RING);
    t.newObject(PROTOTYPE_SLOT);
    t.newString(INHERITED_SLOT, INHERITED);
    t.setInt(ARGUMENTS, 1);
    t.putProperty(PROTOTYPE_SLOT, INHERITED_SLOT, ARGUMENTS);
    Generator generator = new Generator();
    long sum = 0;
    for (long step = 0; step < n; step += RING) {
      sum += steps(t, generator, (int) step, (int) Math.min(RING, n - step));
      run.progress((double) step / n);
    }
    sum += ringSum(t);
    run.beforeDropping();
    t.leave();
    return sum;
  }

  private static long steps(Mutator t, Generator generator, int from, int steps) {
    long sum = 0;
    t.enter(ARGUMENTS + 2, 0, ARGUMENTS);
    for (int step = from; step < from + steps; step++) {
      t.newObject(OBJECT);
      t.setPrototype(OBJECT, PROTOTYPE_SLOT);
      grow(t, step, 0, KEYS_AT_FIRST);
      t.store(RING_SLOT, step % RING, OBJECT);
      if (step >= GROWS_AFTER) {
        int made = step - GROWS_AFTER;
        t.load(OBJECT, RING_SLOT, made % RING);
        grow(t, made, KEYS_AT_FIRST, KEYS);
      }
      if (step >= SHRINKS_AFTER) {
        t.load(OBJECT, RING_SLOT, (step - SHRINKS_AFTER) % RING);
        sum += shrink(t, generator.index(KEYS));
      }
    }
    t.leave();
    return sum;
  }

  private static void grow(Mutator t, int made, int fromKey, int toKey) {
    for (int key = fromKey; key < toKey; key++) {
      t.setInt(VALUE, made + key);
      t.putProperty(OBJECT, key, VALUE);
    }
  }

  private static long shrink(Mutator t, int firstKey) {
    long sum = 0;
    int key = firstKey;
    for (int i = 0; i < KEYS; i++) {
      if (i < DELETED) {
        t.deleteProperty(OBJECT, key);
      } else {
        t.getProperty(VALUE, OBJECT, key);
        sum += t.getInt(VALUE);
      }
      key = key + 1 == KEYS ? 0 : key + 1;
    }
    t.getProperty(VALUE, OBJECT, INHERITED_SLOT);
    return sum + t.getInt(VALUE);
  }

  private static long ringSum(Mutator t) {
    long sum = 0;
    for (int slot = 0; slot < RING; slot++) {
      t.load(OBJECT, RING_SLOT, slot);
      if (t.isReference(OBJECT)) {
        sum += t.propertyCount(OBJECT);
      }
    }
    return sum;
  }

  @Override
  public JvmBaseline baseline() {
    return new PropertiesBaseline();
  }
}
