package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.ValueType;
import dev.gleaner.layout.Values;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * What a guest's instruction does, on larger steps and on small ones. Slot 0 has an object whose
 * array part has N integers, slot 1 an index, slot 2 an integer, slot 4 the name of its property.
 */
public class ValueBenchmark extends Measured {
  private static final int OBJECT = 0;
  private static final int INDEX = 1;
  private static final int INT = 2;
  private static final int D = 3;
  private static final int NAME = 4;

  /** The heap with its object. */
  public static class Objects extends HeapState {
    GlobalRef name;

    @Override
    protected void make() {
      t.newObject(OBJECT);
      t.setInt(INT, 1);
      t.setInt(D, 1);
      for (int i = 0; i < N; i++) {
        t.putIndex(OBJECT, i, INT);
      }
      t.newString(NAME, "name");
      t.putProperty(OBJECT, NAME, INT);
      name = heap.newGlobal();
      t.setGlobal(name, NAME);
    }
  }

  /** Adds two integers: their values, to switch on. */
  @Benchmark
  public void add(Objects state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      long x = t.get(INT);
      long y = t.get(D);
      if (Values.isInt(x) && Values.isInt(y)) {
        t.set(D, Values.ofInt(Values.toInt(x) + Values.toInt(y)));
      }
    }
  }

  /** The same with types and values. */
  @Benchmark
  public void addInSmallSteps(Objects state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      if (t.type(INT) == ValueType.INT && t.type(D) == ValueType.INT) {
        t.setInt(D, t.getInt(INT) + t.getInt(D));
      }
    }
  }

  /** Looks an index up. */
  @Benchmark
  public void index(Objects state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.set(INDEX, Values.ofInt(i));
      long _ = t.lookUp(D, OBJECT, INDEX);
    }
  }

  /** The same with a test that it is an object, one that the index is an integer, and a read. */
  @Benchmark
  public void indexInSmallSteps(Objects state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.setInt(INDEX, i);
      if (isObject(t) && t.type(INDEX) == ValueType.INT) {
        t.getIndex(D, OBJECT, t.getInt(INDEX));
      }
    }
  }

  private static boolean isObject(Mutator t) {
    return t.isReference(OBJECT) && t.kind(OBJECT) == Kind.OBJECT;
  }

  /** Stores at an index. */
  @Benchmark
  public void storeIndex(Objects state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.set(INDEX, Values.ofInt(i));
      boolean _ = t.update(OBJECT, INDEX, INT);
    }
  }

  /** The same in small steps. */
  @Benchmark
  public void storeIndexInSmallSteps(Objects state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.setInt(INDEX, i);
      if (isObject(t) && t.type(INDEX) == ValueType.INT) {
        t.putIndex(OBJECT, t.getInt(INDEX), INT);
      }
    }
  }

  /** Looks a name up. */
  @Benchmark
  public void name(Objects state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      long _ = t.lookUp(D, OBJECT, state.name);
    }
  }

  /** The same in small steps. */
  @Benchmark
  public void nameInSmallSteps(Objects state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      if (isObject(t)) {
        t.getGlobal(NAME, state.name);
        t.getProperty(D, OBJECT, NAME);
      }
    }
  }
}
