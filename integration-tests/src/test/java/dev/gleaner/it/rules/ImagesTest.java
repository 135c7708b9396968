package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.NamedObjects;
import dev.gleaner.heap.ThreadState;
import dev.gleaner.it.Installed;
import dev.gleaner.kit.HeapPicture;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ImageException;
import dev.gleaner.refusal.ValueStackFullException;
import dev.gleaner.testing.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A heap that is saved as an image and opened again, under every collector from every other. */
@Tag("seeds")
class ImagesTest extends AllCollectors {
  private static final String SETTINGS = "memory.max = 1MiB";
  private static final String TORTURE = SETTINGS + ", torture.gc = every-allocation";
  private static final String GLOBAL = "registry";

  private final Heap heap = open(SETTINGS);
  private final Mutator t = heap.mutator();
  private final NamedObjects bound = new NamedObjects();

  ImagesTest(String collector) {
    super(collector);
  }

  private static Heap opened(String collector, String settings, HeapImage image, NamedObjects b) {
    return Installed.factory(collector, settings).open(image, b);
  }

  /** Opens an image of the heap under each collector, and looks at it. */
  private void openEverywhere(BiConsumer<Heap, Mutator> look) {
    HeapImage image = heap.image(bound);
    assertThat(heap.inspect().verify()).isEmpty();
    for (String settings : Tier.exhaustive() ? List.of(SETTINGS, TORTURE) : List.of(SETTINGS)) {
      for (String collector : Installed.collectors()) {
        try (Heap copy = opened(collector, settings, image, bound)) {
          assertThat(copy.inspect().verify()).as(collector).isEmpty();
          look.accept(copy, copy.mutator());
          copy.collect();
          assertThat(copy.inspect().verify()).as(collector).isEmpty();
        }
      }
    }
  }

  /** Opens an image of the heap under each collector: all looks as in the heap that was saved. */
  private void looksTheSameEverywhere() {
    HeapImage image = heap.image(bound);
    List<String> expected = picture(heap);
    assertThat(expected).hasSizeGreaterThan(3);
    for (String collector : Installed.collectors()) {
      try (Heap copy = opened(collector, SETTINGS, image, bound)) {
        assertThat(picture(copy)).as(collector).isEqualTo(expected);
      }
    }
  }

  /** The last line tells what is left, which collectors that leak say otherwise. */
  private List<String> picture(Heap of) {
    List<GlobalRef> globals = List.copyOf(bound.globals().values());
    List<String> lines = HeapPicture.of(of, globals, List.of());
    return lines.subList(0, lines.size() - 1);
  }

  @Test
  void anEmptyHeapHasItsThread() {
    openEverywhere((copy, c) -> {
      assertThat(c.frameDepth()).isZero();
      assertThat(alive(copy)).isEqualTo(1);
    });
  }

  @Test
  void recordsKeepValuesAndIdentities() {
    expectLog(); // of loops that leak
    t.enter(4);
    t.newRecord(0, 7);
    t.newRecord(1, 2);
    t.store(0, 0, 1);
    t.store(0, 1, 1);
    t.store(1, 0, 0); // a cycle
    t.newString(2, "text");
    t.store(0, 2, 2);
    t.setLong(2, 1L << 40);
    t.store(0, 3, 2);
    t.setDouble(2, -0.0);
    t.store(0, 4, 2);
    t.setInt(2, -70_000);
    t.store(0, 5, 2);
    t.setBoolean(2, true);
    t.store(1, 1, 2);
    t.setNull(3);
    looksTheSameEverywhere();
  }

  @Test
  void largeElementsAndStrings() {
    t.enter(5);
    t.newRecord(0, 70_000);
    t.newString(1, "ä".repeat(4000)); // not interned
    t.newString(2, "ä".repeat(20));
    t.newBuffer(3, 5000);
    t.writeBytes(3, 1, new byte[] {1, 2, 3}, 0, 3);
    t.newDynamicBuffer(4, 700);
    t.writeBytes(4, 699, new byte[] {9}, 0, 1);
    looksTheSameEverywhere();
  }

  @Test
  void propertiesKeepTheirOrder() {
    expectLog(); // of loops that leak
    t.enter(6);
    t.newObject(0, 2);
    t.newObject(1);
    t.setPrototype(0, 1);
    for (int i = 0; i < 30; i++) {
      t.newString(2, "key" + i * 7 % 30);
      t.setInt(3, i);
      t.putProperty(0, 2, 3);
      t.putProperty(1, 2, 0);
    }
    for (int i = 0; i < 30; i += 3) {
      t.newString(2, "key" + i);
      assertThat(t.deleteProperty(0, 2)).isTrue();
    }
    for (int i = 0; i < 40; i++) {
      t.setInt(3, i);
      t.putIndex(0, i % 5 == 0 ? i * 1000 : i, 3);
    }
    t.setDouble(2, 0.5);
    t.putProperty(0, 2, 1);
    t.setLong(2, 1L << 50);
    t.putProperty(0, 2, 1);
    t.newRecord(2, 1);
    t.putProperty(0, 2, 2);
    looksTheSameEverywhere();
  }

