package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.memory.Memory;
import dev.gleaner.spi.CollectFlags;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Elements may lie where no int reaches, not even one that counts words: behind a buffer that is
 * larger than memory is, but never touched.
 */
@EnabledOnOs(OS.LINUX) // reads /proc
class FarOffsetsTest {
  private static final int RECORDS = 50_000;
  private static final long MOST_RESIDENT = 2L << 30;

  /** Lists of elements of framestack reach over 32 GiB; what lies beyond is on none. */
  static Stream<Arguments> collectors() {
    return Stream.concat(
        Installed.collectors().stream().map(c -> Arguments.of(c, 17)),
        Stream.of(Arguments.of("framestack", 40)));
  }

  private static long resident() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("exhaustive")
  void allWalksReachThere(String collector, int gib) throws IOException {
    assumeTrue(Memory.canReserve());
    long before = resident();
    try (Heap heap =
        Installed.open(
            collector,
            "memory { max = "
                + (gib + 3)
                + "GiB, backing = reserved }, voluntary.enabled = false")) {
      Mutator t = heap.mutator();
      t.enter(8);
      t.newBuffer(0, (long) gib << 30);
      assertThat(heap.statistics().committedBytes()).isGreaterThan((long) gib << 30);
      int[] finalized = {0};
      t.newObject(1);
      for (int i = 0; i < RECORDS; i++) {
        t.newRecord(2, 2);
        t.store(2, 0, 1);
        t.newString(3, "text " + i % 1000);
        t.store(2, 1, 3);
        t.copy(1, 2);
      }
      t.enter(3, 1, 1);
      t.newObject(1);
      t.newString(2, "key");
      t.putProperty(1, 2, 0);
      t.leave(1, 4);
      t.newThread(5);
      t.push(5, 4);
      t.newRecord(6, 5000);
      t.store(6, 4999, 5);
      t.setFinalizer(6, "f", (thread, closing) -> finalized[0]++);
      WeakRef weak = t.newWeak(6);
      int hash = t.identityHash(6);
      assertThat(heap.inspect().verify()).isEmpty();
      heap.collect();
      assertThat(heap.inspect().verify()).isEmpty();
      heap.collect(CollectFlags.EMERGENCY);
      assertThat(heap.inspect().verify()).isEmpty();
      assertThat(t.getWeak(7, weak)).isTrue();
      assertThat(t.identityHash(7)).isEqualTo(hash);
      t.setUndefined(7);
      t.copy(7, 6);
      t.load(7, 7, 4999);
      t.pop(7, 7);
      t.newString(3, "key");
      t.getProperty(7, 7, 3);
      assertThat(t.same(7, 1)).isTrue();
      t.copy(7, 1);
      for (int i = RECORDS - 1; i >= 0; i--) {
        t.load(3, 7, 1);
        assertThat(t.getString(3)).isEqualTo("text " + i % 1000);
        t.load(7, 7, 0);
      }
      assertThat(heap.inspect().pathToRoot(7)).hasSize(RECORDS + 2);
      assertThat(heap.inspect().findLeaks().elements()).isZero();
      assertThat(resident() - before).isLessThan(MOST_RESIDENT);
      t.setUndefined(0); // a snapshot would write all of the buffer
      heap.collect();
      heap.collect();
      assertThat(heap.statistics().usedBytes()).isLessThan(1 << 30);
      assertThat(resident() - before).isLessThan(MOST_RESIDENT);
      heap.inspect().writeSnapshot(OutputStream.nullOutputStream());
      t.wipe(1);
      heap.collect();
      heap.collect(CollectFlags.EMERGENCY);
      heap.collect();
      assertThat(weak.isCleared()).isTrue();
      assertThat(finalized[0]).isEqualTo(1);
      assertThat(heap.inspect().verify()).isEmpty();
    }
  }
}
