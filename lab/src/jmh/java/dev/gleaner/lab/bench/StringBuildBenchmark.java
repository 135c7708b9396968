package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import dev.gleaner.heap.Mutator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Strings made of others: joined, cut out, grown by a character. */
public class StringBuildBenchmark extends Measured {
  private static final int APPENDED = 100_000;
  private static final int LONG = 1000;
  private static final int PART = 50;

  private static String text(int length) {
    return "abcdefghijklmnopqrstuvwxyz".repeat(length / 26 + 1).substring(0, length);
  }

  /** Whether long strings are interned. */
  public abstract static class Interning extends HeapState {
    /** The most bytes of a string that is interned. */
    @Param({"40", "2147483647"})
    public int maxInterned;

    @Override
    protected String settings() {
      return "gleaner.strings.max-interned = " + maxInterned + ", gleaner.memory.max = 256MiB";
    }
  }

  /** Pieces of eight bytes in the slots from 1 on. */
  public static class Pieces extends Interning {
    /** How many. */
    @Param({"2", "8", "100"})
    public int pieces;

    @Override
    protected void make() {
      t.enter(pieces + 1);
      for (int i = 1; i <= pieces; i++) {
        t.newString(i, "piece" + (100 + i));
      }
    }
  }

  /** The same as Java strings. */
  @State(Scope.Thread)
  public static class PlainPieces {
    /** How many. */
    @Param({"2", "8", "100"})
    public int pieces;

    String[] texts = {};

    /** Makes them. */
    @Setup
    public void make() {
      texts = new String[pieces];
      for (int i = 0; i < pieces; i++) {
        texts[i] = "piece" + (101 + i);
      }
    }
  }

  /** A long string in slot 1, one character in slot 2. */
  public static class Text extends Interning {
    @Override
    protected void make() {
      t.newString(1, text(LONG));
      t.newString(2, "x");
      t.newDynamicBuffer(3, APPENDED);
    }
  }

  /** The same in Java. */
  @State(Scope.Thread)
  public static class PlainText {
    String text = text(LONG);
    String x = "x";
  }

  /** Joins pieces. */
  @Benchmark
  public void concat(Pieces state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.concat(0, 1, state.pieces);
    }
  }

  /** Joins Java strings. */
  @Benchmark
  public void plainConcat(PlainPieces state, Blackhole blackhole) {
    for (int i = 0; i < N; i++) {
      StringBuilder all = new StringBuilder();
      for (String text : state.texts) {
        all.append(text);
      }
      blackhole.consume(all.toString());
    }
  }

  /** Cuts 50 bytes out of 1000. */
  @Benchmark
  public void substring(Text state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      int from = i * 7 % (LONG - PART);
      t.substring(0, 1, from, from + PART);
    }
  }

  /** Cuts 50 characters out of 1000. */
  @Benchmark
  public void plainSubstring(PlainText state, Blackhole blackhole) {
    for (int i = 0; i < N; i++) {
      int from = i * 7 % (LONG - PART);
      blackhole.consume(state.text.substring(from, from + PART));
    }
  }

  /** Appends a character to 1000 bytes. */
  @Benchmark
  public void appendToLong(Text state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.concat(0, 1, 2);
    }
  }

  /** Appends a character to 1000. */
  @Benchmark
  public void plainAppendToLong(PlainText state, Blackhole blackhole) {
    for (int i = 0; i < N; i++) {
      blackhole.consume(state.text.concat(state.x));
    }
  }

  /** Appends a character 100,000 times, each time making the string. */
  @Benchmark
  @OperationsPerInvocation(APPENDED)
  public void append(Text state) {
    Mutator t = state.t;
    t.copy(5, 2);
    t.copy(4, 2);
    for (int i = 0; i < APPENDED; i++) {
      t.concat(4, 4, 2);
    }
    t.setUndefined(4);
  }

  /** Appends a character to a buffer 100,000 times, and makes one string. */
  @Benchmark
  @OperationsPerInvocation(APPENDED)
  public void appendToBuffer(Text state) {
    Mutator t = state.t;
    long at = 0;
    for (int i = 0; i < APPENDED; i++) {
      at += t.stringToBuffer(3, at, 2);
    }
    t.stringFromBuffer(4, 3, 0, APPENDED);
  }

  /** Appends a character 100,000 times, each time making the string. */
  @Benchmark
  @OperationsPerInvocation(APPENDED)
  public void plainAppend(PlainText state, Blackhole blackhole) {
    String text = "";
    for (int i = 0; i < APPENDED; i++) {
      text = text.concat(state.x);
    }
    blackhole.consume(text);
  }
}