  @Test
  void walksGoOnWhereTheyStood() {
    t.enter(4);
    t.newObject(0);
    for (int i = 0; i < 20; i++) {
      t.newString(1, "k" + i);
      t.putProperty(0, 1, 1);
    }
    long cursor = 0;
    for (int i = 0; i < 5; i++) {
      cursor = t.nextProperty(0, cursor, 1, 2);
    }
    for (int i = 0; i < 8; i++) {
      t.newString(1, "k" + i);
      assertThat(t.deleteProperty(0, 1)).isTrue();
    }
    for (int i = 20; i < 60; i++) { // the table is built anew
      t.newString(1, "k" + i);
      t.putProperty(0, 1, 1);
    }
    t.newString(3, "k10");
    assertThat(t.nextPropertyAfter(0, 3, 3, 2)).isTrue(); // stands on k11
    assertThat(t.deleteProperty(0, 3)).isTrue();
    long from = cursor;
    openEverywhere((_, c) -> {
      assertThat(c.nextProperty(0, from, 1, 2)).isPositive();
      assertThat(c.getString(1)).isEqualTo("k8");
      assertThat(c.nextPropertyAfter(0, 3, 1, 2)).isTrue();
      assertThat(c.getString(1)).isEqualTo("k12");
      c.setUndefined(1);
      c.setUndefined(2);
    });
  }

  @Test
  void weakTablesLoseWhatOnlyTheyHold() {
    t.enter(6);
    t.newRecord(3, 1);
    t.setBoolean(5, true);
    for (int weakness = Weakness.KEYS; weakness <= Weakness.BOTH; weakness++) {
      int table = weakness - 1;
      t.newWeakObject(table, weakness);
      t.putProperty(table, 3, 3);
      t.newString(4, "held");
      t.putProperty(table, 4, 3);
      t.newRecord(4, 2);
      if (weakness == Weakness.VALUES) {
        t.putProperty(table, 5, 4);
      } else {
        t.putProperty(table, 4, 5);
      }
    }
    t.setUndefined(4);
    openEverywhere((copy, c) -> {
      for (int table = 0; table < 3; table++) {
        assertThat(c.propertyCount(table)).isEqualTo(2);
      }
      c.setUndefined(0);
      c.setUndefined(1);
      c.setUndefined(3);
      copy.collect();
      assertThat(c.propertyCount(2)).isZero();
    });
  }

  @Test
  void hashesStayAndNoOtherElementHasThem() {
    t.enter(1);
    t.newRecord(0, 200);
    List<Integer> hashes = new ArrayList<>();
    t.enter(2);
    for (int i = 0; i < 100; i++) {
      t.newRecord(0, 1);
      hashes.add(t.identityHash(0));
      t.peek(1, 1, 0);
      t.store(1, i, 0);
    }
    t.leave();
    openEverywhere((_, c) -> {
      List<Integer> found = new ArrayList<>();
      c.enter(2);
      c.peek(0, 1, 0);
      for (int i = 0; i < 100; i++) {
        c.load(1, 0, i);
        found.add(c.identityHash(1));
      }
      assertThat(found).isEqualTo(hashes);
      for (int i = 100; i < 200; i++) {
        c.newRecord(1, 1);
        c.store(0, i, 1);
        found.add(c.identityHash(1));
      }
      assertThat(found).doesNotHaveDuplicates();
      c.leave();
    });
  }

  @Test
  void coroutinesGoOn() {
    t.enter(3);
    t.newThread(0);
    t.newFunction(1, 1, 1);
    t.setFunctionCode(1, 7);
    t.storeInner(1, 0, 1);
    t.resume(0, 3, 1, 1);
    t.pushCatcher(1, 4711);
    t.call(2, 0);
    t.setInt(1, 5);
    t.suspend(1, 1, 2, 1);
    assertThat(t.getInt(2)).isEqualTo(5);
    openEverywhere((_, c) -> {
      assertThat(c.threadState(0)).isEqualTo(ThreadState.SUSPENDED);
      assertThat(c.functionCode(1)).isEqualTo(7);
      c.setInt(2, 99);
      assertThat(c.resumeInto(0, 2, 1, 0, 1)).isEqualTo(1);
      assertThat(c.getInt(0)).isEqualTo(99);
      assertThat(c.getInt(1)).isEqualTo(5);
      assertThat(c.raise(0)).isEqualTo(4711);
      assertThat(c.getInt(1)).isEqualTo(99);
      assertThat(c.functionCode(0)).isEqualTo(7);
      assertThat(c.finish(0, 1, 2, 1)).isEqualTo(1);
      assertThat(c.functionCode(2)).isEqualTo(7);
    });
  }

