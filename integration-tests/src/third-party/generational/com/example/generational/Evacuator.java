package com.example.generational;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.CellSpace;
import dev.gleaner.space.Forwarding;
import dev.gleaner.space.RawSpace;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;

/**
 * Copies what is young and reached: the new to the survivors, the survivors to the old generation.
 *
 * <pre>
 *   born in the nursery    survives once: to the survivors, if there is room    else promoted
 *   a survivor             survives again: promoted
 *   in a full collection, or where most survive   all are promoted
 *
 *   header of what was copied: {@link Forwarding} says where to
 * </pre>
 *
 * <p>The survivors' space is the queue of Cheney's scan (1970); what was promoted waits on a stack.
 * A promoted element that still refers to a survivor is remembered when it is scanned.
 */
final class Evacuator {
  private final Memory memory;
  private final Nursery nursery;
  private final CellSpace cells;
  private final Remembered remembered;
  private final long[][] oldRuns = new long[Layout.KINDS][];

  // What is collected, and where the survivors go.
  private long from;
  private long fromBytes;
  private long to;
  private long toEnd;
  private long top;
  private long scanned;

  /** Where elements are born, which survive once; nothing where all are promoted. */
  private long born;

  private long bornBytes;

  /** Set when a scan comes by a reference to a survivor. */
  private boolean sawYoung;

  private long[] promoted = new long[64];
  private int promotedCount;
  private final long[] survivors = new long[Layout.KINDS];
  private long promotedElements;
  private long promotedBytes;
  private long moved;

  Evacuator(HeapContext context, Nursery nursery, CellSpace cells, Remembered remembered) {
    this.memory = context.memory();
    this.nursery = nursery;
    this.cells = cells;
    this.remembered = remembered;
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      oldRuns[kind] = cells.allocationBuffers(kind);
    }
  }

  /**
   * Begins a collection.
   *
   * @param promotesAll whether nothing is to stay young
   */
  void begin(boolean promotesAll) {
    from = nursery.youngStart();
    fromBytes = nursery.hasRoom() ? nursery.youngBytes() : 0;
    to = nursery.survivorsTo();
    toEnd = promotesAll ? to : to + nursery.survivorBytes();
    top = to;
    scanned = to;
    born = nursery.start();
    bornBytes = promotesAll ? 0 : nursery.bytesToBear();
    Arrays.fill(survivors, 0);
  }

  /** Where the survivors end. */
  long top() {
    return top;
  }

  long[] survivors() {
    return survivors;
  }

  /** Whether an element is one of those that are collected. */
  boolean isCollected(long element) {
    return element - from >= 0 && element - from < fromBytes;
  }

  /** Whether an element stays: it is old, or was copied. */
  boolean isReached(long element) {
    return !isCollected(element) || Forwarding.get(memory, element) != 0;
  }

  /** Where an element is now. */
  long moved(long element) {
    return isCollected(element) ? Forwarding.get(memory, element) : element;
  }

  /** Reaches a value; answers what is to be in its place. */
  long forward(long value) {
    return (value & Values.NOT_REFERENCE) == 0 && isCollected(value) ? forwardYoung(value) : value;
  }

  private long forwardYoung(long element) {
    long header = memory.get(element);
    long there = header >>> 32 << 3;
    return there != 0 ? there : copy(element, header);
  }

  private long copy(long element, long header) {
    int words = (int) (header & Layout.LOW_MASK) >>> Layout.SIZE_SHIFT;
    int bytes = (words + 1) << 3;
    int kind = Layout.kind(header);
    long copy = top;
    if (copy + bytes <= toEnd && element - born >= 0 && element - born < bornBytes) {
      top = copy + bytes;
      survivors[kind]++;
    } else {
      copy = promote(kind, words + 1, bytes);
    }
    Memory m = memory;
    m.put(copy, header);
    if (bytes > 8) { // for most elements a loop costs more than the stores
      m.put(copy + 8, m.get(element + 8));
    }
    if (bytes > 16) {
      m.put(copy + 16, m.get(element + 16));
    }
    for (int i = 24; i < bytes; i += 8) {
      m.put(copy + i, m.get(element + i));
    }
    m.put(element, header | copy << 29);
    moved++;
    return copy;
  }

  private long promote(int kind, int words, int bytes) {
    long[] run = oldRuns[kind];
    long at = run[2 * words];
    if (at + bytes <= run[2 * words + 1]) {
      run[2 * words] = at + bytes;
    } else {
      at = cells.refill(kind, words);
      if (at == 0) {
        throw new IllegalStateException("no page to promote to, though pages are kept for all");
      }
    }
    promotedElements++;
    promotedBytes += bytes;
    if (Layout.hasReferences(kind)) {
      if (promotedCount == promoted.length) {
        promoted = Arrays.copyOf(promoted, promotedCount * 2);
      }
      promoted[promotedCount++] = at;
    }
    return at;
  }

  /** Scans what was copied, until nothing new is. */
  void drain() {
    while (promotedCount > 0 || scanned < top) {
      while (promotedCount > 0) {
        scanPromoted(promoted[--promotedCount]);
      }
      while (scanned < top) {
        long e = scanned;
        long header = memory.get(e);
        scanned = e + (((header & Layout.LOW_MASK) >>> Layout.SIZE_SHIFT) + 1 << 3);
        scanElement(e, header);
      }
    }
  }

  private void scanPromoted(long e) {
    sawYoung = false;
    long header = memory.get(e);
    scanElement(e, header);
    if (sawYoung) {
      remembered.add(e);
    } else {
      memory.put(e, header | Layout.FLAG_UNLOGGED);
    }
  }

  /** Forwards what an element holds; answers whether it refers to a survivor then. */
  boolean scan(long element) {
    sawYoung = false;
    scanElement(element, memory.get(element));
    return sawYoung;
  }

  /** Forwards what a word holds; answers whether that is a survivor then. */
  boolean scanSlot(long place) {
    sawYoung = false;
    scanRange(place, place + 8);
    return sawYoung;
  }

  private void scanElement(long e, long header) {
    int kind = Layout.kind(header);
    if (!Layout.hasReferences(kind)) {
      return;
    }
    scanRange(e + Layout.WORD, Scanner.end(memory, e, header));
    for (int b = 0; b < Scanner.blocks(kind); b++) {
      scanRange(Scanner.blockStart(memory, e, kind, b), Scanner.blockEnd(memory, e, kind, b));
    }
  }

  private void scanRange(long start, long end) {
    Memory m = memory;
    long first = from;
    long bytes = fromBytes;
    long young = to;
    long youngEnd = toEnd;
    boolean saw = false;
    for (long at = start; at < end; at += 8) {
      long v = m.get(at);
      if ((v & Values.NOT_REFERENCE) == 0) {
        if (v - first >= 0 && v - first < bytes) {
          v = forwardYoung(v);
          m.put(at, v);
        }
        saw |= v >= young && v < youngEnd;
      }
    }
    sawYoung |= saw;
  }

  long promotedElements() {
    return promotedElements;
  }

  long promotedBytes() {
    return promotedBytes;
  }

  long moved() {
    return moved;
  }

  /** Whether an element has a block of its own. */
  static boolean isLarge(long words) {
    return words > SizeClasses.LARGEST_WORDS;
  }

  /** Whether an element is born in the nursery. */
  static boolean isSmall(long words) {
    return words <= RawSpace.MOST_COPIED;
  }
}
