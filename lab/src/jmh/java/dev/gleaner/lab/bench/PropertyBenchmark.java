package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import dev.gleaner.heap.Mutator;
import java.util.HashMap;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Properties that exist are read and written, key after key. */
public class PropertyBenchmark extends Measured {

  /**
   * An object in slot 32 with as many properties as asked for; their keys in the slots from 0 on.
   */
  public static class Properties extends HeapState {
    static final int OBJECT = 32;
    static final int VALUE = 33;
    static final int KEY = 34;
    static final int FOUND = 35;

    /** The number of properties. */
    @Param({"4", "24"})
    public int keys;

    @Override
    protected void make() {
      t.newObject(OBJECT);
      for (int key = 0; key < keys; key++) {
        t.newString(key, "property" + key);
        t.newRecord(VALUE, 1);
        t.putProperty(OBJECT, key, VALUE);
      }
    }
  }

  /** The same as a hash map. */
  @State(Scope.Thread)
  public static class PlainProperties {
    /** The number of entries. */
    @Param({"4", "24"})
    public int keys;

    final HashMap<String, Object> map = new HashMap<>();
    final String[] names = new String[Properties.OBJECT];
    Object value = new Object();

    /** Makes it. */
    @Setup
    public void make() {
      for (int key = 0; key < keys; key++) {
        names[key] = "property" + key;
        map.put(names[key], value);
      }
    }
  }

  /** Reads a property. */
  @Benchmark
  public void getProperty(Properties state) {
    Mutator t = state.t;
    int key = 0;
    for (int i = 0; i < N; i++) {
      t.getProperty(Properties.VALUE, Properties.OBJECT, key);
      key = key + 1 == state.keys ? 0 : key + 1;
    }
  }

  /** Writes a property. */
  @Benchmark
  public void putProperty(Properties state) {
    Mutator t = state.t;
    int key = 0;
    for (int i = 0; i < N; i++) {
      t.putProperty(Properties.OBJECT, key, Properties.VALUE);
      key = key + 1 == state.keys ? 0 : key + 1;
    }
  }

  /** Deletes a property and puts it again, at the end. */
  @Benchmark
  public void deleteAndPut(Properties state) {
    Mutator t = state.t;
    int key = 0;
    for (int i = 0; i < N; i++) {
      boolean _ = t.deleteProperty(Properties.OBJECT, key);
      t.putProperty(Properties.OBJECT, key, Properties.VALUE);
      key = key + 1 == state.keys ? 0 : key + 1;
    }
  }

  /** Walks by a cursor, over and over. */
  @Benchmark
  public void nextProperty(Properties state) {
    Mutator t = state.t;
    long cursor = 0;
    for (int i = 0; i < N; i++) {
      cursor =
          Math.max(0, t.nextProperty(Properties.OBJECT, cursor, Properties.KEY, Properties.FOUND));
    }
  }

  /** Walks from key to key, over and over. */
  @Benchmark
  public void nextPropertyAfter(Properties state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      if (!t.nextPropertyAfter(
          Properties.OBJECT, Properties.KEY, Properties.KEY, Properties.FOUND)) {
        t.setUndefined(Properties.KEY);
      }
    }
  }

  /** Reads an entry of a hash map into a field. */
  @Benchmark
  public void plainMapGet(PlainProperties state) {
    Map<String, Object> map = state.map;
    int key = 0;
    for (int i = 0; i < N; i++) {
      state.value = map.get(state.names[key]);
      key = key + 1 == state.keys ? 0 : key + 1;
    }
  }

  /** Writes an entry of a hash map. */
  @Benchmark
  public void plainMapPut(PlainProperties state) {
    Map<String, Object> map = state.map;
    int key = 0;
    for (int i = 0; i < N; i++) {
      map.put(state.names[key], state.value);
      key = key + 1 == state.keys ? 0 : key + 1;
    }
  }
}
