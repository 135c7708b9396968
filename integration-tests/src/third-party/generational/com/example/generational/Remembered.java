package com.example.generational;

import dev.gleaner.layout.Layout;
import dev.gleaner.mark.RememberedSet;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.SizeClasses;
import dev.gleaner.spi.HeapContext;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * What is old and may refer to what is young.
 *
 * <pre>
 *   old element    FLAG_UNLOGGED set: refers to nothing young, and the next such store is told
 *                  clear: is in the list of holders, and is scanned as a whole
 *   large element  FLAG_UNLOGGED stays set: the slots that were stored to are remembered one by one
 * </pre>
 *
 * <p>What is born old is in the list from its birth, as its header is the heap's to write. So is
 * each thread that ran since the last collection.
 */
final class Remembered {
  private final Memory memory;
  private long[] holders = new long[64];
  private int count;

  /** Slots of large elements. */
  private final RememberedSet slots;

  Remembered(HeapContext context) {
    memory = context.memory();
    slots = new RememberedSet(context.regionBytes(), memory.isReserved());
  }

  /** Remembers an element, whose flag is clear. */
  void add(long element) {
    if (count == holders.length) {
      holders = Arrays.copyOf(holders, count * 2);
    }
    holders[count++] = element;
  }

  /** Remembers that something young was stored into an element, at a place or anywhere. */
  void stored(long holder, long place) {
    long header = memory.get(holder);
    long words = Layout.payloadWords(memory, holder, header);
    if (words >= SizeClasses.LARGEST_WORDS && place > holder && place <= holder + (words << 3)) {
      boolean _ = slots.add(place);
    } else {
      memory.put(holder, header & ~Layout.FLAG_UNLOGGED);
      add(holder);
    }
  }

  /** Scans all that is remembered; what refers to nothing young then is forgotten. */
  void scan(Evacuator evacuator) {
    slots.retain(evacuator::scanSlot);
    int n = count;
    count = 0;
    for (int i = 0; i < n; i++) {
      long e = holders[i];
      if (evacuator.scan(e)) {
        holders[count++] = e;
      } else {
        memory.put(e, memory.get(e) | Layout.FLAG_UNLOGGED);
      }
    }
  }

  /** Forgets the holders that go, and all slots: large elements are scanned as a whole. */
  void retain(LongPredicate stays) {
    slots.clear();
    int n = 0;
    for (int i = 0; i < count; i++) {
      if (stays.test(holders[i])) {
        holders[n++] = holders[i];
      }
    }
    count = n;
  }

  /** How many elements and slots there are. */
  int size() {
    return count + slots.size();
  }

  void close() {
    slots.close();
  }
}
