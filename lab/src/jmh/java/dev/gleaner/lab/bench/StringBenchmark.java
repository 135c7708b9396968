package dev.gleaner.lab.bench;

import static dev.gleaner.lab.bench.HeapState.N;

import dev.gleaner.heap.Mutator;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Interning of strings that are there already. */
public class StringBenchmark extends Measured {

  private static final int LENGTH = 9;

  private static String[] texts() {
    String[] texts = new String[N];
    Arrays.setAll(texts, i -> "key%06d".formatted(i * 7919 % 1_000_000));
    return texts;
  }

  /** N strings of nine bytes, held by the array record in slot 0. */
  public static class Strings extends HeapState {
    final String[] texts = texts();
    final byte[] bytes = String.join("", texts).getBytes(StandardCharsets.US_ASCII);

    @Override
    protected void make() {
      t.newRecord(0, N);
      for (int i = 0; i < N; i++) {
        t.newString(1, texts[i]);
        t.store(0, i, 1);
      }
    }
  }

  /** The same in a hash map. */
  @State(Scope.Thread)
  public static class PlainStrings {
    final String[] texts = texts();
    final byte[] bytes = String.join("", texts).getBytes(StandardCharsets.US_ASCII);
    final HashMap<String, String> map = new HashMap<>();

    /** Makes it. */
    @Setup
    public void make() {
      for (String text : texts) {
        map.put(text, text);
      }
    }
  }

  /** Finds the string of some bytes. */
  @Benchmark
  public void internHit(Strings state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.newString(1, state.bytes, i * LENGTH, LENGTH);
    }
  }

  /** Finds the string of a Java string. */
  @Benchmark
  public void internHitText(Strings state) {
    Mutator t = state.t;
    for (int i = 0; i < N; i++) {
      t.newString(1, state.texts[i]);
    }
  }

  /** Makes a Java string of some bytes and finds it in a hash map. */
  @Benchmark
  public void plainMapHit(PlainStrings state, Blackhole blackhole) {
    for (int i = 0; i < N; i++) {
      String text = new String(state.bytes, i * LENGTH, LENGTH, StandardCharsets.ISO_8859_1);
      blackhole.consume(state.map.get(text));
    }
  }

  /** Finds a Java string, whose hash is known, in a hash map. */
  @Benchmark
  public void plainMapHitText(PlainStrings state, Blackhole blackhole) {
    for (int i = 0; i < N; i++) {
      blackhole.consume(state.map.get(state.texts[i]));
    }
  }
}
