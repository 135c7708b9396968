package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import dev.gleaner.heap.Mutator;
import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Records of two slots, and arrays. */
public class RecordBenchmark extends Measured {
  private static final int FIRST_OTHER = 8;
  private static final int OTHERS = 32;

  /**
   * In slot 0 an array of N records, in slot 1 one of them: their first slots form a ring, the
   * second have integers. In slot 2 an array to be stored into, in slot 3 one of integers; slot 4
   * is free; others of the records are in the slots from {@link #FIRST_OTHER} on.
   */
  public static class Records extends HeapState {
    int turn;

    @Override
    protected void make() {
      t.newRecord(0, N);
      t.newRecord(2, N);
      t.newRecord(3, N);
      for (int i = 0; i < N; i++) {
        t.newRecord(1, 2);
        t.storeInt(1, 1, i);
        t.store(0, i, 1);
        t.storeInt(3, i, i);
      }
      for (int i = 0; i < N; i++) {
        t.load(1, 0, i);
        t.load(4, 0, (i + 1) % N);
        t.store(1, 0, 4);
      }
      for (int i = 0; i < OTHERS; i++) {
        t.load(FIRST_OTHER + i, 0, i);
      }
    }
  }

  private static final class Node {
    Node next;
    int number;
  }

  /** The same as plain Java objects; a field stands for the slot. */
  @State(Scope.Thread)
  public static class PlainRecords {
    final Node[] array = new Node[N];
    final Node[] target = new Node[N];
    final int[] integers = new int[N];
    Node slot;

    /** Makes them. */
    @Setup
    public void make() {
      Arrays.setAll(array, i -> new Node());
      Arrays.setAll(integers, i -> i);
      for (int i = 0; i < N; i++) {
        array[i].next = array[(i + 1) % N];
        array[i].number = i;
      }
      slot = array[0];
    }
  }

  /** Makes records of two slots, each dropped for the next; collections included. */
  @Benchmark
  public void newRecord(Records state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.newRecord(4, 2);
    }
  }

  /** Loads each of an array's references into a slot. */
  @Benchmark
  public void load(Records state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.load(4, 0, i);
    }
  }

  /** Follows references around the ring. */
  @Benchmark
  public void loadNext(Records state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.load(1, 1, 0);
    }
  }

  /** Stores a reference into each slot of an array, over the one that is there. */
  @Benchmark
  public void store(Records state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.store(2, i, 1);
    }
  }

  /** Stores another reference into each slot than is there: under counting two counts change. */
  @Benchmark
  public void storeAnother(Records state) {
    Mutator t = state.t;
    int turn = state.turn++;
    for (int i = 0; i < N; i++) {
      t.store(2, i, FIRST_OTHER + (i + turn) % OTHERS);
    }
  }

  /**
   * As {@link #store}, with a call that is not inlined here and there, as any program has: the
   * compiler keeps no field of the thread in a register around it.
   */
  @Benchmark
  public void storeAmongCalls(Records state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.store(2, i, 1);
      if ((i & 255) == 255) {
        called(t);
      }
    }
  }

  @CompilerControl(CompilerControl.Mode.DONT_INLINE)
  private static void called(Mutator t) {
    if (t.isNull(1)) {
      throw new IllegalStateException();
    }
  }

  /** Reads integers of an array. */
  @Benchmark
  public long loadInt(Records state) {
    Mutator t = state.t;
    long sum = 0;
    for (int i = 0; i < N; i++) {
      sum += t.loadInt(3, i);
    }
    return sum;
  }

  /** Writes integers into an array. */
  @Benchmark
  public void storeInt(Records state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.storeInt(3, i, i);
    }
  }

  /** Makes nodes, each dropped for the next; collections included. */
  @Benchmark
  public void plainNew(PlainRecords state) {
    for (int i = 0; i < N; i++) {
      state.slot = new Node();
    }
  }

  /** Loads each of an array's references. */
  @Benchmark
  public void plainLoad(PlainRecords state, Blackhole blackhole) {
    for (int i = 0; i < N; i++) {
      blackhole.consume(state.array[i]);
    }
  }

  /** Follows references around the ring. */
  @Benchmark
  public void plainLoadNext(PlainRecords state) {
    for (int i = 0; i < N; i++) {
      state.slot = state.slot.next;
    }
  }

  /** Stores a reference into each slot of an array. */
  @Benchmark
  public void plainStore(PlainRecords state) {
    for (int i = 0; i < N; i++) {
      state.target[i] = state.slot;
    }
  }

  /** Reads integers of an array. */
  @Benchmark
  public long plainLoadInt(PlainRecords state) {
    long sum = 0;
    for (int i = 0; i < N; i++) {
      sum += state.integers[i];
    }
    return sum;
  }

  /** Writes integers into an array. */
  @Benchmark
  public void plainStoreInt(PlainRecords state) {
    for (int i = 0; i < N; i++) {
      state.integers[i] = i;
    }
  }
}
