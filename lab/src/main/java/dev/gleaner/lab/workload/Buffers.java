package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Dynamic buffers of 16 B to 64 KiB, a thousand alive at a time, resized at random: their memory
 * ends up in pieces of all sizes.
 *
 * <p>A step draws an index of the ring, a size, and, if a buffer is there, whether it is replaced
 * (one in four) or resized. Sizes are multiples of 8, spread over the powers of two, 16 B as likely
 * as 32 KiB. Then the step's number is written to the first and the last 8 bytes.
 *
 * <p>The checksum is the sum, over the resized ones, of the size before, the first 8 bytes before,
 * and the last 8 bytes of the part kept, after: they are the number of a step or, where nothing was
 * written, 0.
 */
final class Buffers extends NamedWorkload {
  private static final int RING = 1000;
  private static final int LEAST_SIZE = 16;
  private static final int DOUBLINGS = 12;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  Buffers() {
    super(
        "buffers", "dynamic buffers of 16 B to 64 KiB resized at random", Map.of("n", "1_000_000"));
  }

  private static int size(Generator generator) {
    int power = LEAST_SIZE << generator.index(DOUBLINGS);
    return (power + generator.index(power)) & -8;
  }

  private static boolean replaced(Generator generator) {
    return generator.index(4) == 0;
  }

  private static int lastWord(int size) {
    return size - 8;
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    Mutator t = run.openHeap().mutator();
    t.enter(1);
    t.newRecord(0, RING);
    Generator generator = new Generator();
    long sum = inBatches(run, n, (from, count) -> steps(t, generator, from, count));
    run.beforeDropping();
    t.leave();
    return sum;
  }

  private static long steps(Mutator t, Generator generator, int from, int steps) {
    long sum = 0;
    t.enter(2, 0, 1);
    for (int step = from; step < from + steps; step++) {
      int slot = generator.index(RING);
      int size = size(generator);
      t.load(1, 0, slot);
      if (!t.isReference(1) || replaced(generator)) {
        t.newDynamicBuffer(1, size);
        t.store(0, slot, 1);
      } else {
        int old = (int) t.bufferSize(1);
        sum += old + t.getLong(1, 0);
        t.resizeBuffer(1, size);
        sum += t.getLong(1, lastWord(Math.min(old, size)));
      }
      t.putLong(1, 0, step);
      t.putLong(1, lastWord(size), step);
    }
    t.leave();
    return sum;
  }

  @Override
  public JvmBaseline baseline() {
    return run -> {
      int n = run.parameters().integer("n");
      byte[] @Nullable [] ring = new byte[RING][];
      Generator generator = new Generator();
      return inBatches(run, n, (from, count) -> steps(ring, generator, from, count));
    };
  }

  private static long steps(byte[] @Nullable [] ring, Generator generator, int from, int steps) {
    long sum = 0;
    for (int step = from; step < from + steps; step++) {
      int slot = generator.index(RING);
      int size = size(generator);
      byte[] buffer = ring[slot];
      if (buffer == null || replaced(generator)) {
        buffer = new byte[size];
      } else {
        int old = buffer.length;
        sum += old + (long) WORD.get(buffer, 0);
        buffer = Arrays.copyOf(buffer, size);
        sum += (long) WORD.get(buffer, lastWord(Math.min(old, size)));
      }
      ring[slot] = buffer;
      WORD.set(buffer, 0, (long) step);
      WORD.set(buffer, lastWord(size), (long) step);
    }
    return sum;
  }
}
