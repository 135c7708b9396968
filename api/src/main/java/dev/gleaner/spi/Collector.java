package dev.gleaner.spi;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.OffsetVisitor;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.space.SpaceSet;
import org.jspecify.annotations.Nullable;

/**
 * A heap's garbage collector.
 *
 * <p>Called on the heap's Java thread only. The heap has written its registers back before {@link
 * #collect} and {@link #step}, decides when to collect, retries refused requests, and runs
 * finalizers and callbacks afterwards; the collector finds what is due. No method may call the
 * heap. Threads of the collector's own may work while a method runs, and no longer.
 */
public interface Collector {
  /**
   * What {@link #allocate} answers when a minor collection is to come first: the heap asks for one
   * and tries again. Answered once more it stands for 0, and a full collection follows.
   */
  long NURSERY_FULL = -1;

  /**
   * What {@link #allocate} answers when a full collection had better come first, by the collector's
   * own rule: the heap does one, with the cause {@code collector}, and tries again; at once where
   * it has just done one for this request, or the limit is smaller. Answered once more it stands
   * for 0.
   */
  long FULL_DUE = -2;

  /**
   * The allocation buffers from which the heap takes small cells of a kind by itself: [2c] the next
   * cell, [2c + 1] the end for cells of c words (header included); their memory reads as zero. The
   * array stays the same for the life of the heap. By default there are none, and every element
   * comes from {@link #allocate}.
   *
   * <p>An array of two words is one buffer for cells of all sizes: {@link
   * dev.gleaner.space.Cursor#buffer}. It may be the same one for all kinds.
   *
   * <p>Taken are records, objects, strings and integers of up to {@link SizeClasses#EXACT} words.
   * The heap writes an element's header before it calls the collector again.
   *
   * @param kind one of the kinds of {@link Layout}
   * @return the buffers by size class, or one; 0 where the heap is to ask for each cell
   */
  default long[] allocationBuffers(int kind) {
    return new long[2 * SizeClasses.COUNT];
  }

  /**
   * Takes memory for an element, without collecting.
   *
   * @param kind one of the kinds of {@link Layout}
   * @param words of header and payload together
   * @return the element, all of it zero (but for the word before a large one), 0 if refused, {@link
   *     #NURSERY_FULL}, or {@link #FULL_DUE}
   */
  long allocate(int kind, long words);

  /**
   * Gives back what is granted but not used, so that figures are exact and elements can be walked.
   */
  default void retire() {}

  /**
   * Told of a store into an element while {@link HeapContext#barrier} is on, before it happens;
   * also of a reference that leaves the heap's weak structures or a suspended thread's stack, and
   * of all that a thread holds before it is resumed (then {@code oldValue} is that reference).
   *
   * @param oldValue the tagged value that is about to be overwritten or lost
   */
  default void beforeStore(long oldValue) {}

  /**
   * Told of a reference that was stored into an element with {@link Layout#FLAG_UNLOGGED}, as
   * {@link WriteBarrier#REMEMBERING} says; elements do not move in it.
   *
   * @param holder the element
   * @param place the word of the holder, or of its property table, that has the reference; 0 if it
   *     may be any word of the element and of what it owns
   * @param value the reference; 0 if there may be several
   */
  default void afterStore(long holder, long place, long value) {}

  /**
   * The counts of references that the heap is to keep, the same for its life; null, the default, if
   * the collector does without. What drops to zero is told by {@link #freeUnreferenced}.
   *
   * @return the counts, or null
   */
  default @Nullable ReferenceCounts counts() {
    return null;
  }

  /**
   * Free cells that the heap may take by itself, the same space for its life; by default none.
   *
   * @return the space, or null
   */
  default @Nullable FreeListSpace cells() {
    return null;
  }

  /**
   * The records that go with the frame that made them, the same for the heap's life; null, the
   * default, if frames mean nothing to the collector. With them elements may also move in {@link
   * #allocate}, in stores, and when the heap changes threads.
   *
   * @return the records of frames, or null
   */
  default @Nullable FrameBuffer frames() {
    return null;
  }

  /**
   * Frees what {@link ReferenceCounts#nextZero} gives, and what that alone held; what has a
   * finalizer goes to the finalize list. Called at the end of an operation, and has no side effect
   * on anything else.
   */
  default void freeUnreferenced() {}

  /**
   * {@return whether finalizers run in the midst of what needs them, as in Duktape 1.x: {@link
   * #freeUnreferenced} returns when it has put an element on the finalize list, and is called
   * again; and a collection is not over before its finalizers are}
   */
  default boolean finalizesInline() {
    return false;
  }

