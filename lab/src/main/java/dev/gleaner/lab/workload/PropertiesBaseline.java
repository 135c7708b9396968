package dev.gleaner.lab.workload;

import static dev.gleaner.lab.workload.Properties.DELETED;
import static dev.gleaner.lab.workload.Properties.GROWS_AFTER;
import static dev.gleaner.lab.workload.Properties.INHERITED;
import static dev.gleaner.lab.workload.Properties.KEYS;
import static dev.gleaner.lab.workload.Properties.KEYS_AT_FIRST;
import static dev.gleaner.lab.workload.Properties.RING;
import static dev.gleaner.lab.workload.Properties.SHRINKS_AFTER;

import java.util.HashMap;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** {@link Properties} on plain Java objects: an object is a hash map and a prototype. */
final class PropertiesBaseline implements JvmBaseline {

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    String[] keys = new String[KEYS];
    for (int key = 0; key < KEYS; key++) {
      keys[key] = "p" + key;
    }
    MapObject prototype = new MapObject(null);
    prototype.properties.put(INHERITED, 1);
    @Nullable MapObject[] ring = new MapObject[RING];
    Generator generator = new Generator();
    long sum = 0;
    for (long step = 0; step < n; step += RING) {
      int steps = (int) Math.min(RING, n - step);
      sum += steps(ring, prototype, keys, generator, (int) step, steps);
      run.progress((double) step / n);
    }
    for (MapObject object : ring) {
      sum += object == null ? 0 : object.properties.size();
    }
    return sum;
  }

  private static final class MapObject {
    final HashMap<String, Integer> properties = new HashMap<>();
    final @Nullable MapObject prototype;

    MapObject(@Nullable MapObject prototype) {
      this.prototype = prototype;
    }

    int get(String key) {
      Integer value = properties.get(key);
      return value == null ? Objects.requireNonNull(prototype).get(key) : value;
    }
  }

  private static long steps(
      @Nullable MapObject[] ring,
      MapObject prototype,
      String[] keys,
      Generator generator,
      int from,
      int steps) {
    long sum = 0;
    for (int step = from; step < from + steps; step++) {
      MapObject object = new MapObject(prototype);
      grow(object, keys, step, 0, KEYS_AT_FIRST);
      ring[step % RING] = object;
      if (step >= GROWS_AFTER) {
        int made = step - GROWS_AFTER;
        grow(Objects.requireNonNull(ring[made % RING]), keys, made, KEYS_AT_FIRST, KEYS);
      }
      if (step >= SHRINKS_AFTER) {
        MapObject old = Objects.requireNonNull(ring[(step - SHRINKS_AFTER) % RING]);
        sum += shrink(old, keys, generator.index(KEYS));
      }
    }
    return sum;
  }

  private static void grow(MapObject object, String[] keys, int made, int fromKey, int toKey) {
    for (int key = fromKey; key < toKey; key++) {
      object.properties.put(keys[key], made + key);
    }
  }

  private static long shrink(MapObject object, String[] keys, int firstKey) {
    long sum = 0;
    int key = firstKey;
    for (int i = 0; i < KEYS; i++) {
      if (i < DELETED) {
        object.properties.remove(keys[key]);
      } else {
        sum += object.get(keys[key]);
      }
      key = key + 1 == KEYS ? 0 : key + 1;
    }
    return sum + object.get(INHERITED);
  }
}
