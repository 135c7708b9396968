package dev.gleaner.collector.semispace;

import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.RawSpace;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;

/**
 * Copies what is reached into the other half (Cheney 1970).
 *
 * <pre>
 *   header of an element in the half that is left:
 *     forwarding 0        not reached
 *     forwarding to       reached, its copy is at to; the rest of it is as it was
 *   of one that stays (large, built in, a block of the user's functions):
 *     forwarding to itself    reached; on the stack {@code stayers} until it is scanned
 * </pre>
 *
 * <p>So one look at a header says where an element is now. Most are small records: one comparison
 * tells these, and they are copied in place here.
 *
 * <p>The words of {@link CopySpaces#slots} are scanned in windows: first all headers that a window
 * leads to are loaded, independently of each other, so that their cache misses overlap; then they
 * are forwarded one by one.
 */
final class Evacuator {
  private static final int WINDOW = 64;

  /** A flag of {@link OrderedFinalizers}, clear between collections. */
  static final long ORDERING = 1L << Layout.COLLECTOR_FLAGS_SHIFT;

  /** A small element among the large ones: a buffer that was pinned. */
  static final long STAYS = ORDERING << 1;

  /** Clears what differs between small records. */
  private static final long SMALL_RECORD_MASK =
      ~((long) (RawSpace.MOST_COPIED - 1) << Layout.SIZE_SHIFT
          | Layout.SORT_MASK
          | Layout.FLAG_NOTED
          | ORDERING);

  private final Memory memory;

  /** What a header is under {@link #SMALL_RECORD_MASK} if its element is to be copied. */
  private final long smallRecord;

  private final boolean allStay;
  private CopySpaces to;
  private CopySpace slots;
  private final long[] places = new long[WINDOW];
  private final long[] headers = new long[WINDOW];
  private long[] stayers = new long[16];
  private int stayerCount;
  private long[] threads = new long[4];
  private int threadCount;
  private long redirected;
  private long redirectedTo;

  Evacuator(HeapContext context, CopySpaces to) {
    this.memory = context.memory();
    this.allStay = context.hasUserFunctions();
    this.smallRecord = allStay ? -1 : Layout.RECORD;
    this.to = to;
    this.slots = to.slots;
  }

  void begin(CopySpaces half) {
    to = half;
    slots = half.slots;
    threadCount = 0;
  }

  /** Threads that were reached, where they are now. */
  int threads() {
    return threadCount;
  }

  long thread(int i) {
    return threads[i];
  }

  boolean isReached(long element) {
    return Forwarding.get(memory, element) != 0;
  }

  /** Where an element that was reached is now. */
  long moved(long element) {
    return Forwarding.get(memory, element);
  }

  /** Whether the element with this header is never copied. */
  boolean stays(long e, long header) {
    return allStay
        || (header & (Layout.FLAG_IMMORTAL | STAYS)) != 0
        || Layout.payloadWords(memory, e, header) >= RawSpace.MOST_COPIED;
  }

  /** Names a place among the large elements for one that is not, with all of it but the mark. */
  void redirect(long element, long to) {
    redirected = element;
    redirectedTo = to;
  }

  /** Reaches a value; answers what is to be in its place. */
  long forward(long value) {
    return (value & NOT_REFERENCE) != 0 || value == 0 ? value : forwardElement(value);
  }

  private long forwardElement(long e) {
    long header = memory.get(e);
    if ((header & SMALL_RECORD_MASK) == smallRecord) {
      return copyRecord(e, header);
    }
    long there = header >>> 32 << 3;
    return there != 0 ? there : forwardOther(e, header);
  }

