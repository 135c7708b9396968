package dev.gleaner.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.Mutator;
import dev.gleaner.it.Installed;
import dev.gleaner.it.NumberedObjects;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.ImageException;
import dev.gleaner.refusal.StackFullException;
import dev.gleaner.testing.Tier;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Images that somebody changed, with a right checksum: each is refused with its place, or opens a
 * heap that is sound.
 */
class ImageDamageTest {
  private static final int CHANGES = Tier.number("gleaner.test.images", 150, 10_000);

  /** A heap with something of everything. */
  private static byte[] image(NumberedObjects bound) {
    try (Heap heap = Installed.open("marksweep", "memory.max = 1MiB")) {
      Mutator t = heap.mutator();
      t.enter(12);
      heap.makeBuiltins(() -> t.newObject(0));
      t.newObject(1, 2);
      t.setPrototype(1, 0);
      for (int i = 0; i < 12; i++) {
        t.newString(2, "k" + i);
        t.setInt(3, i * 100);
        t.putProperty(1, 2, 3);
        t.putIndex(1, i % 4 == 0 ? i * 100 : i, 2);
      }
      long cursor = t.nextProperty(1, 0, 2, 3);
      for (int i = 2; i < 5; i++) {
        t.newString(2, "k" + i);
        boolean _ = t.deleteProperty(1, 2);
      }
      t.newString(2, "k6");
      boolean _ = t.nextPropertyAfter(1, 2, 2, 3);
      boolean _ = t.deleteProperty(1, 2);
      for (int i = 20; i < 30; i++) {
        t.newString(2, "k" + i);
        t.putProperty(1, 2, 1);
      }
      t.setLong(3, cursor + (1L << 40));
      t.newWeakObject(4, Weakness.BOTH);
      t.putProperty(4, 1, 3);
      t.newNative(5, "a native", (_, _) -> {});
      t.newRecord(6, 3);
      t.setFinalizer(6, "finalizer", (_, _) -> {});
      int _ = t.identityHash(6);
      t.setInheritedFinalizer(0, "lent", (_, _) -> {});
      t.newFunction(7, 2, 1);
      t.setFunctionCode(7, 3);
      t.storeInner(7, 0, 7);
      t.newBuffer(8, 20);
      t.newDynamicBuffer(9, 30);
      t.writeBytes(9, 3, new byte[] {1, 2}, 0, 2);
      t.setSort(9, heap.sort("a.sort"));
      t.newThread(10);
      t.setThreadObject(10, "of a thread");
      t.resume(10, 2, 7, 1);
      t.call(2, 0);
      t.pushCatcher(1, 5);
      int _ = t.suspend(0, 0, 0, 0);
      t.newThread(11);
      t.resume(11, 2, 7, 1);
      bound.save("global", heap.newGlobal());
      return heap.image(bound).bytes();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.gleaner.it.Installed#collectors")
  @Tag("seeds")
  void isRefusedOrSound(String collector) {
    byte[] image = image(new NumberedObjects());
    HeapFactory factory =
        Gleaner.factory(
            ConfigFactory.parseString(
                "gleaner { memory.max = 256KiB, collector = " + collector + " }"));
    SplittableRandom random = new SplittableRandom(Long.getLong("gleaner.seed", 1));
    int opened = 0;
    for (int i = 0; i < CHANGES; i++) {
      byte[] changed = image.clone();
      int changes = 1 + random.nextInt(random.nextInt(3) == 0 ? 6 : 1);
      for (int c = 0; c < changes; c++) {
        int at = random.nextInt(ImageFormat.HEADER_BYTES, changed.length);
        changed[at] = change(random, changed[at]);
      }
      ImageFormat.seal(changed);
      opened += opens(factory, changed) ? 1 : 0;
    }
    assertThat(opened).isBetween(CHANGES / 100, CHANGES - CHANGES / 10);
  }

  private static byte change(SplittableRandom random, byte old) {
    return switch (random.nextInt(4)) {
      case 0 -> (byte) (old ^ 1 << random.nextInt(8));
      case 1 -> (byte) (old + random.nextInt(-2, 3));
      case 2 -> (byte) random.nextInt(12);
      default -> (byte) random.nextInt();
    };
  }

  private static boolean opens(HeapFactory factory, byte[] changed) {
    NumberedObjects bound = new NumberedObjects();
    try (Heap heap = factory.open(HeapImage.of(changed), bound)) {
      assertThat(heap.inspect().verify()).isEmpty();
      heap.collect();
      assertThat(heap.inspect().verify()).isEmpty();
      assertThat(heap.image(bound).elements()).isPositive();
      return true;
    } catch (ImageException | HeapExhaustedException | StackFullException e) {
      return false;
    }
  }
}
