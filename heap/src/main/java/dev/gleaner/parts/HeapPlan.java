package dev.gleaner.parts;

import dev.gleaner.memory.AllocationFunctionsFactory;
import dev.gleaner.settings.HeapSettings;
import dev.gleaner.spi.CollectorFactory;
import dev.gleaner.spi.CollectorTraits;
import dev.gleaner.trace.TraceSink;
import org.jspecify.annotations.Nullable;

/**
 * The plan by which a factory makes heaps. Programs do not see it.
 *
 * @param name the heap's name, which tags its meters and messages
 * @param settings all settings in force
 * @param traits the collector's traits
 * @param collectors makes the collector
 * @param functions makes the program's own allocation functions; null for the default functions
 * @param trace gets the operations on the heap; null for no trace
 */
public record HeapPlan(
    String name,
    HeapSettings settings,
    CollectorTraits traits,
    CollectorFactory collectors,
    @Nullable AllocationFunctionsFactory functions,
    @Nullable TraceSink trace) {

  private static volatile @Nullable Opener opener;

  /** Opens heaps; classes of the package above this one. */
  @FunctionalInterface
  public interface Opener {
    /**
     * Opens a heap.
     *
     * @param image what the heap holds at first; null for an empty heap
     * @param bindings what the names of the image mean; null for an empty heap
     */
    Object open(HeapPlan plan, @Nullable Object image, @Nullable Object bindings);
  }

  /** Sets what opens heaps. The class of heaps calls this method when it is loaded. */
  public static void openBy(Opener open) {
    opener = open;
  }

  /**
   * Opens the heap, for the calling Java thread.
   *
   * @param image what the heap holds at first, of the package above this one; null for an empty
   *     heap
   * @param bindings what the names of the image mean; null for an empty heap
   * @return a heap; its class lies in a package above this one
   * @throws IllegalStateException if that class is not loaded
   * @throws dev.gleaner.refusal.HeapExhaustedException if the settings leave no room for the heap's
   *     first thread
   */
  public Object open(@Nullable Object image, @Nullable Object bindings) {
    Opener open = opener;
    if (open == null) {
      throw new IllegalStateException("the class of heaps is not loaded");
    }
    return open.open(this, image, bindings);
  }
}
