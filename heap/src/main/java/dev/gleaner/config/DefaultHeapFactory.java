package dev.gleaner.config;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.HeapListenerProvider;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.parts.HeapPlan;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.trace.TraceSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Opens heaps. All that can be decided once is decided before: opening only constructs. */
final class DefaultHeapFactory implements HeapFactory {

  /** Over all factories, since names tag meters. */
  private static final AtomicLong OPENED = new AtomicLong();

  private static final List<HeapListenerProvider> LISTENERS = listeners();

  static {
    try { // says how heaps are opened
      Class.forName(
          Heap.class.getPackageName() + ".HeapOpening", true, Heap.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final HeapSettings settings;
  private final CollectorTraits traits;
  private final CollectorFactory collectors;
  private final @Nullable Recording recording;

  /**
   * Makes a factory.
   *
   * @param recording where traces go; null for none
   */
  DefaultHeapFactory(
      HeapSettings settings,
      CollectorTraits traits,
      CollectorFactory collectors,
      @Nullable Recording recording) {
    this.settings = settings;
    this.traits = traits;
    this.collectors = collectors;
    this.recording = recording;
  }

  @Override
  public Heap open() {
    return open("heap-" + OPENED.incrementAndGet());
  }

  @Override
  public Heap open(String name) {
    return open(name, null);
  }

  @Override
  public Heap open(String name, @Nullable AllocationFunctionsFactory functions) {
    Objects.requireNonNull(name, "name");
    return watched(
        recording == null
            ? (Heap) plan(name, functions, null).open(null, null)
            : openRecorded(name, functions, recording, null, null));
  }

  @Override
  public Heap open(HeapImage image, ImageBindings bindings) {
    return open("heap-" + OPENED.incrementAndGet(), image, bindings);
  }

  @Override
  public Heap open(String name, HeapImage image, ImageBindings bindings) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(image, "image");
    Objects.requireNonNull(bindings, "bindings");
    return watched(
        recording == null
            ? (Heap) plan(name, null, null).open(image, bindings)
            : openRecorded(name, null, recording, image, bindings));
  }

  private Heap watched(Heap heap) {
    if (settings.logCollections()) {
      heap.addListener(new CollectionLog(settings.memory().max()));
    }
    for (HeapListenerProvider provider : LISTENERS) {
      HeapListener listener = listener(provider);
      if (listener != null) {
        heap.addListener(listener);
      }
    }
    return heap;
  }

  /** The providers that can be made; the search ends at one that cannot. */
  private static List<HeapListenerProvider> listeners() {
    List<HeapListenerProvider> found = new ArrayList<>();
    try {
      for (HeapListenerProvider provider :
          ServiceLoader.load(
              HeapListenerProvider.class, HeapListenerProvider.class.getClassLoader())) {
        found.add(provider);
      }
    } catch (ServiceConfigurationError | LinkageError e) {
      warn("a provider of listeners is left out", e);
    }
    return found;
  }

  /** Asks code of others; what it throws does not keep a heap from being opened. */
  static @Nullable HeapListener listener(HeapListenerProvider provider) {
    try {
      return provider.listener();
    } catch (Throwable e) { // a checked one can be thrown, too
      warn(provider.getClass().getName() + " gives no listener", e);
      return null;
    }
  }

  /** Gets the logger only now: the JDK's own takes a tenth of the start. */
  private static void warn(String text, Throwable e) {
    System.getLogger("dev.gleaner.config").log(System.Logger.Level.WARNING, text, e);
  }

  private HeapPlan plan(
      String name, @Nullable AllocationFunctionsFactory functions, @Nullable TraceSink trace) {
    return new HeapPlan(name, settings, traits, collectors, functions, trace);
  }

  private Heap openRecorded(
      String name,
      @Nullable AllocationFunctionsFactory functions,
      Recording recorded,
      @Nullable HeapImage image,
      @Nullable ImageBindings bindings) {
    TraceSink trace = recorded.open(name, functions != null);
    try {
      return (Heap) plan(name, functions, trace).open(image, bindings);
    } catch (RuntimeException | Error e) { // a plug-in's, or no room for the first thread
      trace.discard();
      throw e;
    }
  }

  @Override
  public String collector() {
    return settings.collector();
  }

  @Override
  public CollectorTraits traits() {
    return traits;
  }

  @Override
  public HeapSettings settings() {
    return settings;
  }

  @Override
  public String toString() {
    return "heaps under " + settings.collector();
  }
}
