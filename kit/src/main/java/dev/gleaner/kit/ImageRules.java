package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.NamedObjects;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapExhaustedException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A heap that is saved as an image and opened again is equal to the one that was saved. A collector
 * is asked for nothing new; but all elements are made at once here, and are roots of another kind.
 */
final class ImageRules {
  private static final int MANY = 5_000;
  private static final Finalizer FINALIZER = (_, _) -> {};
  private static final Object NATIVE = "a native";

  private final Config config;
  private final List<ClassLoader> loaders;

  ImageRules(Config config, List<ClassLoader> loaders) {
    this.config = config;
    this.loaders = loaders;
  }

  List<Rule> all() {
    return List.of(
        equal("of all kinds of elements", "", ImageRules::allKinds),
        equal("of all kinds of elements, under torture", "torture.gc = 1", ImageRules::allKinds),
        equal("of many elements", "", ImageRules::many),
        equal("of many elements in little memory", "memory.max = 1MiB", ImageRules::many),
        PluginRules.rule("images", "of a heap that does not fit are refused", this::refused));
  }

  private Rule equal(String text, String settings, Consumer<Mutator> fill) {
    return PluginRules.rule("images", "open equal " + text, () -> compare(settings, fill));
  }

  private Heap open(String settings, @Nullable HeapImage image, NamedObjects bound) {
    Config with = ConfigFactory.parseString("gleaner {\n" + settings + "\n}").withFallback(config);
    return image == null
        ? Gleaner.factory(with, loaders).open()
        : Gleaner.factory(with, loaders).open(image, bound);
  }

  private @Nullable String compare(String settings, Consumer<Mutator> fill) {
    NamedObjects bound = new NamedObjects().bind("finalizer", FINALIZER).bind("native", NATIVE);
    try (Heap heap = open("", null, bound)) {
      fill.accept(heap.mutator());
      GlobalRef ref = heap.newGlobal();
      heap.mutator().setGlobal(ref, 0);
      HeapImage image = heap.image(bound.save("global", ref));
      List<String> expected = picture(heap, ref);
      for (int round = 0; round < 2; round++) {
        try (Heap copy = open(settings, image, bound)) {
          if (!copy.inspect().verify().isEmpty()) {
            return "expected a sound heap, found " + copy.inspect().verify();
          }
          image = copy.image(bound);
          GlobalRef there = bound.globals().get("global");
          List<String> found = there == null ? List.of() : picture(copy, there);
          if (!found.equals(expected)) {
            return "expected " + expected + ", found " + found;
          }
        }
      }
      return null;
    }
  }

  /** The last lines tell what is left, which depends on loops that leak. */
  private static List<String> picture(Heap heap, GlobalRef ref) {
    return HeapPicture.of(heap, List.of(ref), List.of()).stream()
        .filter(line -> !line.startsWith("left "))
        .toList();
  }

  private @Nullable String refused() {
    NamedObjects bound = new NamedObjects();
    HeapImage image;
    try (Heap heap = open("memory.max = 4MiB", null, bound)) {
      Mutator t = heap.mutator();
      t.enter(1);
      t.newRecord(0, 100_000);
      image = heap.image(bound);
    }
    try (Heap _ = open("memory.max = 512KiB", image, bound)) {
      return "expected HeapExhaustedException, found a heap that is open";
    } catch (HeapExhaustedException e) {
      return null;
    }
  }

  private static void allKinds(Mutator t) {
    t.enter(11);
    t.newObject(0, 2);
    t.newObject(1, 0, 0);
    for (int i = 0; i < 12; i++) {
      t.newString(2, "key " + i);
      t.setInt(3, i * 1000);
      t.putProperty(1, 2, 3);
      t.putIndex(1, i % 4 == 0 ? i * 100 : i, 2);
    }
    t.newString(2, "key 3");
    boolean _ = t.deleteProperty(1, 2);
    t.setLong(3, 1L << 40);
    t.newWeakObject(4, Weakness.KEYS);
    t.putProperty(4, 1, 3);
    t.newNative(5, NATIVE, null);
    t.newRecord(6, 3);
    t.setFinalizer(6, "finalizer", FINALIZER);
    t.store(6, 1, 5);
    t.newFunction(7, 2, 1);
    t.storeConstant(7, 1, 6);
    t.newBuffer(8, 20);
    t.newDynamicBuffer(9, 30);
    t.writeBytes(9, 3, new byte[] {1, 2}, 0, 2);
    t.newThread(10);
    t.resume(10, 2, 6, 1);
    t.enter(3);
    t.pushCatcher(1, 5);
    int _ = t.suspend(0, 0, 0, 0);
    t.enter(4);
    t.newString(2, "ä".repeat(3000));
  }

  private static void many(Mutator t) {
    t.enter(4);
    t.newRecord(0, 100);
    for (int i = 0; i < MANY; i++) {
      t.newRecord(1, 1 + i % 7);
      t.load(2, 0, i % 100);
      t.store(1, 0, 2);
      t.newString(3, "string " + i % 500);
      if (i % 7 > 0) {
        t.store(1, 1, 3);
      }
      t.store(0, i % 100, 1);
    }
    for (int i = 1; i < 4; i++) {
      t.setUndefined(i);
    }
  }
}
