package dev.gleaner.spi;

import dev.gleaner.layout.Layout;
import java.util.Locale;
import org.apiguardian.api.API;

/**
 * What the mutator does at a store, besides storing. A collector's traits name the write barriers
 * that it needs ({@link CollectorTraits#barriers}); the heap runs no other.
 *
 * <p>The list is closed: the mutator has one access path for all collectors, and what is not chosen
 * costs one predicted branch at most. Some can be combined: {@link #COUNTING} with {@link
 * #SNAPSHOT}, {@link #FRAMES} with {@link #SNAPSHOT}. There is no load barrier, and so no
 * concurrent collector.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public enum WriteBarrier {
  /** The mutator stores, and does nothing else. */
  NONE,

  /**
   * Snapshot at the beginning (Yuasa 1990), for collectors that mark in slices. While {@link
   * HeapContext#barrier} is on, the mutator calls {@link Collector#beforeStore} with the old value
   * before it overwrites or loses it.
   */
  SNAPSHOT,

  /**
   * Reference counting. The mutator keeps the counts of {@link Collector#counts} at every word that
   * holds a value, slots of frames included, and hands what dropped to zero to {@link
   * Collector#freeUnreferenced} at the end of the operation.
   */
  COUNTING,

  /**
   * Remembered sets, for generational and region-based collectors. The mutator calls {@link
   * Collector#afterStore} with holder, place and value after it stored a reference into an element
   * whose header has {@link Layout#FLAG_UNLOGGED}.
   *
   * <p>The collector sets that flag on the elements of which it wants to hear: its old ones. An
   * object-remembering collector clears it when it has noted the holder, and sets it again when it
   * has scanned it; a collector that remembers slots or cards leaves it set. No other collector may
   * set the flag.
   *
   * <pre>
   *   what the mutator does                      afterStore(holder, place, value)
   *   slot of a record or object                 (element, slot, value)
   *   prototype                                  (object, its word, value)
   *   constant, inner function                   (function, its word, value)
   *   property value, array part                 (object, word of the table, value)
   *   new key                                    (object, word of the table, key)
   *   key kept for a walk when it is deleted     (object, 0, key)
   *   push on a suspended thread                 (thread, 0, value)
   *   slots, call stack, resumer of a thread     (thread, 0, 0) when another thread becomes current
   *   the same of the current thread             (thread, 0, 0) before a collection
   * </pre>
   *
   * <p>Place 0 stands for any word of the holder and of what it owns. A place outside of the holder
   * is in its property table, and is valid until the table is built anew; so who remembers slots
   * remembers the holder there. The slots of the current thread have no barrier.
   *
   * <p>What no element holds has no barrier either: global references, pinned buffers, the finalize
   * list and all that built-ins hold are roots of every minor collection. What is stored when an
   * element is made is no reference.
   */
  REMEMBERING,

  /**
   * Elements of frames. The mutator tells {@link Collector#frames} when a frame is left that it
   * watches, and of a value that is stored into what may outlive its frame.
   */
  FRAMES;

  private final String text = name().toLowerCase(Locale.ROOT);

  /** {@return the word of messages, such as {@code remembering}} */
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return text;
  }
}