  @Test
  void aCoroutineIsSavedFromInside() {
    t.enter(2);
    t.newThread(0);
    t.setInt(1, 3);
    t.resume(0, 2, 1, 1);
    t.newThread(1);
    t.resume(1, 2, 0, 1);
    openEverywhere((_, c) -> {
      assertThat(c.getInt(0)).isEqualTo(3);
      c.suspend();
      assertThat(c.getInt(0)).isEqualTo(3);
      assertThat(c.threadState(1)).isEqualTo(ThreadState.IDLE);
      c.suspend();
      assertThat(c.getInt(1)).isEqualTo(3);
    });
  }

  @Test
  void finalizersAreSetAndRunOnce() {
    t.enter(2);
    t.newRecord(0, 1);
    lose(t, 1, "lost");
    Finalizer finalizer = noting("bound");
    t.newRecord(1, 1);
    t.setFinalizer(1, "label", finalizer);
    assertThatThrownBy(() -> heap.image(bound))
        .isInstanceOf(ImageException.class)
        .hasMessageMatching(
            "(?s).*nothing is bound to the finalizer of .*, which is at root: thread.*");
    HeapImage image = heap.image(bound.bind("f", finalizer));
    assertThat(finalized).containsExactly("lost");
    for (String collector : Installed.collectors()) {
      finalized.clear();
      try (Heap copy = opened(collector, SETTINGS, image, bound)) {
        Mutator c = copy.mutator();
        assertThat(c.hasFinalizer(0)).isFalse();
        assertThat(c.hasFinalizer(1)).isTrue();
        c.setUndefined(1);
        copy.collect();
        copy.collect();
        assertThat(finalized).as(collector).containsExactly("bound");
      }
      assertThat(finalized).as(collector).containsExactly("bound");
    }
    assertThatThrownBy(
            () -> opened(Installed.collectors().getFirst(), SETTINGS, image, new NamedObjects()))
        .isInstanceOf(ImageException.class)
        .hasMessage("the image needs what nothing is bound to: finalizer \"f\"");
  }

  @Test
  void finalizersComeInTheSameOrder() {
    t.enter(1);
    t.newRecord(0, 9);
    for (int i = 0; i < 9; i++) {
      t.enter(2);
      t.newObject(0);
      t.peek(1, 1, 0);
      t.store(1, i, 0);
      t.leave();
    }
    for (int i : new int[] {3, 1, 8, 0, 2, 7, 5, 4, 6}) {
      Finalizer finalizer = noting("f" + i);
      bound.bind("f" + i, finalizer);
      t.enter(2);
      t.peek(0, 1, 0);
      t.load(1, 0, i);
      t.setFinalizer(1, "f" + i, finalizer);
      t.leave();
    }
    HeapImage image = heap.image(bound);
    t.setUndefined(0);
    heap.collect();
    List<String> order = List.copyOf(finalized);
    assertThat(order).hasSize(9);
    finalized.clear();
    try (Heap copy = opened(heap.collector(), SETTINGS, image, bound)) {
      copy.mutator().setUndefined(0);
      copy.collect();
    }
    assertThat(finalized).isEqualTo(order);
  }

  @Test
  void heirsInheritTheirFinalizers() {
    t.enter(3);
    Finalizer finalizer = noting("heir");
    t.newObject(0);
    t.setInheritedFinalizer(0, "lent", finalizer);
    t.newObject(1, 0, 0);
    bound.bind("f", finalizer);
    HeapImage image = heap.image(bound);
    for (String collector : Installed.collectors()) {
      finalized.clear();
      try (Heap copy = opened(collector, SETTINGS, image, bound)) {
        Mutator c = copy.mutator();
        assertThat(copy.statistics().externalBytes()).isEqualTo(80);
        assertThat(c.hasFinalizer(1)).isTrue();
        c.setUndefined(1);
        copy.collect();
        assertThat(finalized).as(collector).containsExactly("heir");
        c.newObject(1, 0, 0);
        assertThat(c.hasFinalizer(1)).isTrue();
      }
    }
  }

