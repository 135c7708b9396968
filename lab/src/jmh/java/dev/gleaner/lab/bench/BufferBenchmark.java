package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import dev.gleaner.heap.Mutator;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Buffers of N longs: a fixed one in slot 0, a dynamic one in slot 1. */
public class BufferBenchmark extends Measured {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  /** The buffers. */
  public static class Buffers extends HeapState {
    @Override
    protected void make() {
      t.newBuffer(0, N * 8L);
      t.newDynamicBuffer(1, N * 8L);
    }
  }

  /** The same as a byte array. */
  @State(Scope.Thread)
  public static class PlainBuffers {
    final byte[] array = new byte[N * 8];
  }

  /** Reads a long of a fixed buffer. */
  @Benchmark
  public long getLong(Buffers state) {
    Mutator t = state.t;
    long sum = 0;
    for (int i = 0; i < N; i++) {
      sum += t.getLong(0, i * 8L);
    }
    return sum;
  }

  /** Writes a long of a fixed buffer. */
  @Benchmark
  public void putLong(Buffers state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.putLong(0, i * 8L, i);
    }
  }

  /** Reads a long of a dynamic buffer. */
  @Benchmark
  public long getLongDynamic(Buffers state) {
    Mutator t = state.t;
    long sum = 0;
    for (int i = 0; i < N; i++) {
      sum += t.getLong(1, i * 8L);
    }
    return sum;
  }

  /** Writes a long of a dynamic buffer. */
  @Benchmark
  public void putLongDynamic(Buffers state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.putLong(1, i * 8L, i);
    }
  }

  /** Reads a byte of a fixed buffer. */
  @Benchmark
  public long getByte(Buffers state) {
    Mutator t = state.t;
    long sum = 0;
    for (int i = 0; i < N; i++) {
      sum += t.getByte(0, i);
    }
    return sum;
  }

  /** Writes a byte of a fixed buffer. */
  @Benchmark
  public void putByte(Buffers state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.putByte(0, i, (byte) i);
    }
  }

  /** Reads a long of a byte array. */
  @Benchmark
  public long plainGetLong(PlainBuffers state) {
    long sum = 0;
    for (int i = 0; i < N; i++) {
      sum += (long) LONGS.get(state.array, i * 8);
    }
    return sum;
  }

  /** Writes a long of a byte array. */
  @Benchmark
  public void plainPutLong(PlainBuffers state) {
    for (int i = 0; i < N; i++) {
      LONGS.set(state.array, i * 8, (long) i);
    }
  }

  /** Reads a byte of a byte array. */
  @Benchmark
  public long plainGetByte(PlainBuffers state) {
    long sum = 0;
    for (int i = 0; i < N; i++) {
      sum += state.array[i];
    }
    return sum;
  }

  /** Writes a byte of a byte array. */
  @Benchmark
  public void plainPutByte(PlainBuffers state) {
    for (int i = 0; i < N; i++) {
      state.array[i] = (byte) i;
    }
  }
}
