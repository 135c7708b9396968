package dev.gleaner.kit;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.NamedObjects;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapExhaustedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A heap that is saved as an image and opened again is equal to the one that was saved: under the
 * collector itself, and on the way to every collector of the class path and back. A collector is
 * asked for nothing new; but all elements are made at once here, and are roots of another kind.
 */
final class ImageRules {
  private static final int MANY = 5_000;
  private static final int ORDERED = 20;

  /** Elements that take a third of 2 MiB: nurseries are full several times. */
  private static final int CHAIN = 25_000;

  private static final Finalizer FINALIZER = (_, _) -> {};
  private static final Object NATIVE = "a native";
  private static final String GLOBAL = "global";

  private final String collector;
  private final Config config;
  private final List<ClassLoader> loaders;

  /** The collectors of the class path but this one. */
  private final List<String> others;

  private final Map<String, HeapFactory> factories = new HashMap<>();

  /** A heap that was filled, or opened. */
  private record Step(HeapImage image, List<String> picture) {}

  ImageRules(String collector, Config config, List<ClassLoader> loaders) {
    this.collector = collector;
    this.config = config;
    this.loaders = loaders;
    this.others =
        Gleaner.collectors(List.of()).stream().filter(name -> !name.equals(collector)).toList();
  }

  List<Rule> all() {
    return List.of(
        equal("of all kinds of elements", "", ImageRules::allKinds),
        equal("of all kinds of elements, under torture", "torture.gc = 1", ImageRules::allKinds),
        equal("of many elements", "", ImageRules::many),
        equal("of many elements in little memory", "memory.max = 1MiB", ImageRules::many),
        PluginRules.rule("images", "run finalizers in the same order", this::ordered),
        PluginRules.rule("images", "of a heap that does not fit are refused", this::refused));
  }

  private Rule equal(String text, String settings, Consumer<Mutator> fill) {
    return PluginRules.rule("images", "open equal " + text, () -> compare(settings, fill));
  }

  private Heap open(String under, String settings, @Nullable HeapImage image, NamedObjects bound) {
    HeapFactory factory =
        factories.computeIfAbsent(under + " " + settings, _ -> factory(under, settings));
    return image == null ? factory.open() : factory.open(image, bound);
  }

  /** What the host has set for this collector may not suit others. */
  private HeapFactory factory(String under, String settings) {
    Config with = ConfigFactory.parseString("gleaner {\n" + settings + "\n}");
    return under.equals(collector)
        ? Gleaner.factory(with.withFallback(config), loaders)
        : Gleaner.factory(
            ConfigFactory.parseString("gleaner.collector = " + under).withFallback(with));
  }

  private static NamedObjects bound() {
    return new NamedObjects().bind("finalizer", FINALIZER).bind("native", NATIVE);
  }

  /** Goes to each other collector and back; the first image is of another one. */
  private @Nullable String compare(String settings, Consumer<Mutator> fill) {
    String before = others.isEmpty() ? collector : others.getFirst();
    Step foreign = fill(before, fill);
    List<String> found = fill(collector, fill).picture;
    if (!found.equals(foreign.picture)) {
      return difference("a heap that was filled", foreign.picture, found);
    }
    List<String> route = new ArrayList<>(List.of(collector, collector));
    for (String other : others) {
      route.addAll(List.of(other, collector));
    }
    HeapImage image = foreign.image;
    for (String next : route) {
      String where = "an image of " + before + " that was opened under " + next;
      NamedObjects bound = bound();
      try (Heap copy = open(next, settings, image, bound)) {
        if (!copy.inspect().verify().isEmpty()) {
          return where + ": expected a sound heap, found " + copy.inspect().verify();
        }
        image = copy.image(bound);
        // What the others lose is lost on the way back, too.
        found = next.equals(collector) ? picture(copy, bound) : found;
        if (!found.equals(foreign.picture)) {
          return difference(where, foreign.picture, found);
        }
      }
      before = next;
    }
    return null;
  }

