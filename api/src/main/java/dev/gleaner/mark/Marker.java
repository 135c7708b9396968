package dev.gleaner.mark;

import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.layout.BlockWatch;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.MarkBits;
import dev.gleaner.space.RawSpace;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Marks what is reachable from given elements: mark bits at the side, and grey elements on a
 * bounded stack or, when there are too many, in the bits themselves, window by window.
 *
 * <pre>
 *   few grey elements:    stack (LIFO), as fast as a plain mark stack on lists and trees
 *        | full                                      ^ few left
 *        v                                           |
 *   many grey elements:   grey = marked and not black; windows of 2 MiB with grey elements wait in a
 *                         queue; a window is scanned in address order, a reference into it goes to
 *                         the stack, one out of it only sets a mark bit and queues its window
 * </pre>
 *
 * <p>On a large graph a stack meets a cache miss an element and another a mark; by windows elements
 * are read in sequence and only the mark bits, 1/64 of the heap, are hit at random. Black bits are
 * kept by windows only: when the stack is full, all that is marked but not on it is black, a copy.
 * The stack's bound takes the place of the recursion limit (Duktape, "Mark-and-sweep", TEMPROOT):
 * beyond it nothing is lost, and marking needs no memory but for the black bits.
 *
 * <p>Without a deadline several threads scan windows, each its own ({@link SharedWindows}). They
 * set mark bits by atomic operations. All else that a thread writes is its own: the black bits of
 * its window, and its stack.
 *
 * <p>Invariants: while {@code windowed}, an element is grey if it is on the stack, in {@code
 * pending}, the rest of one being split, or marked and not black, and then its window is queued or
 * current.
 *
 * <p>With a deadline, a large element and a large block are scanned in parts, as the program goes
 * on in between. An element stays where it is. A block may be replaced, or go with its element:
 * {@link BlockWatch} tells of that, and the new one is scanned from its begin. Within a block
 * values move only to higher places, but for ranges, of which the snapshot is told.
 */