  @Test
  void nativesAndThreadObjectsAreBound() {
    List<Object> freed = new ArrayList<>();
    Object value = new Object();
    FreeCallback callback = (v, _) -> freed.add(v);
    t.enter(2);
    t.newNative(0, value, callback);
    t.newThread(1);
    t.setThreadObject(1, callback); // in two roles
    bound.bind("value", value).bind("callback", callback);
    openEverywhere((copy, c) -> {
      assertThat(c.nativeValue(0)).isSameAs(value);
      assertThat(c.threadObject(1)).isSameAs(callback);
      freed.clear();
      c.setUndefined(0);
      copy.collect();
      assertThat(freed).containsExactly(value);
    });
  }

  @Test
  void globalsAreThereUnderTheirNames() {
    GlobalRef ref = heap.newGlobal();
    GlobalRef unnamed = heap.newGlobal();
    t.enter(1);
    t.newRecord(0, 3);
    t.setGlobal(ref, 0);
    t.newRecord(0, 4);
    t.setGlobal(unnamed, 0);
    t.setUndefined(0);
    HeapImage image = heap.image(bound.save(GLOBAL, ref));
    for (String collector : Installed.collectors()) {
      NamedObjects there = new NamedObjects();
      try (Heap copy = opened(collector, SETTINGS, image, there)) {
        Mutator c = copy.mutator();
        c.getGlobal(0, Objects.requireNonNull(there.globals().get(GLOBAL)));
        assertThat(c.slotCount(0)).isEqualTo(3);
        assertThat(alive(copy)).isEqualTo(2); // the thread, too
      }
    }
  }

  @Test
  void builtinsSortsAndExternalBytes() {
    t.enter(2);
    heap.makeBuiltins(() -> {
      t.newObject(0);
      t.newString(1, "built in");
      t.putProperty(0, 1, 1);
    });
    t.newRecord(1, 1);
    t.setSort(1, heap.sort("guest.pair"));
    heap.reserveExternal(1000);
    openEverywhere((copy, c) -> {
      assertThat(copy.statistics().externalBytes()).isEqualTo(1000);
      assertThat(c.sort(1)).isEqualTo(copy.sort("guest.pair"));
      c.newString(1, "built in");
      c.getProperty(0, 0, 1);
      assertThat(c.same(0, 1)).isTrue();
      c.setUndefined(0);
      c.setUndefined(1);
      copy.collect();
      assertThat(copy.statistics().live(Kind.OBJECT)).isEqualTo(1);
    });
  }

  @Test
  void anImageIsWrittenAndRead(@TempDir Path folder) throws IOException {
    t.enter(1);
    t.newString(0, "text");
    HeapImage image = heap.image(bound);
    Path file = folder.resolve("heap.img");
    Files.writeString(file, "the one before");
    image.write(file);
    HeapImage read = HeapImage.read(file);
    assertThat(read.bytes()).isEqualTo(image.bytes());
    assertThat(read).hasToString("heap image of 2 elements, " + read.size() + " bytes");
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void aChangedImageIsRefused() {
    t.enter(1);
    byte[] bytes = heap.image(bound).bytes();
    for (int i = 0; i < bytes.length * 8; i++) {
      byte[] changed = bytes.clone();
      changed[i >> 3] ^= (byte) (1 << (i & 7));
      assertThatThrownBy(() -> HeapImage.of(changed)).isInstanceOf(ImageException.class);
    }
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> HeapImage.of(cut)).isInstanceOf(ImageException.class);
    }
  }

  @Test
  void inTheMidstOfOtherCodeNothingIsSaved() {
    List<Throwable> thrown = new ArrayList<>();
    t.enter(1);
    lose(t, 0, "saves", (_, _) -> thrown.add(catchThrowable(() -> heap.image(bound))));
    heap.collect();
    heap.makeBuiltins(() -> thrown.add(catchThrowable(() -> heap.image(bound))));
    assertThat(thrown).hasSize(2).allMatch(e -> e instanceof HeapUsageException);
  }

  @Test
  void aStackThatIsTooLargeIsRefused() {
    t.enter(5000);
    HeapImage image = heap.image(bound);
    for (String collector : Installed.collectors()) {
      assertThatThrownBy(
              () -> opened(collector, SETTINGS + ", threads.max-stack-slots = 1000", image, bound))
          .isInstanceOf(ValueStackFullException.class);
    }
  }

  @Test
  void tooSmallALimitLeavesNothing() {
    t.enter(2);
    t.newRecord(0, 60_000);
    HeapImage image = heap.image(bound);
    for (String collector : Installed.collectors()) {
      assertThatThrownBy(() -> opened(collector, "memory.max = 256KiB", image, bound))
          .isInstanceOf(HeapExhaustedException.class);
    }
  }
}
