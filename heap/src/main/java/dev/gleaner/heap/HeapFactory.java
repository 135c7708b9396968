package dev.gleaner.heap;

import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.spi.CollectorTraits;
import org.jspecify.annotations.Nullable;

/** Opens heaps under one checked configuration. Several Java threads may use a factory at once. */
public interface HeapFactory {
  /**
   * Opens a heap with a new name.
   *
   * @return the heap, which belongs to the calling Java thread
   */
  Heap open();

  /**
   * Opens a heap with a given name.
   *
   * @param name the name in the heap's meters and messages; no other open heap of the same
   *     collector should have this name
   * @return the heap, which belongs to the calling Java thread
   */
  Heap open(String name);

  /**
   * Opens a heap with allocation functions of the user's own.
   *
   * @param name the name in the heap's meters and messages; no other open heap of the same
   *     collector should have this name
   * @param functions makes the functions; null for the default functions
   * @return the heap, which belongs to the calling Java thread
   */
  Heap open(String name, @Nullable AllocationFunctionsFactory functions);

  /**
   * Opens a heap with a new name from an image.
   *
   * @param image an image of a heap under any collector
   * @param bindings what the names of the image mean
   * @return the heap, equal to the one that was saved; it belongs to the calling Java thread
   * @throws dev.gleaner.refusal.ImageException if the image is not sound, or names what is not
   *     bound; the message lists all that is missing
   * @throws dev.gleaner.refusal.HeapExhaustedException if the limit is too small; nothing is left
   */
  Heap open(HeapImage image, ImageBindings bindings);

  /**
   * Opens a heap with a given name from an image, as {@link #open(HeapImage, ImageBindings)} does.
   *
   * @param name the name in the heap's meters and messages; no other open heap of the same
   *     collector should have this name
   * @param image an image of a heap under any collector
   * @param bindings what the names of the image mean
   * @return the heap, equal to the one that was saved; it belongs to the calling Java thread
   */
  Heap open(String name, HeapImage image, ImageBindings bindings);

  /** {@return the name of the collector in the configuration} */
  String collector();

  /** {@return the collector's abilities under these settings} */
  CollectorTraits traits();

  /** {@return the general settings in force, with what the collector overrides} */
  HeapSettings settings();
}