public final class Marker implements AutoCloseable {
  /** Told of the elements that a marking reaches. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Looks at an element before it is scanned: once in a marking, and again if it is given to
     * {@link #rescan}. It may write the collector's bits of the header, and nothing else.
     *
     * @param element its offset
     * @param header its header
     */
    void reached(long element, long header);
  }

  private static final int WINDOW_SHIFT = 21;
  private static final int WINDOW_BITS_BYTES = 1 << (WINDOW_SHIFT - 6);
  private static final int CHUNK_BYTES = 16 << 10;
  private static final int FUEL = 512;
  private static final int UNROLLED = 4;
  private static final int NONE = -1;

  /** The windows of memory for each thread that marks. */
  private static final int WINDOWS_A_THREAD = 8;

  private final Memory memory;
  private final long maxBytes;
  private static final int LEAST_STACK = 16;
  private static final int LEAST_KEPT = 2048;

  private final int stackLimit;
  private long[] stack = new long[LEAST_STACK];
  private int top;
  private long[] batch = new long[0];
  private @Nullable MarkBits markBits;
  private Memory marks;
  private long extent;
  private @Nullable MarkBits blackBits;
  private Memory black;
  private boolean windowed;
  private long greys;
  private int[] queue = new int[0];
  private boolean[] queued = new boolean[0];
  private int queueHead;
  private int queueSize;
  private int window = NONE;
  private long windowAt;
  private long windowEnd;
  private long pending;
  private long pendingBase;
  private long splitAt;
  private long splitEnd;

  /** The element whose block is being split; 0 if an element itself is. */
  private long splitElement;

  private int splitBlock;
  private long splitStart;
  private final BlockWatch watch;
  private final @Nullable Visitor visitor;

  /** The Java threads that mark, where many elements are grey. */
  private final int threads;

  /** The windows of all threads, while several mark. */
  private @Nullable SharedWindows shared;

  private boolean timed;
  private int fuel;

  /**
   * Makes a marker.
   *
   * @param maxBytes the most bytes the memory can have
   * @param stackLimit the most grey elements kept on the stack, at least 16
   */
  public Marker(Memory memory, long maxBytes, int stackLimit) {
    this(memory, maxBytes, stackLimit, new BlockWatch(), null, 1);
  }

  /**
   * Makes a marker for marking in slices.
   *
   * @param watch told of blocks that are replaced
   * @param visitor told of each element that is reached, or null
   * @param threads the Java threads that mark where nobody is told, and there is no deadline
   */
  Marker(
      Memory memory,
      long maxBytes,
      int stackLimit,
      BlockWatch watch,
      @Nullable Visitor visitor,
      int threads) {
    this.memory = memory;
    this.watch = watch;
    this.visitor = visitor;
    this.threads = visitor == null ? threads : 1;
    this.marks = memory;
    this.black = memory;
    this.maxBytes = maxBytes;
    this.stackLimit = Math.max(LEAST_STACK, stackLimit);
  }

  /**
   * Starts a marking: clears the bits for the heap's extent.
   *
   * @return false if there is no memory for the bits
   */
  public boolean start(MarkBits bits, long heapExtent) {
    if (!bits.ensure(heapExtent)) {
      return false;
    }
    bits.clearAll(heapExtent);
    begin(bits, heapExtent);
    return true;
  }

  /** The same for all that lies in a heap's pages; memory that is not in use costs nothing. */
  public boolean start(MarkBits bits, RawSpace raw) {
    if (!bits.ensure(raw.extent())) {
      return false;
    }
    bits.clear(raw.pages());
    begin(bits, raw.extent());
    return true;
  }

  /**
   * Goes on with the marks of the last marking: what is marked is taken for scanned.
   *
   * @return false if there is no memory for the bits
   */
  public boolean resume(MarkBits bits, long heapExtent) {
    if (!bits.ensure(heapExtent)) {
      return false;
    }
    begin(bits, heapExtent);
    return true;
  }

  private void begin(MarkBits bits, long heapExtent) {
    reset();
    extent = heapExtent;
    bits.use(heapExtent);
    bits.set(0); // undefined reads as offset 0
    markBits = bits;
    marks = bits.region();
  }

  /** Drops all grey elements of a marking that was abandoned. */
  private void reset() {
    top = 0;
    window = NONE;
    pending = 0;
    endSplit();
    if (queueSize > 0) {
      Arrays.fill(queued, false);
      queueSize = 0;
    }
    greys = 0;
    windowed = false;
  }

  /** Marks a value's element grey, if it is a reference to one not yet marked. */
  public void mark(long value) {
    refresh();
    if (Values.isReference(value) && setMark(value)) {
      push(value);
    }
  }

  /** Makes an element grey though it may be marked: what it holds has changed. */
  public void rescan(long element) {
    refresh();
    boolean _ = setMark(element);
    if (windowed) {
      clearBlack(element);
    }
    push(element);
  }

  /** The bits' region may have been replaced by a larger one since the last call. */
  private void refresh() {
    if (markBits != null) {
      marks = markBits.region();
    }
    if (blackBits != null) {
      black = blackBits.region();
    }
  }

  private boolean setMark(long element) {
    long at = element >>> MarkBits.WORD_SHIFT << 3;
    long word = marks.get(at);
    long bit = 1L << (element >>> 3);
    if ((word & bit) != 0) {
      return false;
    }
    marks.put(at, word | bit);
    return true;
  }

  /** Marks and scans until no element is grey. */
  public void drain() {
    boolean done = drain(Long.MAX_VALUE);
    assert done;
  }

  /**
   * Marks and scans until no element is grey, or until {@link System#nanoTime} reaches the
   * deadline.
   *
   * @return whether no element is grey
   */
  public boolean drain(long deadline) {
    refresh();
    timed = deadline != Long.MAX_VALUE;
    if (splitElement != 0) {
      refreshSplit();
    }
    fuel = timed ? FUEL : Integer.MAX_VALUE;
    while (true) {
      if (fuel <= 0) {
        if (timed && System.nanoTime() - deadline >= 0) {
          return false;
        }
        fuel = timed ? FUEL : Integer.MAX_VALUE;
      }
      if (splitAt < splitEnd) {
        goOnSplit();
      } else if (!windowed) {
        if (top == 0) {
          return true;
        }
        drainStack();
      } else if (top > 0 || window != NONE) {
        drainWindow();
      } else if (queueSize == 0) {
        windowed = false;
        return true;
      } else if (greys <= stackLimit >> 2) {
        toStack();
      } else if (!timed && queueSize > 1 && isForSeveral()) {
        share();
      } else {
        open(dequeue());
      }
    }
  }

  // ---- few grey elements: the stack ----

  private void drainStack() {
    Memory m = memory;
    Visitor told = visitor;
    Memory b = marks;
    long[] st = stack;
    int t = top;
    int f = fuel;
    while (t > 0 && f > 0) {
      if (t > st.length - UNROLLED) {
        top = t;
        if (!growStack()) {
          toWindows();
          fuel = f;
          return;
        }
        st = stack;
      }
      long e = st[--t];
      long h = m.get(e);
      if (told != null) {
        told.reached(e, h);
      }
      int kind = (int) h & Layout.KIND_MASK;
      int words = (int) h >>> Layout.SIZE_SHIFT;
      f--;
      if (kind == Layout.RECORD && words <= UNROLLED) {
        if (words > 3) {
          t = visit(b, st, t, m.get(e + 32));
        }
        if (words > 2) {
          t = visit(b, st, t, m.get(e + 24));
        }
        if (words > 1) {
          long v = m.get(e + 8);
          long w = m.get(e + 16);
          boolean near = Math.abs(v - e) < Math.abs(w - e);
          t = visit(b, st, t, near ? w : v);
          t = visit(b, st, t, near ? v : w); // popped first: trees are read as they were laid out
        } else if (words > 0) {
          t = visit(b, st, t, m.get(e + 8));
        }
      } else if (kind > Layout.LAST_OPAQUE) {
        top = t;
        fuel = f;
        scan(e, h);
        if (windowed || splitAt < splitEnd) {
          return;
        }
        f = fuel;
        t = top;
        st = stack;
      }
    }
    top = t;
    fuel = f;
  }

  private static int visit(Memory b, long[] st, int t, long value) {
    if ((value & NOT_REFERENCE) == 0) {
      long at = value >>> MarkBits.WORD_SHIFT << 3;
      long word = b.get(at);
      long bit = 1L << (value >>> 3);
      if ((word & bit) == 0) {
        b.put(at, word | bit);
        st[t] = value;
        return t + 1;
      }
    }
    return t;
  }

  /** A marking is over: what its stack took is not kept until the next one. */
  void shrinkStack() {
    if (stack.length > LEAST_KEPT) {
      stack = new long[LEAST_STACK];
    }
  }

  private boolean growStack() {
    if (stack.length >= stackLimit) {
      return false;
    }
    stack = Arrays.copyOf(stack, Math.min(stackLimit, stack.length * 4));
    return true;
  }

  // ---- any element, in either way ----

  private void scan(long element, long header) {
    int kind = Layout.kind(header);
    long from = element + Layout.WORD;
    long end = Scanner.end(memory, element, header);
    if (timed && end - from > CHUNK_BYTES && splitAt >= splitEnd) {
      splitAt = from;
      splitEnd = end;
    } else {
      scanRange(from, end);
    }
    scanBlocks(element, kind, 0);
  }

  private void scanBlocks(long element, int kind, int first) {
    for (int b = first; b < Scanner.blocks(kind); b++) {
      long from = Scanner.blockStart(memory, element, kind, b);
      long end = Scanner.blockEnd(memory, element, kind, b);
      if (timed && end - from > CHUNK_BYTES && splitAt >= splitEnd) {
        splitElement = element;
        splitBlock = b;
        splitStart = from;
        splitAt = from;
        splitEnd = end;
        watch.watch(element);
        return; // the blocks after it come when it is done
      }
      scanRange(from, end);
    }
  }

  private void goOnSplit() {
    long from = splitAt;
    splitAt = Math.min(splitEnd, from + CHUNK_BYTES);
    scanRange(from, splitAt);
    if (splitAt == splitEnd && splitElement != 0) {
      long element = splitElement;
      int next = splitBlock + 1;
      endSplit();
      scanBlocks(element, Layout.kind(memory.get(element)), next);
    }
  }

  /** Looks what the program did to the block that is being split. */
  private void refreshSplit() {
    int kind = Layout.kind(memory.get(splitElement));
    if (splitBlock >= Scanner.blocks(kind)) { // freed
      endSplit();
      return;
    }
    long start = Scanner.blockStart(memory, splitElement, kind, splitBlock);
    if (watch.hasChanged() || start != splitStart) {
      splitStart = start;
      splitAt = start;
      watch.watch(splitElement);
    }
    splitEnd = Math.max(splitAt, Scanner.blockEnd(memory, splitElement, kind, splitBlock));
  }

  private void endSplit() {
    splitEnd = splitAt;
    if (splitElement != 0) {
      splitElement = 0;
      watch.watch(0);
    }
  }

  private void scanRange(long from, long end) {
    long at = from;
    for (; end - at > CHUNK_BYTES; at += CHUNK_BYTES) {
      scanWords(at, CHUNK_BYTES >> 3);
    }
    scanWords(at, (int) (end - at) >> 3);
  }

  private void scanWords(long at, int words) {
    Memory m = memory;
    Memory b = marks;
    for (int i = 0; i < words; i++) {
      long value = m.get(at + ((long) i << 3));
      if ((value & NOT_REFERENCE) == 0) {
        long wordAt = value >>> MarkBits.WORD_SHIFT << 3;
        long word = b.get(wordAt);
        long bit = 1L << (value >>> 3);
        if ((word & bit) == 0 && wins(b, wordAt, word, bit)) {
          push(value);
        }
      }
    }
    fuel -= words >> 2;
  }

  private void push(long element) {
    if (windowed && (int) (element >>> WINDOW_SHIFT) != window) {
      setGrey(element);
    } else if (top < stack.length || growStack()) {
      stack[top++] = element;
    } else if (windowed) {
      setGrey(element);
    } else {
      toWindows();
      clearBlack(element); // marked, but on no list yet
      setGrey(element);
    }
  }

  private void clearBlack(long element) {
    long at = element >>> MarkBits.WORD_SHIFT << 3;
    black.put(at, black.get(at) & ~(1L << (element >>> 3)));
  }

  // ---- many grey elements: the windows ----

  /** Leaves the elements on the stack grey in the bits, and all other marked ones black. */
  private void toWindows() {
    MarkBits bits = blackBits;
    if (bits == null) {
      bits = new MarkBits(maxBytes, memory.isReserved());
      blackBits = bits;
    }
    if (!bits.ensure(extent)) {
      throw new OutOfMemoryError("no memory for the black bits");
    }
    black = bits.region();
    if (batch.length == 0) {
      batch = new long[64 * UNROLLED];
    }
    bits.copy(marks, extent);
    windowed = true;
    while (top > 0) {
      long e = stack[--top];
      bits.clear(e);
      setGrey(e);
    }
  }

  /** Counts a marked element that is not black, and sees that its window will be scanned. */
  private void setGrey(long element) {
    int w = (int) (element >>> WINDOW_SHIFT);
    SharedWindows all = shared;
    if (all != null) {
      all.grey(w);
      return;
    }
    greys++;
    if (w >= queued.length) {
      growQueue(w);
    }
    if (!queued[w]) {
      queued[w] = true;
      int at = queueHead + queueSize++;
      queue[at < queue.length ? at : at - queue.length] = w;
    }
  }

  private void growQueue(int w) {
    int n = Math.max(w + 1, queued.length * 2);
    int[] q = new int[n];
    for (int i = 0; i < queueSize; i++) {
      q[i] = queue[(queueHead + i) % queue.length];
    }
    queue = q;
    queueHead = 0;
    queued = Arrays.copyOf(queued, n);
  }

  private int dequeue() {
    int w = queue[queueHead];
    queueHead = queueHead + 1 == queue.length ? 0 : queueHead + 1;
    queueSize--;
    queued[w] = false;
    return w;
  }

  private void open(int w) {
    window = w;
    windowAt = (long) w * WINDOW_BITS_BYTES;
    long most = Math.min(marks.size(), black.size()) & -8L; // beyond, all was born black
    windowEnd = Math.min(windowAt + WINDOW_BITS_BYTES, most);
  }

  // ---- several threads ----

  /** Sets a mark bit that is not set; returns false if another thread was faster. */
  private boolean wins(Memory b, long at, long word, long bit) {
    if (shared != null) {
      return (b.setBits(at, bit) & bit) == 0;
    }
    b.put(at, word | bit);
    return true;
  }

  /**
   * Whether memory is so large that threads do not wait for each other's windows most of the time.
   */
  private boolean isForSeveral() {
    return threads > 1 && extent >>> WINDOW_SHIFT >= (long) threads * WINDOWS_A_THREAD;
  }

  /** Scans all windows by several threads. */
  private void share() {
    SharedWindows all = new SharedWindows((int) ((extent - 1) >>> WINDOW_SHIFT) + 1);
    while (queueSize > 0) {
      all.grey(dequeue());
    }
    Marker[] markers = new Marker[threads];
    markers[0] = this;
    for (int i = 1; i < threads; i++) {
      Marker m = new Marker(memory, maxBytes, stackLimit, watch, null, 1);
      m.marks = marks;
      m.black = black;
      m.windowed = true;
      m.batch = new long[batch.length];
      markers[i] = m;
    }
    all.mark(markers);
    greys = 0;
    windowed = false;
  }

  /** Scans windows, as one of several threads, until there are none. */
  void drainShared(SharedWindows all) {
    shared = all;
    try {
      for (int w = all.take(); w != SharedWindows.OVER; w = all.take()) {
        open(w);
        while (window != NONE) {
          fuel = Integer.MAX_VALUE;
          drainWindow();
        }
        all.done(w);
      }
    } finally {
      shared = null; // an Error leaves a marker that the next marking can use
    }
  }

  // ---- a window ----

  private void drainWindow() {
    while (fuel > 0) {
      if (top > 0) {
        drainNear();
      } else if (pending != 0 || nextGreyWord()) {
        scanPending();
      } else {
        window = NONE;
        return;
      }
      if (splitAt < splitEnd) {
        return;
      }
    }
  }

  /** Scans what is on the stack, all of it in the current window. */
  private void drainNear() {
    Memory m = memory;
    Visitor told = visitor;
    Memory b = marks;
    long[] st = stack;
    int t = top;
    int f = fuel;
    int w = window;
    while (t > 0 && f > 0) {
      long e = st[--t];
      black.put(
          e >>> MarkBits.WORD_SHIFT << 3,
          black.get(e >>> MarkBits.WORD_SHIFT << 3) | 1L << (e >>> 3));
      long h = m.get(e);
      if (told != null) {
        told.reached(e, h);
      }
      int kind = (int) h & Layout.KIND_MASK;
      int words = (int) h >>> Layout.SIZE_SHIFT;
      f--;
      if (kind == Layout.RECORD && words <= UNROLLED) {
        for (int i = words; i > 0; i--) {
          t = visitWindowed(b, st, t, m.get(e + ((long) i << 3)), w);
        }
      } else if (kind > Layout.LAST_OPAQUE) {
        top = t;
        fuel = f;
        scan(e, h);
        f = fuel;
        t = top;
        st = stack;
        if (splitAt < splitEnd) {
          break;
        }
      }
    }
    top = t;
    fuel = f;
  }

  /**
   * Scans the grey elements of a word of bits. Their references are gathered first, in address
   * order, and their marks looked at afterwards in a short loop, so that many cache misses overlap.
   */
  private void scanPending() {
    Memory m = memory;
    Visitor told = visitor;
    long[] gathered = batch;
    int n = 0;
    while (pending != 0) {
      long bit = pending & -pending;
      pending ^= bit;
      long e = pendingBase + ((long) Long.numberOfTrailingZeros(bit) << 3);
      long h = m.get(e);
      if (told != null) {
        told.reached(e, h);
      }
      int kind = (int) h & Layout.KIND_MASK;
      int words = (int) h >>> Layout.SIZE_SHIFT;
      fuel--;
      if (kind == Layout.RECORD && words <= UNROLLED) {
        if (words > 0) {
          gathered[n++] = m.get(e + 8);
        }
        if (words > 1) {
          gathered[n++] = m.get(e + 16);
        }
        if (words > 2) {
          gathered[n++] = m.get(e + 24);
        }
        if (words > 3) {
          gathered[n++] = m.get(e + 32);
        }
      } else if (kind > Layout.LAST_OPAQUE) {
        scan(e, h);
        if (splitAt < splitEnd) {
          break;
        }
      }
    }
    Memory b = marks;
    long[] st = stack;
    int t = top;
    int w = window;
    for (int i = 0; i < n; i++) {
      t = visitWindowed(b, st, t, gathered[i], w);
    }
    top = t;
  }

  private int visitWindowed(Memory b, long[] st, int t, long value, int w) {
    if ((value & NOT_REFERENCE) == 0) {
      long at = value >>> MarkBits.WORD_SHIFT << 3;
      long word = b.get(at);
      long bit = 1L << (value >>> 3);
      if ((word & bit) == 0 && wins(b, at, word, bit)) {
        if ((int) (value >>> WINDOW_SHIFT) == w && t < st.length) {
          st[t] = value;
          return t + 1;
        }
        setGrey(value);
      }
    }
    return t;
  }

  /** Takes the grey elements of the window's next word that has any, making them black. */
  private boolean nextGreyWord() {
    Memory b = marks;
    Memory bl = black;
    for (long at = windowAt; at < windowEnd; at += 8) {
      long done = bl.get(at);
      long grey = b.get(at) & ~done;
      if (grey != 0) {
        bl.put(at, done | grey);
        greys -= Long.bitCount(grey);
        pending = grey;
        pendingBase = at << 6;
        windowAt = at + 8;
        return true;
      }
    }
    windowAt = windowEnd;
    return false;
  }

  /**
   * Collects the few grey elements that are left on the stack. They can be more than were counted,
   * as elements are born marked during a cycle: then the rest stays in the windows, so that the
   * stack keeps room to go on.
   */
  private void toStack() {
    while (queueSize > 0) {
      open(dequeue());
      while (nextGreyWord()) {
        for (; pending != 0; pending &= pending - 1) {
          if (top == stack.length >> 1 && !growStack()) {
            greys = stackLimit;
            return;
          }
          stack[top++] = pendingBase + ((long) Long.numberOfTrailingZeros(pending) << 3);
        }
      }
    }
    window = NONE;
    windowed = false;
    greys = 0;
  }

  /** Releases the black bits. */
  @Override
  public void close() {
    if (blackBits != null) {
      blackBits.close();
    }
  }
}
