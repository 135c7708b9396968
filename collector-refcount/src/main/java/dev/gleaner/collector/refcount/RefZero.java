package dev.gleaner.collector.refcount;

import static dev.gleaner.spi.Values.NOT_REFERENCE;

import dev.gleaner.policy.DuktapeFinalizers;
import dev.gleaner.policy.FreeListSpace;
import dev.gleaner.policy.LargeSpace;
import dev.gleaner.policy.ReferenceCounts;
import dev.gleaner.policy.SizeClasses;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.spi.Layout;
import dev.gleaner.spi.Memory;
import dev.gleaner.spi.Scanner;
import dev.gleaner.spi.TableLayout;
import dev.gleaner.spi.ThreadLayout;
import dev.gleaner.spi.Values;

/**
 * Frees what has no reference left, and what that alone held (Duktape, "The REFZERO algorithm").
 *
 * <p>Strings, buffers and natives are freed at once. Any other element goes to the refzero list and
 * waits there until what it holds was dropped. The list needs no memory, so that it cannot run out
 * of it: it goes through one word of each dead element, whose value was dropped before.
 *
 * <pre>
 *   enter:  dead element -> list, drop its first value: has that no reference left? enter it, too
 *   else:   list -> element, drop its other values (entering what falls), free it
 * </pre>
 *
 * <p>Two loops and no recursion: the native stack is the same for a list of ten million as for one.
 * What has a finalizer goes to the finalize list and stays, with all that it holds. Nothing else
 * happens in here; finalizers and callbacks are run by the heap afterwards.
 */
final class RefZero {
  private final HeapContext context;
  private final Memory memory;
  private final ReferenceCounts counts;
  private final FreeListSpace cells;
  private final LargeSpace large;
  private final DuktapeFinalizers finalizers;
  private final boolean onlyLarge;
  private final Scanner.Visitor decrement;
  private long list;
  private long freedElements;
  private long freedBytes;
  private long counted;

  RefZero(HeapContext context, ReferenceCounts counts, FreeListSpace cells, LargeSpace large) {
    this.context = context;
    this.memory = context.memory();
    this.counts = counts;
    this.cells = cells;
    this.large = large;
    this.finalizers = new DuktapeFinalizers(context, counts);
    this.onlyLarge = context.hasUserFunctions();
    this.decrement = place -> counts.decrement(memory.get(place));
  }

  /** Frees all that {@link ReferenceCounts#nextZero} gives. */
  void run() {
    for (long e = counts.nextZero(); e != 0; e = counts.nextZero()) {
      fall(e);
      while (list != 0) {
        dropAndFree(takeFirst());
      }
    }
    cells.count(freedElements - counted);
    counted = freedElements;
  }

  /**
   * As {@link #run}, until an element went to the finalize list: its finalizer is to run before the
   * others go (Duktape 1.x). Those wait, untouched, on the list that they are taken from.
   */
  void runInline() {
    int queued = context.finalizers().queued();
    for (long e = counts.nextZero(); e != 0; e = counts.nextZero()) {
      drop(e);
      if (context.finalizers().queued() != queued) {
        break;
      }
    }
    cells.count(2 * (freedElements - counted)); // that version counts them here, too
    counted = freedElements;
  }

  private void drop(long e) {
    long h = memory.get(e);
    int kind = Layout.kind(h);
    if ((h & Layout.FLAG_NOTED) != 0 && !finalizers.dies(e)) {
      return;
    }
    if (kind <= Layout.LAST_OPAQUE) {
      freeOpaque(kind, e, h);
    } else {
      Scanner.forEachPlace(memory, e, decrement);
      freedElements++;
      freeDropped(e);
    }
  }

  /** Elements freed here since the heap was opened. */
  long reclaimedElements() {
    return freedElements;
  }

  /** Their bytes. */
  long reclaimedBytes() {
    return freedBytes;
  }

  private long takeFirst() {
    long e = list;
    long at = e + link(Layout.kind(memory.get(e)));
    list = memory.get(at);
    memory.put(at, Values.UNDEFINED);
    return e;
  }