  private static String difference(String where, List<String> expected, List<String> found) {
    int at = 0;
    while (at < Math.min(expected.size(), found.size()) && expected.get(at).equals(found.get(at))) {
      at++;
    }
    return "%s: expected \"%s\", found \"%s\""
        .formatted(where, line(expected, at), line(found, at));
  }

  private static String line(List<String> lines, int at) {
    return at < lines.size() ? lines.get(at) : "";
  }

  private Step fill(String under, Consumer<Mutator> fill) {
    NamedObjects bound = bound();
    try (Heap heap = open(under, "", null, bound)) {
      fill.accept(heap.mutator());
      GlobalRef ref = heap.newGlobal();
      heap.mutator().setGlobal(ref, 0);
      HeapImage image = heap.image(bound.save(GLOBAL, ref));
      return new Step(image, picture(heap, bound));
    }
  }

  /** The last lines tell what is left, which depends on loops that leak. */
  private static List<String> picture(Heap heap, NamedObjects bound) {
    return HeapPicture.of(heap, List.copyOf(bound.globals().values()), List.of()).stream()
        .filter(line -> !line.startsWith("left "))
        .toList();
  }

  /** By the order of registration, which every collector keeps, if what goes is found at once. */
  private @Nullable String ordered() {
    String settings = "finalizer-order = registration, memory.max = 2MiB";
    List<Integer> finalized = new ArrayList<>();
    NamedObjects bound = new NamedObjects();
    List<Finalizer> finalizers = new ArrayList<>();
    for (int i = 0; i < ORDERED; i++) {
      int number = i;
      finalizers.add((_, _) -> finalized.add(number));
      bound.bind("f" + i, finalizers.getLast());
    }
    HeapImage image;
    try (Heap heap = open(collector, settings, null, bound)) {
      setFinalizers(heap.mutator(), finalizers);
      image = heap.image(bound);
      drop(heap);
    }
    List<Integer> expected = List.copyOf(finalized);
    if (expected.size() != ORDERED) {
      return "expected " + ORDERED + " finalizers to run, found " + expected;
    }
    List<String> route = new ArrayList<>(others);
    route.add(collector);
    for (String other : route) {
      HeapImage there;
      try (Heap heap = open(other, settings, image, bound)) {
        there = heap.image(bound);
      }
      finalized.clear();
      try (Heap heap = open(collector, settings, there, bound)) {
        drop(heap);
      }
      if (!finalized.equals(expected)) {
        return "an image of %s: expected finalizers to run as %s, found %s"
            .formatted(other, expected, finalized);
      }
    }
    return null;
  }

  /** Of elements that come last in the image, behind a chain of others. */
  private static void setFinalizers(Mutator t, List<Finalizer> finalizers) {
    t.enter(2);
    t.newRecord(0, ORDERED);
    for (int i = 0; i < ORDERED; i++) {
      t.newRecord(1, 1);
      t.store(0, i, 1);
    }
    for (int i = 0; i < ORDERED; i++) {
      t.load(1, 0, i * 7 % ORDERED);
      t.setFinalizer(1, "f" + i, finalizers.get(i));
    }
    for (int i = 0; i < CHAIN; i++) {
      t.newRecord(1, 3);
      t.store(1, 0, 0);
      t.copy(0, 1);
    }
  }

  /** Takes them from the end of the chain. */
  private static void drop(Heap heap) {
    Mutator t = heap.mutator();
    t.setUndefined(1);
    for (int i = 1; i < CHAIN; i++) {
      t.load(0, 0, 0);
    }
    t.storeNull(0, 0);
    heap.collectMinor();
    heap.collectMinor();
    heap.collect();
  }

  private @Nullable String refused() {
    NamedObjects bound = new NamedObjects();
    HeapImage image;
    try (Heap heap = open(collector, "memory.max = 4MiB", null, bound)) {
      Mutator t = heap.mutator();
      t.enter(1);
      t.newRecord(0, 100_000);
      image = heap.image(bound);
    }
    try (Heap _ = open(collector, "memory.max = 512KiB", image, bound)) {
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
