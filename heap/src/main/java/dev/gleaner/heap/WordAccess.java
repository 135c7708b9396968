package dev.gleaner.heap;

import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.Collector;
import dev.gleaner.weak.Undecided;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The words that hold values, and the barriers of collectors. Only this class changes such a word;
 * only this class knows what the collector wants to be told. One class serves all collectors, as an
 * interface would make a call of each access.
 *
 * <pre>
 *   a slot, a root     {@link #write} {@link #put} {@link #setSlot} {@link #replaced}   no barrier but counts
 *   an element         {@link #store} {@link #storePlain} {@link #storeRange}     all barriers
 *   words that move    {@link #take} {@link #give} {@link #copy} {@link #drop}           a value takes its count along
 *   a frame that ends  {@link #leave} {@link #leaveWith} {@link #evacuate}         young elements outlive it
 * </pre>
 *
 * <p>Under a collector that counts, {@link ReferenceCounts} counts the references of all words,
 * slots included. At its end an operation frees the dropped elements by {@link #settle}. That call
 * may run finalizers, so no operation uses older offsets afterwards. So a step may drop and write
 * words in any order before.
 *
 * <p>Under a collector of frames, {@link FrameBuffer} has the records that the frames of the
 * running thread made. If such a record is stored anywhere but into a slot, it may escape from its
 * frame, and then all young elements move.
 *
 * <p>While a snapshot is under way, {@link HeapParts#barrier} is true: the collector sees each
 * value that a store overwrites, and each value that comes from outside of the snapshot.
 */
abstract sealed class WordAccess extends Registers permits Mutator {
  /** From this number of words on the JVM's copy is faster than a loop. */
  private static final int MANY = 32;

  private final HeapParts context;
  private final @Nullable ReferenceCounts counts;
  final HeapCore core;

  WordAccess(HeapParts context, Collector collector, HeapCore.Maker parts) {
    super(context, collector);
    this.context = context;
    this.counts = collector.counts();
    this.core = parts.make(this);
  }

  // ---- a slot or a root ----

  /** Writes a value to a word, and counts the new value and the old one. */
  void write(long at, long value) {
    if (counts == null) {
      mem.put(at, value);
    } else {
      counts.write(at, value);
    }
  }

  /** Writes a value that needs no new count: no reference, or moved here from another word. */
  void put(long at, long value) {
    if (counts == null) {
      mem.put(at, value);
    } else {
      counts.put(at, value);
    }
  }

  void setSlot(int d, long value) {
    writeSlot(slot(d), value);
  }

  /** Writes to a slot's word. Numbers that replace numbers take a fast path. */
  void writeSlot(long at, long value) {
    if (counts == null || (!Values.isReference(value) && isUncounted(at))) {
      mem.putUnchecked(at, value);
    } else {
      counts.write(at, value);
    }
  }

  /** Whether a value that is no reference may replace a word without counting. */
  private boolean isUncounted(long at) {
    return counts == null || !Values.isReference(mem.get(at));
  }

  /** Sets two slots at once, so that a drop by the first slot cannot disturb the second one. */
  void setSlots(int d, long value, int d2, long value2) {
    long at = slot(d);
    long at2 = slot(d2);
    count(value);
    count(value2);
    drop(mem.getUnchecked(at));
    mem.putUnchecked(at, value);
    drop(mem.getUnchecked(at2));
    mem.putUnchecked(at2, value2);
    settle();
  }

  /** Notes that a root outside of the heap's memory gets a new value. */
  void replaced(long old, long value) {
    if (counts != null) {
      counts.increment(value);
      counts.decrement(old);
    } else if (context.barrier()) {
      shade(old);
    }
  }

  // ---- counts ----

  /** Counts a value that was written to a dead word, or to a root. */
  void count(long value) {
    if (counts != null) {
      counts.increment(value);
    }
  }

  /** Drops a value whose word is overwritten or dies. */
  void drop(long value) {
    if (counts != null) {
      counts.decrement(value);
    }
  }

  /** Drops the values of words before the words are overwritten or die. */
  void drop(long from, long to) {
    if (counts != null && from < to) {
      counts.decrementSlice(from, to);
    }
  }

  /** Frees the elements that the operation dropped. */
  void settle() {
    if (counts != null) {
      counts.settle();
    }
  }

  /** Whether references are counted. */
  boolean areCounted() {
    return counts != null;
  }

  /** Returns the function that drops what a sweep removes from a weak table; null if uncounted. */
  @Nullable LongConsumer dropper() {
    return counts == null ? null : this::dropFromWeak;
  }

  /**
   * Drops what a weak table held. What a collection in slices found dead is not freed by counts:
   * the collection frees it, or keeps it for a finalizer.
   */
  private void dropFromWeak(long value) {
    Undecided by = context.undecided();
    if (counts != null && by != null && Values.isReference(value) && by.hides(value)) {
      counts.lower(value);
    } else if (counts != null) {
      counts.decrement(value);
    }
  }

  // ---- words that move, or become undefined ----

  /** Makes words undefined; the caller settles the operation. */
  void clear(long from, long to) {
    if (counts != null) {
      counts.decrementSlice(from, to);
    }
    fill(from, (int) ((to - from) >> 3));
  }

  /** Makes dead words undefined. */
  void fill(long from, int words) {
    // The loop counts with an int: the compiler splits a loop over a long into two loops.
    for (int i = 0; i < words; i++) {
      mem.putUnchecked(from + ((long) i << 3), Values.UNDEFINED);
    }
  }

  /** Takes the value of a slot along, with its count. */
  long take(long at) {
    long v = mem.get(at);
    if (counts != null) {
      mem.put(at, Values.UNDEFINED);
    }
    return v;
  }

  /** Writes a value that was taken along to a slot, and settles the operation. */
  void give(long at, long value) {
    if (counts == null) {
      mem.putUnchecked(at, value);
    } else {
      counts.put(at, value);
      counts.settle();
    }
  }

  /** Copies words to dead words, and counts their values. */
  void copy(long from, long to, int words) {
    for (int i = 0; i < words; i++) {
      mem.putUnchecked(to + ((long) i << 3), mem.getUnchecked(from + ((long) i << 3)));
    }
    if (counts != null) {
      counts.incrementSlice(to, to + ((long) words << 3));
    }
  }

  /** Copies words over slots. The words may overlap. Settles the operation. */
  void copyOver(long from, long to, int words) {
    if (counts != null) {
      counts.incrementSlice(from, from + ((long) words << 3));
      counts.decrementSlice(to, to + ((long) words << 3));
    }
    move(from, to, words);
    settle();
  }

  /** Counts values that land in other words. */
  void count(long from, int words) {
    if (counts != null) {
      counts.incrementSlice(from, from + ((long) words << 3));
    }
  }

  /** Moves words, which may overlap, with their counts. */
  void move(long from, long to, int words) {
    if (words >= MANY) {
      mem.copy(from, to, (long) words << 3);
    } else if (to <= from) {
      for (int i = 0; i < words; i++) {
        mem.putUnchecked(to + ((long) i << 3), mem.getUnchecked(from + ((long) i << 3)));
      }
    } else {
      for (int i = words - 1; i >= 0; i--) {
        mem.putUnchecked(to + ((long) i << 3), mem.getUnchecked(from + ((long) i << 3)));
      }
    }
  }

  /** Moves words to dead words above them. What was moved leaves undefined words behind. */
  void moveAway(long from, long to, int words) {
    for (int i = 0; i < words; i++) {
      long at = from + ((long) i << 3);
      mem.putUnchecked(to + ((long) i << 3), mem.getUnchecked(at));
      mem.putUnchecked(at, Values.UNDEFINED);
    }
  }

  // ---- a word of an element, or of a block that the element owns ----

  void store(long holder, long place, long value) {
    store(holder, mem.get(holder), place, value);
  }

  void store(long holder, long header, long place, long value) {
    if (young != null) {
      storeInFrame(young, holder, header, place, value);
    } else if (counts != null) {
      counts.write(place, value);
    } else {
      storeUncounted(place, value);
      if ((header & Layout.FLAG_UNLOGGED) != 0) {
        remember(holder, place, value);
      }
    }
  }

  /** Does {@link #store}. Numbers for numbers take a fast path. */
  void storeValue(long holder, long place, long value) {
    if (!Values.isReference(value) && !context.barrier() && isUncounted(place)) {
      mem.put(place, value);
    } else {
      store(holder, place, value);
    }
  }

  /** Stores a value that is no reference. */
  void storePlain(long place, long value) {
    if (counts != null) {
      counts.write(place, value);
    } else {
      storeUncounted(place, value);
    }
  }

  private void storeUncounted(long place, long value) {
    if (context.barrier()) {
      shadeAt(place);
    }
    mem.put(place, value);
  }

  private void shadeAt(long place) {
    shade(mem.get(place));
  }

  /**
   * Reports a stored reference to the collector, if the collector has marked the holder for that.
   *
   * @param place the word; 0 for any word of the element and of its blocks
   */
  void remember(long holder, long place, long value) {
    if ((mem.get(holder) & Layout.FLAG_UNLOGGED) != 0 && Values.isReference(value)) {
      tellOfStore(holder, place, value);
    }
  }

  private void tellOfStore(long holder, long place, long value) {
    section.enter();
    collector.afterStore(holder, place, value);
    section.leave();
  }

  /** Reports to a snapshot a reference that is overwritten, or that comes from outside of it. */
  void shade(long value) {
    section.enter();
    collector.beforeStore(value);
    section.leave();
  }

  /** Does {@link #shade} if a snapshot is under way. */
  void shadeForSnapshot(long value) {
    if (context.barrier()) {
      shade(value);
    }
  }

  private void storeInFrame(FrameBuffer f, long holder, long header, long place, long value) {
    // Only young elements have generation 0, and they lie below the top.
    if (header >>> FrameBuffer.GENERATION_SHIFT == 0 && holder >= f.mark()) {
      mem.put(place, value);
    } else {
      storeElsewhere(f, holder, header, place, value);
    }
  }

  /**
   * Stores into an element that the last frame did not make. This case is rare, so it has its own
   * method.
   */
  private void storeElsewhere(FrameBuffer f, long holder, long header, long place, long value) {
    long age = header >>> FrameBuffer.GENERATION_SHIFT;
    if (age != 0 && !context.barrier() && isAsOld(value, age)) {
      mem.put(place, value);
    } else {
      storeInOlder(f, holder, place, value);
    }
  }

  private boolean isAsOld(long value, long age) {
    if ((value & NOT_REFERENCE) != 0) {
      return false;
    }
    long generation = mem.get(value) >>> FrameBuffer.GENERATION_SHIFT;
    return generation != 0 && generation <= age; // 0 stands for young or undefined
  }

  /** Stores into an element of an older frame: the value may escape from its own frame. */
  private void storeInOlder(FrameBuffer f, long holder, long place, long value) {
    if (context.barrier()) {
      section.enter();
      f.shade(holder, mem.get(place));
      section.leave();
    }
    if ((value & NOT_REFERENCE) != 0 || value == 0 || !f.escapes(holder, value)) {
      mem.put(place, value);
      return;
    }
    boolean moves = f.contains(place); // an object may move, but its table never does
    flush();
    section.enter();
    long v = f.escape(holder, value);
    section.leave();
    mem.put(moves ? f.moved(holder) + (place - holder) : place, v);
  }

  // ---- ranges of an element ----

  /**
   * Stores a range of slots into the element in slot {@code r}.
   *
   * @param to the place of the first word, in the element itself
   */
  void storeRange(int r, long to, int s, int count) {
    long from = slots(s, count);
    if (young != null) {
      storeOneByOne(r, to - value(r), s, count);
    } else if (counts != null) {
      copyOver(from, to, count);
    } else {
      storeRangeUncounted(value(r), from, to, count);
    }
  }

  /** Stores value by value: each store may move all young elements, the record too. */
  private void storeOneByOne(int r, long place, int s, int count) {
    for (int k = 0; k < count; k++) {
      long holder = value(r);
      store(holder, holder + place + ((long) k << 3), value(s + k));
    }
  }

  private void storeRangeUncounted(long holder, long from, long to, int count) {
    if (context.barrier()) {
      for (int k = 0; k < count; k++) {
        shade(mem.get(to + ((long) k << 3)));
      }
    }
    move(from, to, count);
    if ((mem.get(holder) & Layout.FLAG_UNLOGGED) != 0) {
      for (int k = 0; k < count; k++) {
        long place = to + ((long) k << 3);
        remember(holder, place, mem.get(place));
      }
    }
  }

  /**
   * Whether a range of a block cannot be copied to another one as a whole, because each value may
   * escape, or because a snapshot looks at each.
   */
  boolean storesOneByOne(boolean sameHolder) {
    return young != null && (!sameHolder || context.barrier());
  }

  /**
   * Copies words of one block over words of another block or of the same one. The caller settles
   * the operation and calls {@link #stored}.
   *
   * @param overwritten the number of words that die, from {@code to} on; at least {@code words}
   */
  void copyRange(long from, long to, int words, int overwritten) {
    for (int i = 0; context.barrier() && i < overwritten; i++) {
      long old = mem.get(to + ((long) i << 3));
      if (Values.isReference(old)) {
        shade(old);
      }
    }
    if (counts != null) {
      counts.incrementSlice(from, from + ((long) words << 3));
      counts.decrementSlice(to, to + ((long) overwritten << 3));
    }
    mem.copy(from, to, (long) words << 3);
  }

  /** Writes a value that is no reference over a word that {@link #copyRange} let die. */
  void overwrite(long holder, long place, long value) {
    if (young != null) {
      store(holder, place, value);
    } else {
      mem.put(place, value);
    }
  }

  /** Notes that any word of an element's blocks has changed. */
  void stored(long holder) {
    if ((mem.get(holder) & Layout.FLAG_UNLOGGED) != 0) {
      tellOfStore(holder, 0, 0);
    }
  }

  // ---- frames ----

  /** Returns a value after its element has escaped to a place that all frames can refer to. */
  long escaping(long value) {
    if (young == null || !Values.isReference(value)) {
      return value;
    }
    flush();
    section.enter();
    long v = young.escape(0, value);
    section.leave();
    return v;
  }

  /** Returns the element in a slot after it has escaped from the frame that owned it. */
  long escapingSlot(int s) {
    long e = reference(s);
    return young == null ? e : escaping(e);
  }

  /** Returns a key after its element, if it is not old, has escaped. */
  long escapingKey(long key) {
    boolean owned =
        young != null
            && Values.isReference(key)
            && mem.get(key) >>> FrameBuffer.GENERATION_SHIFT != FrameBuffer.OLD;
    return owned ? escaping(key) : key;
  }

  /** Lets the elements of some slots escape. */
  void escape(int first, int count) {
    if (young != null) {
      for (int i = 0; i < count; i++) {
        long _ = escaping(value(first + i));
      }
    }
  }

  /** Moves the young elements of the running thread's frames to places that outlive the frames. */
  void evacuate() {
    if (young != null) {
      flush();
      section.enter();
      young.evacuate();
      section.leave();
    }
  }

  /** Whether the collector has its return barrier at the frame. */
  boolean isAtBarrier(long base) {
    return young != null && base == young.returnBarrier();
  }

  /** Returns the result of a frame at the barrier after young elements have moved to the caller. */
  long leave(long result, long callerBase) {
    long v = result;
    if (young != null && base == young.returnBarrier()) {
      if (young.copies()) {
        flush();
      }
      section.enter();
      v = young.leave(v, callerBase);
      section.leave();
    }
    return v;
  }

  /** Does {@link #leave} for results in slots from a place on. */
  void leaveWith(long from, int results, long callerBase) {
    if (young != null && base == young.returnBarrier()) {
      if (young.copies()) {
        flush();
      }
      section.enter();
      young.leaveWith(from, results, callerBase);
      section.leave();
    }
  }

  /** Tells the collector that many slots of the frame have become undefined. */
  void compacted() {
    if (young != null && base == young.returnBarrier()) {
      section.enter();
      young.flush(base, top);
      young.compact();
      section.leave();
    }
  }
}
