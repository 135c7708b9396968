package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import dev.gleaner.heap.Mutator;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Properties of one object under keys of each sort, in random order, beside a hash map. */
public class KeyBenchmark extends Measured {
  private static final int OBJECT = 0;
  private static final int KEYS = 1;
  private static final int KEY = 2;
  private static final int VALUE = 3;

  /** What keys are. */
  public enum Sort {
    /** Strings, interned. */
    STRING,
    /** Integers from 0 on. */
    SMALL,
    /** Integers that are far from each other. */
    SPARSE,
    /** Doubles that are no integers. */
    DOUBLE,
    /** Records. */
    ELEMENT
  }

  /** In which order the keys are asked for: the same for both. */
  private static int[] order(int keys) {
    return new Random(1).ints(N, 0, keys).toArray();
  }

  /** An object with its keys in a record. */
  public static class Entries extends HeapState {
    /** What keys are. */
    @Param public Sort sort;

    /** The number of properties. */
    @Param({"4", "1024", "1000000"})
    public int keys;

    int[] order = {};

    @Override
    protected void make() {
      order = order(keys);
      t.newObject(OBJECT);
      t.newRecord(KEYS, keys);
      t.newRecord(VALUE, 1);
      for (int i = 0; i < keys; i++) {
        switch (sort) {
          case STRING -> t.newString(KEY, "property" + i);
          case SMALL -> t.setInt(KEY, i);
          case SPARSE -> t.setInt(KEY, i * 1009);
          case DOUBLE -> t.setDouble(KEY, i + 0.5);
          case ELEMENT -> t.newRecord(KEY, 1);
        }
        t.store(KEYS, i, KEY);
        t.putProperty(OBJECT, KEY, VALUE);
      }
    }
  }

  /** The same as a hash map. */
  @State(Scope.Thread)
  public static class PlainEntries {
    /** What keys are. */
    @Param public Sort sort;

    /** The number of entries. */
    @Param({"4", "1024", "1000000"})
    public int keys;

    final Map<Object, Object> map = new HashMap<>();
    Object[] keyArray = {};
    int[] order = {};
    Object value = new Object();

    /** Makes it. */
    @Setup
    public void make() {
      order = order(keys);
      keyArray = new Object[keys];
      for (int i = 0; i < keys; i++) {
        keyArray[i] =
            switch (sort) {
              case STRING -> "property" + i;
              case SMALL -> i;
              case SPARSE -> i * 1009;
              case DOUBLE -> i + 0.5;
              case ELEMENT -> new Object();
            };
        map.put(keyArray[i], value);
      }
    }
  }

  /** Loads a key, and reads its property. */
  @Benchmark
  public void get(Entries state) {
    Mutator t = state.t;
    for (int i : state.order) {
      t.load(KEY, KEYS, i);
      t.getProperty(VALUE, OBJECT, KEY);
    }
  }

  /** Loads a key, and writes its property. */
  @Benchmark
  public void put(Entries state) {
    Mutator t = state.t;
    for (int i : state.order) {
      t.load(KEY, KEYS, i);
      t.putProperty(OBJECT, KEY, VALUE);
    }
  }

  /** Loads a key, and reads its entry into a field. */
  @Benchmark
  public void plainGet(PlainEntries state) {
    for (int i : state.order) {
      state.value = state.map.get(state.keyArray[i]);
    }
  }

  /** Loads a key, and writes its entry. */
  @Benchmark
  public void plainPut(PlainEntries state) {
    for (int i : state.order) {
      state.map.put(state.keyArray[i], state.value);
    }
  }
}
