package dev.gleaner.frame;

import dev.gleaner.memory.Memory;

/**
 * Two services for a collector whose records go when frames are left: an allocation buffer that
 * belongs to a frame, and a return barrier.
 *
 * <pre>
 *   mark              top       clean       end
 *   | made by the     | granted, | granted   | not granted
 *   | frame at base   | zero     |           |
 * </pre>
 *
 * <p>The mutator bumps {@code top} for a record of the frame at {@code base}. Any other frame, and
 * any record that does not fit, is a matter of {@link #makeRoom} and {@link #allocate}. A frame at
 * the return barrier is told when it is left or compacted; others cost one comparison.
 *
 * <p><b>The barrier FRAMES.</b> The upper half of a header is 0 for a record here, and a generation
 * for every other element. A reference may lead to an equal or lower generation only, and {@link
 * #OLD} is the lowest: what no frame owns. A store that would break this <i>escapes</i>: the
 * collector lowers or moves what is to be held. Stores into the records of the frame at {@code
 * base}, from {@link #mark} on, need no barrier.
 *
 * <p>Which records lie here, where, and what becomes of them is the collector's own. It keeps the
 * buffer's words where they are, so that a program's step reads them without a call.
 */
public abstract class FrameBuffer {
  /** Where a header has its element's generation. */
  public static final int GENERATION_SHIFT = 32;

  /** The generation of elements that no frame owns. */
  public static final int OLD = 1;

  /** Bytes of the grant that are zeroed at once. */
  private static final long CLEANED = 1 << 10;

  protected final Memory memory;

  /** Where the next record begins. */
  protected long top;

  /** What is granted is zero up to here, and no more records fit below than are left. */
  protected long clean;

  /** The end of what is granted. */
  protected long end;

  /** Records that the grant leaves. */
  protected long unused;

  /** The frame on the value stack that the buffer belongs to; 0 if there is none. */
  protected long base;

  /** Where the records of that frame begin. */
  protected long mark;

  /** The frame that is to be told when it is left or compacted; 0 if there is none. */
  protected long returnBarrier;

  /** The first word of the running thread's value stack. */
  protected long stackStart;

  /** The running frame, as {@link #flush} told. */
  protected long frameBase;

  /** The end of the value stack, as {@link #flush} told. */
  protected long stackTop;

  private long thread;
  private boolean mainThread;
  private int born;

  protected FrameBuffer(Memory memory) {
    this.memory = memory;
  }

  // ---- allocation ----

  /** Whether {@link #take} has a record for the frame with this base. */
  public final boolean fits(long frame, int slots) {
    return frame == base && top + ((slots + 1L) << 3) <= clean;
  }

  /** Sees to it that a record fits; false if {@link #allocate} has to look for room. */
  public final boolean makeRoom(long frame, int slots) {
    long next = top + ((slots + 1L) << 3);
    return (next <= clean || cleanTo(next)) && (frame == base || listHere(frame));
  }

  /** Takes a record that fits, whose header the caller writes. */
  public final long take(int slots) {
    long e = top;
    top = e + ((slots + 1L) << 3);
    unused--;
    return e;
  }

  /** Zeroes more of what is granted, at least up to the end of the next record. */
  private boolean cleanTo(long next) {
    if (next > end || unused == 0) {
      return false;
    }
    long last = top + (unused << 3); // where the smallest records would end
    long to = Math.max(next, Math.min(Math.min(clean + CLEANED, end), last));
    memory.zero(clean, to - clean);
    clean = to;
    return true;
  }

  /** Gives the buffer to another frame; false if its records cannot go where the last one's are. */
  protected abstract boolean listHere(long frame);

  /**
   * Finds room for a record of the frame that was told last; may move elements.
   *
   * @return the record, whose header the caller writes, or 0 if there is no room within the limit
   */
  public abstract long allocate(int slots);

  /** The generation of the element allocated last, which is to be in its header. */
  public final long bornBits() {
    return (long) born << GENERATION_SHIFT;
  }

  /** Sets the generation that the element allocated last is born with; 0 if it is here. */
  public final void setBorn(int generation) {
    born = generation;
  }

  // ---- frames ----

  /** The frame whose leaving and compacting is to be told; 0 if there is none. */
  public final long returnBarrier() {
    return returnBarrier;
  }

  /** Tells which thread runs, and where its value stack is. */
  public final void reload(long runningThread, boolean isMain, long valueStack) {
    thread = runningThread;
    mainThread = isMain;
    stackStart = valueStack;
    reloaded();
  }

  /** Told that another thread runs, or that its value stack lies elsewhere. */
  protected abstract void reloaded();

  /** Tells where the frame and the value stack's top are. */
  public final void flush(long frame, long valueTop) {
    frameBase = frame;
    stackTop = valueTop;
  }

  /**
   * Leaves the frame of the return barrier.
   *
   * @param value the result, or anything that is no reference
   * @param callerBase the frame that goes on
   * @return the result, which is elsewhere if it was copied
   */
  public abstract long leave(long value, long callerBase);

  /**
   * Leaves the frame of the return barrier with several results, which stand in slots of it: a
   * result that is copied is written back there.
   *
   * @param from the word of the first result on the value stack
   * @param results how many, 0 as well
   * @param callerBase the frame that goes on
   */
  public abstract void leaveWith(long from, int results, long callerBase);

  /** Tells that the slots of the frame of the return barrier were wiped, but for some. */
  public abstract void compact();

  /**
   * Whether what leaves a frame and {@link #compact} copy, and so must know the value stack's top.
   */
  public boolean copies() {
    return false;
  }

  /** Moves all elsewhere, because another thread is to run. */
  public abstract void evacuate();

  // ---- stores ----

  /** Where the records begin that no store into needs a barrier: those of the frame at the base. */
  public long mark() {
    return mark;
  }

  /** Whether an element is here. */
  public abstract boolean contains(long element);

  /** Whether a reference from this element to that one would lead to a younger one. */
  public abstract boolean escapes(long holder, long value);

  /**
   * Makes a value's element as old as one that is to hold it.
   *
   * @param holder 0 for what every frame can see
   * @return the value, which is elsewhere if it was here
   */
  public abstract long escape(long holder, long value);

  /** Where a record is that was here before an evacuation. */
  public abstract long moved(long element);

  /** Told of a store into an older element while the barrier is on. */
  public abstract void shade(long holder, long oldValue);

  // ---- for the collector ----

  /** The running frame's base, from the value stack's start. */
  public final long runningBase() {
    return frameBase - stackStart;
  }

  /** The first word of the running thread's value stack. */
  public final long stackStart() {
    return stackStart;
  }

  /** The end of the running thread's value stack. */
  public final long stackTop() {
    return stackTop;
  }

  /** The running thread. */
  public final long thread() {
    return thread;
  }

  /** Whether the main thread runs. */
  public final boolean isMainThread() {
    return mainThread;
  }
}