  private long copyRecord(long e, long header) {
    int bytes = (int) ((header >>> Layout.SIZE_SHIFT) + 1) << 3;
    CopySpace s = slots;
    if (bytes > s.left()) {
      s.addCopies();
    }
    long copy = s.take(bytes);
    to.elements[Layout.RECORD]++;
    Memory m = memory;
    m.put(copy, header);
    if (bytes > 8) { // for most records a loop costs more than the stores
      m.put(copy + 8, m.get(e + 8));
    }
    if (bytes > 16) {
      m.put(copy + 16, m.get(e + 16));
    }
    for (int i = 24; i < bytes; i += 8) {
      m.put(copy + i, m.get(e + i));
    }
    m.put(e, header | copy << 29);
    return copy;
  }

  private long forwardOther(long e, long header) {
    if (stays(e, header)) {
      Forwarding.set(memory, e, e);
      if (stayerCount == stayers.length) {
        stayers = Arrays.copyOf(stayers, stayerCount * 2);
      }
      stayers[stayerCount++] = e;
      return e;
    }
    if (e == redirected) {
      Forwarding.set(memory, e, redirectedTo);
      Forwarding.set(memory, redirectedTo, redirectedTo);
      redirected = 0;
      return redirectedTo;
    }
    int kind = Layout.kind(header);
    int bytes = (int) (Layout.payloadWords(memory, e, header) + 1) << 3;
    CopySpace s = to.ofKind(kind);
    if (bytes > s.left()) {
      s.addCopies();
    }
    long copy = s.take(bytes);
    to.elements[kind]++;
    for (int i = 0; i < bytes; i += 8) {
      memory.put(copy + i, memory.get(e + i));
    }
    Forwarding.set(memory, e, copy);
    return copy;
  }

  /** Scans what was reached, until nothing new is. */
  void drain() {
    boolean any;
    do {
      any = scanSlots();
      any |= scanOwners();
      any |= scanStayers();
    } while (any);
  }

  private boolean scanSlots() {
    boolean any = false;
    for (long at = slots.scan(); at != 0; at = slots.scan()) {
      long end = slots.scanEnd();
      while (at < end) {
        long to = Math.min(end, at + WINDOW * 8);
        scanWords(at, to);
        at = to;
      }
      slots.setScan(at);
      any = true;
    }
    return any;
  }

  /** Scans words of which at most {@link #WINDOW} are references. */
  private void scanWords(long from, long to) {
    Memory m = memory;
    int n = 0;
    for (long at = from; at < to; at += 8) {
      long v = m.get(at);
      if ((v & NOT_REFERENCE) == 0 && v != 0) {
        headers[n] = m.get(v);
        places[n++] = at;
      }
    }
    for (int i = 0; i < n; i++) {
      long place = places[i];
      long there = headers[i] >>> 32 << 3;
      // One that was not reached then may be now.
      m.put(place, there != 0 ? there : forwardElement(m.get(place)));
    }
  }

  private void scanRange(long from, long end) {
    for (long at = from; at < end; at += WINDOW * 8) {
      scanWords(at, Math.min(end, at + WINDOW * 8));
    }
  }

  private boolean scanOwners() {
    boolean any = false;
    for (long at = to.owners.scan(); at != 0; at = to.owners.scan()) {
      long header = memory.get(at);
      to.owners.setScan(at + ((Layout.payloadWords(memory, at, header) + 1) << 3));
      scanElement(at, header);
      any = true;
    }
    return any;
  }

  private boolean scanStayers() {
    boolean any = false;
    while (stayerCount > 0) {
      long e = stayers[--stayerCount];
      scanElement(e, memory.get(e));
      any = true;
    }
    return any;
  }

  private void scanElement(long e, long header) {
    int kind = Layout.kind(header);
    if (Layout.hasReferences(kind)) {
      scanRange(e + Layout.WORD, Scanner.end(memory, e, header));
      for (int b = 0; b < Scanner.blocks(kind); b++) {
        scanRange(Scanner.blockStart(memory, e, kind, b), Scanner.blockEnd(memory, e, kind, b));
      }
      if (kind == Layout.THREAD) {
        if (threadCount == threads.length) {
          threads = Arrays.copyOf(threads, threadCount * 2);
        }
        threads[threadCount++] = e;
      }
    }
  }
}
