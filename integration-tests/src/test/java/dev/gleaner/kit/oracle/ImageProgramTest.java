package dev.gleaner.kit.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.it.DumpedHeap;
import dev.gleaner.it.Installed;
import dev.gleaner.it.NumberedObjects;
import dev.gleaner.kit.HeapPicture;
import dev.gleaner.testing.Tier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Images in the midst of random programs. A heap that is opened from one has what the model says.
 * Under whatever collector it is opened it is sound, looks the same, and its own image has the same
 * bytes.
 */
class ImageProgramTest {
  private static final int PROGRAMS = Tier.number("gleaner.test.programs", 1, 5);
  private static final int IMAGE_EVERY = 20;

  /** A collector that knows no ages of elements would lose those of the image. */
  private static final String SETTINGS = "memory.max = 64MiB, finalizer-order = registration";

  private static final List<String> COLLECTORS = Installed.collectors();

  @TempDir private Path folder;
  private int operations;
  private int images;

  static List<Arguments> programs() {
    List<Arguments> all = new ArrayList<>();
    List<Variant> variants =
        List.of(
            Variant.PLAIN,
            Variant.INCREMENTAL,
            Variant.TORTURE_SOME,
            Variant.OWN_FUNCTIONS,
            Variant.TINY);
    for (int c = 0; c < COLLECTORS.size(); c++) {
      for (int v = 0; v < variants.size(); v++) {
        if (Tier.has(c, v, variants.size())) {
          all.add(Arguments.of(COLLECTORS.get(c), variants.get(v).name()));
        }
      }
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("programs")
  @Tag("seeds")
  void isOpenedEqual(String collector, String name) {
    Heaps heaps = new Heaps(collector, ConfigFactory.empty(), List.of());
    for (int i = 0; i < PROGRAMS; i++) {
      Plan plan =
          Plan.brief(Variant.valueOf(name), Mode.FULL, Dice.mix(Dice.mix(Dice.seed(), i), 8));
      RandomProgram.Outcome outcome =
          RandomProgram.run(heaps, plan, Steps.all(), false, this::observe);
      if (outcome.failure() != null) {
        throw new AssertionError(
            "%s, program with seed %d".formatted(plan, plan.seed()), outcome.failure());
      }
    }
    assertThat(images).isPositive();
  }

  private void observe(Twin twin) {
    if (++operations % IMAGE_EVERY != 0) {
      return;
    }
    NumberedObjects bound = new NumberedObjects();
    twin.shadow.globals.forEach((number, global) -> bound.save("g" + number, global.ref()));
    twin.cannotSay("image");
    HeapImage[] image = new HeapImage[1];
    boolean quiet = twin.quiet;
    twin.quiet = true; // a finalizer could close a global
    twin.collect(0, () -> image[0] = twin.heap.image(bound));
    twin.quiet = quiet;
    images++;
    HeapImage settled = settled(image[0], bound.there(), twin.shadow);
    List<String> first =
        picture(settled, bound.there(), COLLECTORS.get(images % COLLECTORS.size()));
    List<String> second =
        picture(settled, bound.there(), COLLECTORS.get((images + 1) % COLLECTORS.size()));
    assertThat(second).isEqualTo(first);
  }

  /** The image of a heap that was opened, in which the finalizers that were due have run. */
  private HeapImage settled(HeapImage image, NumberedObjects bound, ShadowHeap model) {
    try (Heap copy = Installed.factory("marksweep", SETTINGS).open(image, bound)) {
      assertThat(copy.inspect().verify()).isEmpty();
      DumpedHeap dump = DumpedHeap.of(copy, folder.resolve("copy.hprof"));
      new SnapshotComparison(dump, model).run(copy.statistics());
      return copy.image(bound);
    }
  }

  private static List<String> picture(HeapImage image, NumberedObjects bound, String collector) {
    try (Heap copy = Installed.factory(collector, SETTINGS).open(image, bound)) {
      assertThat(copy.inspect().verify()).as(collector).isEmpty();
      assertThat(copy.image(bound).bytes()).as(collector).isEqualTo(image.bytes());
      List<String> lines = HeapPicture.of(copy, List.copyOf(bound.globals().values()), List.of());
      return lines.subList(0, lines.size() - 1);
    }
  }
}
