package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.kit.oracle.Dice;
import dev.gleaner.testing.Tier;
import dev.gleaner.trace.TraceException;
import dev.gleaner.trace.TraceFile;
import dev.gleaner.trace.TraceTable;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Traces that are cut off or damaged: an error that says where, or a replay. {@code
 * -Dgleaner.test.mutations=…} makes more of them, {@code -Dgleaner.seed=…} others.
 */
@Tag("seeds")
class TraceDamageTest {
  private static final int MUTATIONS = Tier.number("gleaner.test.mutations", 1_000, 5_000);

  /** For one trace, by the thread that reads it and does it again. */
  private static final long MOST_BYTES = 32L << 20;

  private static final int PREAMBLE = 12;
  private static final int HEAD = 24;

  @TempDir private Path dir;

  /** A trace that begins with an image. */
  private byte[] traceOfOpened() throws Exception {
    NumberedObjects bound = new NumberedObjects();
    Path file = dir.resolve("opened.trace");
    HeapImage image;
    try (Heap heap = Installed.open("marksweep", "memory.max = 1 MiB")) {
      RandomTrace.run(heap, Dice.seed(), 300);
      image = heap.image(bound);
    }
    try (Heap heap =
        Installed.factory("marksweep", "memory.max = 1 MiB\n" + Traces.setting(file))
            .open(image, bound)) {
      RandomTrace.run(heap, Dice.seed(), 30);
    }
    return Files.readAllBytes(file);
  }

  private byte[] trace() throws Exception {
    Path file = dir.resolve("whole.trace");
    long seed = Dice.seed();
    Path _ =
        Traces.record(
            "marksweep", "memory.max = 1 MiB", file, (heap, t) -> RandomTrace.run(heap, seed, 300));
    return Files.readAllBytes(file);
  }

  @Test
  void whereverItIsCutOffTheErrorSaysSo() throws Exception {
    byte[] whole = trace();
    Path file = dir.resolve("cut.trace");
    for (int n = 0; n < whole.length; n++) {
      Files.write(file, Arrays.copyOf(whole, n));
      int length = n;
      assertThatThrownBy(() -> new TraceFile(file, TraceTable.of(Heap.class)).close())
          .as("%d bytes", n)
          .isInstanceOfSatisfying(
              TraceException.class,
              e -> {
                assertThat(e.offset()).isBetween(0L, (long) length);
                assertThat(e).hasMessageContaining("byte " + e.offset() + ": ");
              });
    }
    Files.write(file, whole);
    new TraceFile(file, TraceTable.of(Heap.class)).close();
    Files.write(file, Arrays.copyOf(whole, whole.length + 1));
    assertThatThrownBy(() -> new TraceFile(file, TraceTable.of(Heap.class)).close())
        .hasMessageContaining("byte " + whole.length + ": something follows the end");
  }

  @Test
  void aBitThatChangedIsFound() throws Exception {
    byte[] whole = trace();
    Path file = dir.resolve("bit.trace");
    for (int i = 0; i < whole.length; i++) {
      byte[] copy = whole.clone();
      copy[i] ^= (byte) (1 << (i % 8));
      Files.write(file, copy);
      assertThatThrownBy(() -> new TraceFile(file, TraceTable.of(Heap.class)).close())
          .as("byte %d", i)
          .isInstanceOf(TraceException.class);
    }
  }

  /** Also where the checksums are right, as of a writer that is wrong. */
  @Test
  void whateverIsInItNothingWorseThanAnErrorHappens() throws Exception {
    byte[] plain = trace();
    byte[] opened = traceOfOpened();
    Path file = dir.resolve("mutated.trace");
    HeapFactory factory = Installed.factory("marksweep", "memory.max = 1 MiB");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Dice dice = new Dice(Dice.seed());
    int done = 0;
    for (int i = 0; i < MUTATIONS; i++) {
      byte[] mutated = mutate(i % 3 == 0 ? opened : plain, dice, i % 4 != 0);
      Files.write(file, mutated);
      long before = threads.getCurrentThreadAllocatedBytes();
      try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class))) {
        Traces.Result result = Traces.replay(trace, factory);
        assertThat(result.violations()).isEmpty();
        done++;
      } catch (TraceException e) {
        assertThat(e.offset()).isBetween(0L, (long) mutated.length);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("mutation " + i + " of seed " + Dice.seed(), e);
      }
      assertThat(threads.getCurrentThreadAllocatedBytes() - before)
          .as("mutation %d", i)
          .isLessThan(MOST_BYTES);
    }
    assertThat(done).isBetween(MUTATIONS / 20, MUTATIONS * 3 / 4);
  }

  /** The trace's own checksum is right, so it is the image that is looked at. */
  @Test
  void anImageThatChangedIsRefusedWithItsPlace() throws Exception {
    byte[] whole = traceOfOpened();
    int block = firstBlock(whole);
    int length = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getInt(block);
    Path file = dir.resolve("image.trace");
    HeapFactory factory = Installed.factory("hybrid", "");
    for (int at = block + HEAD; at < block + HEAD + length; at += 7) {
      byte[] changed = whole.clone();
      changed[at] ^= 4;
      Files.write(file, repair(changed, whole));
      try (TraceFile trace = new TraceFile(file, TraceTable.of(Heap.class))) {
        assertThatThrownBy(() -> Traces.replay(trace, factory))
            .as("byte %d", at - block)
            .isInstanceOf(TraceException.class)
            .hasMessageContaining("byte " + block + ": the image of the heap: ");
      }
    }
  }

  /** Changes, removes or repeats some bytes behind the header. */
  private static byte[] mutate(byte[] whole, Dice dice, boolean repaired) {
    byte[] bytes = whole.clone();
    int first = repaired ? firstBlock(whole) : 0;
    for (int n = dice.between(1, 3); n > 0; n--) {
      int at = dice.between(first, bytes.length - 1);
      switch (dice.below(4)) {
        case 0 -> bytes[at] = (byte) dice.next();
        case 1 -> bytes[at] ^= (byte) (1 << dice.below(8));
        case 2 -> bytes[at] = (byte) (dice.chance(50) ? 0xFF : 0);
        default -> {
          int from = dice.between(first, bytes.length - 1);
          int length = Math.min(dice.between(1, 12), bytes.length - Math.max(at, from));
          System.arraycopy(bytes, from, bytes, at, length);
        }
      }
    }
    return repaired ? repair(bytes, whole) : bytes;
  }

  private static int firstBlock(byte[] trace) {
    return PREAMBLE + HEAD + ByteBuffer.wrap(trace).order(ByteOrder.LITTLE_ENDIAN).getInt(PREAMBLE);
  }

  /** Gives every block its head again, but for some of it, and the right checksum. */
  private static byte[] repair(byte[] bytes, byte[] whole) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer right = ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = PREAMBLE; at < bytes.length; ) {
      int length = right.getInt(at);
      buffer.putInt(at, length);
      buffer.putInt(at + 8, right.getInt(at + 8));
      CRC32C crc = new CRC32C();
      crc.update(bytes, at + 8, HEAD - 8 + length);
      buffer.putInt(at + 4, (int) crc.getValue());
      at += HEAD + length;
    }
    return bytes;
  }
}