  /**
   * Does a collection. After a full one all that cannot be reached is reclaimed or on the finalize
   * list; some of it may stay under {@code CollectFlags.VOLUNTARY}. A minor one is asked only of
   * collectors with {@link Capability#MINOR}; it keeps all that can be reached, and reclaims what
   * it will. Elements may move in either, and in {@link #step}.
   *
   * @param request cause, scope and flags
   */
  void collect(CollectionRequest request);

  /**
   * Starts an incremental collection, or goes on with it, until {@link System#nanoTime} reaches the
   * deadline. Asked only of collectors that can.
   *
   * @param deadline a time of {@link System#nanoTime}, in nanoseconds
   * @return whether the collection is complete
   */
  default boolean step(long deadline) {
    throw new UnsupportedOperationException("not incremental");
  }

  /**
   * {@return the phase that the last {@link #step} spent most of its time in, such as {@code mark};
   * empty if the collector names none}
   */
  default String phase() {
    return "";
  }

  /** {@return whether an incremental collection is under way} */
  default boolean inCycle() {
    return false;
  }

  /**
   * {@return whether a fixed buffer stays where it is for as long as it is reached}
   *
   * @param buffer the offset of a fixed buffer
   */
  default boolean stays(long buffer) {
    return true;
  }

  /**
   * Sees to it that a fixed buffer {@link #stays} after the next collection. Asked only of
   * collectors whose traits say that they pin.
   *
   * @param buffer the offset of a fixed buffer
   * @return false if there is no memory for it
   */
  default boolean makeStay(long buffer) {
    throw new UnsupportedOperationException("moves nothing");
  }

  /**
   * {@return where the elements live, the built-ins among them; the same for the life of the heap}
   *
   * <p>Walks and figures are sums over these. A collector that answers none, the default, overrides
   * the four methods below.
   */
  default SpaceSet spaces() {
    return new SpaceSet();
  }

  /**
   * Brings the figures up to date: asked before those below, but not where another Java thread asks
   * for figures, which may be older than the last of what was taken from buffers.
   */
  default void updateFigures() {
    spaces().updateFigures();
  }

  /**
   * Calls back for every element, strings included. An incremental collection may be given up.
   *
   * @param visitor is told of each; must not use the heap
   */
  default void forEachElement(OffsetVisitor visitor) {
    spaces().forEach(visitor);
  }

  /**
   * {@return the number of elements of a kind, garbage not yet found included}
   *
   * @param kind one of the kinds of {@link Layout}
   */
  default long elements(int kind) {
    return spaces().elements(kind);
  }

  /** {@return the number of elements allocated since the heap was opened} */
  default long allocatedElements() {
    return spaces().allocatedElements();
  }

  /** {@return bytes of elements allocated since the heap was opened} */
  default long allocatedBytes() {
    return spaces().allocatedBytes();
  }

  /** {@return the number of elements reclaimed since the heap was opened} */
  default long reclaimedElements() {
    long live = 0;
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      live += elements(kind);
    }
    return allocatedElements() - live;
  }

  /** {@return the number of elements reclaimed outside of collections since the heap was opened} */
  default long promptlyReclaimedElements() {
    return 0;
  }

  /**
   * {@return bytes that were charged for elements reclaimed outside of collections since the heap
   * was opened, and for what they owned}
   */
  default long promptlyReclaimedBytes() {
    return 0;
  }

  /**
   * {@return the number of elements that nothing reaches and that will not be reclaimed, as of the
   * last collection; of collectors without {@link Capability#CYCLES}}
   */
  default long leakedElements() {
    return 0;
  }

  /**
   * {@return the number of elements that were copied to another place since the heap was opened; -1
   * if none ever is}
   */
  default long movedElements() {
    return -1;
  }

  /**
   * Says what the collector knows of an element, for people: whether it is marked, how old it is.
   * Changes nothing; the heap may be broken, and the element damaged.
   *
   * @param element the offset of an element
   * @return a few words such as {@code marked, generation 2}; empty by default
   */
  default String describe(long element) {
    return "";
  }

  /**
   * Says what is wrong inside the collector, or null.
   *
   * @return what is wrong, or null
   */
  default @Nullable String verify() {
    return null;
  }

  /**
   * Releases memory of the collector's own. The elements' memory goes with the heap's, unless it
   * came from {@link HeapContext#hasUserFunctions the user's functions}: then it is given back to
   * them.
   */
  void close();
}
