package dev.gleaner.count;

import static dev.gleaner.layout.Values.NOT_REFERENCE;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.ReferenceCounts;
import java.util.Arrays;

/**
 * Lets elements fall in the order of Duktape, so that their finalizers have it, too.
 *
 * <p>What falls waits in a queue. Of each element the values are dropped from the last to the
 * first: entries, then indexes, then the prototype. A finalizer goes to the head of its list, so
 * the first value's is called first. What an element holds whose finalizer has just run does not
 * wait in a queue: each of its values falls whole before the next one.
 *
 * <p>Slower than the walk of {@link RefZero}, and takes memory, so for heaps with finalizers only.
 */
final class OrderedFall {
  private static final int LEAST = 16;

  private final Memory memory;
  private final ReferenceCounts counts;
  private final RefZero refZero;
  private long[] queue = new long[LEAST];
  private int head;
  private int tail;
  private boolean waits = true;

  OrderedFall(Memory memory, ReferenceCounts counts, RefZero refZero) {
    this.memory = memory;
    this.counts = counts;
    this.refZero = refZero;
  }

  /** Frees an element whose count is zero, and all that falls from it. */
  void fall(long element) {
    refZero.noteFall();
    boolean finalized = refZero.wasFinalized(element);
    if (refZero.survives(element)) {
      return;
    }
    if (finalized) {
      waits = false;
      dropValues(element);
      waits = true;
      refZero.freeEmptied(element);
    } else {
      add(element);
      drain();
    }
  }

  private void add(long element) {
    if (tail == queue.length) {
      if (head > tail >> 1) {
        System.arraycopy(queue, head, queue, 0, tail - head);
      } else {
        queue = Arrays.copyOfRange(queue, head, head + 2 * queue.length);
      }
      tail -= head;
      head = 0;
    }
    queue[tail++] = element;
  }

  private void drain() {
    while (head != tail) {
      long e = queue[head++];
      dropValues(e);
      refZero.freeEmptied(e);
    }
    head = 0;
    tail = 0;
    if (queue.length > 4096) {
      queue = new long[LEAST];
    }
  }

  private void dropValues(long e) {
    long h = memory.get(e);
    int kind = Layout.kind(h);
    if (!Layout.hasReferences(kind)) {
      return;
    }
    long values = e + Layout.WORD;
    long end = Scanner.end(memory, e, h);
    if (kind == Layout.OBJECT) {
      long from = Scanner.blockStart(memory, e, kind, 0);
      long to = Scanner.blockEnd(memory, e, kind, 0);
      long entries = entriesEnd(from, to);
      backwards(from, entries);
      backwards(values + Layout.OBJECT_SLOTS * Layout.WORD, end);
      backwards(entries, to);
      end = values + Layout.OBJECT_SLOTS * Layout.WORD;
    }
    for (int b = kind == Layout.OBJECT ? -1 : Scanner.blocks(kind) - 1; b >= 0; b--) {
      backwards(Scanner.blockStart(memory, e, kind, b), Scanner.blockEnd(memory, e, kind, b));
    }
    backwards(values, end);
  }

  private long entriesEnd(long from, long to) {
    if (from == to) {
      return to;
    }
    long table = from - TableLayout.FIRST;
    return TableLayout.entryAt(table, TableLayout.low(memory.get(table + TableLayout.ENTRIES)));
  }

  private void backwards(long from, long to) {
    for (long at = to - Layout.WORD; at >= from; at -= Layout.WORD) {
      long v = memory.get(at);
      if (v != 0 && (v & NOT_REFERENCE) == 0 && counts.drop(v)) {
        fallen(v);
      }
    }
  }

  private void fallen(long v) {
    refZero.noteFall();
    if (refZero.survives(v)) {
      return;
    }
    if (Layout.kind(memory.get(v)) <= Layout.LAST_OPAQUE) {
      refZero.freeEmptied(v);
      return;
    }
    add(v);
    if (!waits) {
      waits = true;
      drain();
      waits = false;
    }
  }
}