  /** The word of a dead element that the list goes through: one that may hold a reference. */
  private static int link(int kind) {
    return kind == Layout.THREAD ? ThreadLayout.RESUMER : Layout.WORD;
  }

  /** An element's count is zero: frees it, or enters it and what falls with it by first values. */
  private void fall(long element) {
    Memory m = memory;
    long e = element;
    while (true) {
      long h = m.get(e);
      int kind = Layout.kind(h);
      if ((h & Layout.FLAG_NOTED) != 0 && !finalizers.dies(e)) {
        return;
      }
      if (kind <= Layout.LAST_OPAQUE) {
        freeOpaque(kind, e, h);
        return;
      }
      if ((h & Layout.LOW_MASK) >>> Layout.SIZE_SHIFT == 0) {
        free(kind, e, 0);
        return;
      }
      long at = e + link(kind);
      long first = m.get(at);
      m.put(at, list);
      list = e;
      if ((first & NOT_REFERENCE) != 0 || first == 0 || !counts.drop(first)) {
        return;
      }
      e = first;
    }
  }

  private void freeOpaque(int kind, long e, long h) {
    long words = Layout.payloadWords(memory, e, h);
    if (kind == Layout.STRING) {
      context.strings().remove(e);
      if ((h & Layout.FLAG_ASCII) == 0) {
        context.stringCache().remove(e);
      }
    } else { // a string's words are all written when it is made
      if (Layout.ownsResources(kind)) {
        context.release(kind, e);
      }
      memory.zero(e + Layout.WORD, words << 3);
    }
    free(kind, e, words);
  }

  private void dropAndFree(long e) {
    long h = memory.get(e);
    int kind = Layout.kind(h);
    long words = Layout.payloadWords(memory, e, h);
    if (Layout.ownsResources(kind)) {
      dropOwned(kind, e);
    }
    dropSlice(e + Layout.WORD, e + Layout.WORD + (words << 3));
    free(kind, e, words);
  }

  private void dropOwned(int kind, long e) {
    if (kind == Layout.OBJECT) {
      long table = Values.raw(memory.get(e + Layout.OBJECT_TABLE));
      if (table != 0) {
        dropSlice(table + TableLayout.FIRST, TableLayout.scanEnd(memory, table));
      }
    } else {
      long stack = Values.raw(memory.get(e + ThreadLayout.STACK));
      dropSlice(stack, stack + (Values.raw(memory.get(e + ThreadLayout.TOP)) << 3));
      long calls = Values.raw(memory.get(e + ThreadLayout.CALLS));
      long used = Values.raw(memory.get(e + ThreadLayout.CALLS_USED));
      dropSlice(calls, calls + used * ThreadLayout.CALL_WORDS * 8);
    }
    context.release(kind, e);
  }

  /** Drops the references of a slice, whose words are zero afterwards. */
  private void dropSlice(long from, long to) {
    Memory m = memory;
    for (long at = from; at < to; at += 8) {
      long v = m.get(at);
      if (v != 0) {
        m.put(at, 0);
        if ((v & NOT_REFERENCE) == 0 && counts.drop(v)) {
          fall(v);
        }
      }
    }
  }

  /** Frees an element whose references are dropped, and that no table knows any more. */
  void freeDropped(long e) {
    long h = memory.get(e);
    int kind = Layout.kind(h);
    long words = Layout.payloadWords(memory, e, h);
    context.release(kind, e);
    if (isCell(words)) {
      memory.zero(e + Layout.WORD, words << 3);
      cells.free(kind, e, words + 1);
    } else {
      large.free(e);
    }
  }

  private boolean isCell(long words) {
    return words < SizeClasses.LARGEST_WORDS && !onlyLarge;
  }

  private void free(int kind, long e, long words) {
    freedElements++;
    if (isCell(words)) {
      freedBytes += FreeListSpace.cellBytes(words + 1);
      cells.free(kind, e, words + 1);
    } else {
      freedBytes += (words + 1) << 3;
      large.free(e);
    }
  }
}
