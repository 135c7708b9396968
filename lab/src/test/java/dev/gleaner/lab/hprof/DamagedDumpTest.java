package dev.gleaner.lab.hprof;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.kit.Mutations;
import dev.gleaner.kit.oracle.Dice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a file holds, it is a heap dump or an {@link HprofException} says where it ceases. */
class DamagedDumpTest {
  @TempDir private Path folder;

  private static byte[] snapshot(HeapFactory factory) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Heap heap = factory.open()) {
      Mutator t = heap.mutator();
      t.enter(3);
      for (int i = 0; i < 3; i++) {
        t.newObject(1, 2);
        t.store(1, 0, 0);
        t.storeInt(1, 1, i);
        t.newString(2, "key" + i);
        t.putProperty(1, 2, 0);
        t.copy(0, 1);
      }
      heap.inspect().writeSnapshot(out);
    }
    return out.toByteArray();
  }

  @Test
  void isReadOrRefused() throws IOException {
    HeapFactory factory =
        Gleaner.factory(
            ConfigFactory.parseString("gleaner.memory.max = 16MiB")
                .withFallback(ConfigFactory.load()));
    Mutations mutations =
        new Mutations(
            Dice.seed(),
            List.of(HprofFile.example(4).bytes(), HprofFile.example(8).bytes(), snapshot(factory)));
    Path file = folder.resolve("damaged.hprof");
    long refused = 0;
    for (long n = 0; n < Mutations.count(); n++) {
      Files.write(file, mutations.get(n));
      try {
        inspect(file);
        load(file, factory);
      } catch (HprofException e) {
        refused++;
        assertThat(e).hasMessageStartingWith(file + ": ");
      } catch (RuntimeException | Error e) {
        throw new AssertionError("mutation " + n + " of seed " + Dice.seed(), e);
      }
    }
    assertThat(refused).isBetween(Mutations.count() / 10, Mutations.count() * 9 / 10);
  }

  private static void inspect(Path file) {
    Inspection inspection = Inspection.of(file);
    assertThat(inspection.totals().reachableBytes()).isNotNegative();
    assertThat(inspection.classes()).isNotNull();
    List<Inspection.ObjectRow> largest = inspection.largest(3);
    if (!largest.isEmpty()) {
      assertThat(inspection.path(largest.getLast().id())).isNotNull();
    }
  }

  private static void load(Path file, HeapFactory factory) {
    try (Heap heap = factory.open()) {
      assertThat(new DumpLoader(file, heap, _ -> {}).load(10, new SplittableRandom(1))).isNotNull();
    }
  }
}
