package dev.gleaner.space;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;

/**
 * One allocation buffer for small elements of all kinds and sizes, which bumps through a hole.
 *
 * <pre>
 *   hole   | e | e | e | e        | granted: clear, charged |             |
 *                  ^ counted      ^ next                    ^ limit       ^ end
 * </pre>
 *
 * <p>The heap takes elements from {@link #buffer} by itself. A space gives the cursor a hole, and
 * asks it for what did not fit. The cursor grants more of the hole then, and charges that:
 *
 * <pre>
 *   budget    all bytes to the limit; before a charge is refused they are taken back
 *   trigger   as many elements as there can be: the smallest has one word
 *   gate      no more elements than it allows, so that no request slips past
 * </pre>
 *
 * <p>How many elements it was, and of which kinds, their headers tell: they are counted when the
 * next part is granted, or when somebody asks: {@link #count}.
 */
public final class Cursor implements Budget.Advances {
  /** Longest part in bytes, so that clearing it leaves the first-level cache to the mutator. */
  private static final int MOST = 8 << 10;

  /** The kinds of which a visitor is told, a bit each. */
  private static final int TOLD = told();

  private static int told() {
    int kinds = 1 << Layout.STRING;
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      kinds |= Layout.ownsResources(kind) ? 1 << kind : 0;
    }
    return kinds;
  }

  /** Told of elements that must not be forgotten when they are dead. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Notes a string, or an element that owns resources, which was made.
     *
     * @param kind its kind
     * @param element its offset
     */
    void made(int kind, long element);
  }

  private final Memory memory;
  private final Budget budget;
  private final AllocationGate gate;
  private final Visitor visitor;

  /** The next element, and the end of what is granted. */
  private final long[] buffer = new long[2];

  private long end;
  private long counted;

  /** Elements that the trigger counted ahead, from the counted ones on. */
  private long ahead;

  private final long[] elements = new long[Layout.KINDS];
  private long bytes;

  /**
   * Makes a cursor without a hole.
   *
   * @param visitor told of strings and of elements that own resources, in the order of memory
   */
  public Cursor(Memory memory, Budget budget, AllocationGate gate, Visitor visitor) {
    this.memory = memory;
    this.budget = budget;
    this.gate = gate;
    this.visitor = visitor;
    budget.addAdvances(this);
  }

  /** What {@code Collector.allocationBuffers} returns, the same for each kind. */
  public long[] buffer() {
    return buffer;
  }

  /** The next element's offset: a walk by headers through the hole ends here. */
  public long next() {
    return buffer[0];
  }

  /** Goes to another hole; none is one that ends where it begins. */
  public void moveTo(long from, long to) {
    retire();
    buffer[0] = from;
    buffer[1] = from;
    counted = from;
    end = to;
  }

  /** Whether the hole has room for so many words. */
  public boolean hasRoom(long words) {
    return end - buffer[0] >= words << 3;
  }

  /**
   * Takes an element for which the hole has room.
   *
   * @param words its header's and its payload's
   * @param alone whether nothing more is to be granted, as while built-ins are made
   * @return the element, cleared; 0 if the budget says no
   */
  public long allocate(long words, boolean alone) {
    retire();
    long size = words << 3;
    if (!budget.charge(size)) {
      return 0;
    }
    long more = alone ? 0 : Math.min(MOST >> 3, gate.grant()) - 1;
    long most = Math.min(end - buffer[0], budget.remaining() + size & -8);
    long granted = Math.clamp(size + (more << 3), size, most);
    boolean within = budget.charge(granted - size);
    assert within;
    ahead = 1 + ((granted - size) >> 3);
    gate.trigger().decrease(ahead);
    long element = buffer[0];
    memory.zero(element, granted);
    buffer[0] = element + size;
    buffer[1] = element + granted;
    return element;
  }

  /** Counts what was taken, and gives back what is granted and was not. */
  public void retire() {
    count();
    budget.refund(unusedBytes());
    buffer[1] = buffer[0];
    gate.trigger().decrease(-ahead);
    ahead = 0;
  }

  /** Counts what was taken. */
  public void count() {
    Memory m = memory;
    long[] n = elements;
    long top = buffer[0];
    long at = counted;
    bytes += top - at;
    long number = 0;
    while (at < top) {
      long header = m.get(at);
      int kind = Layout.kind(header);
      n[kind]++;
      if ((TOLD >>> kind & 1) != 0) {
        visitor.made(kind, at);
      }
      at += (((header & Layout.LOW_MASK) >>> Layout.SIZE_SHIFT) + 1) << 3;
      number++;
    }
    ahead -= number;
    counted = top;
  }

  /** Elements of a kind that were made and counted since the heap was opened. */
  public long elements(int kind) {
    return elements[kind];
  }

  /** Elements that were made and counted since the heap was opened. */
  public long elements() {
    long n = 0;
    for (long each : elements) {
      n += each;
    }
    return n;
  }

  /** Bytes of those. */
  public long bytes() {
    return bytes;
  }

  @Override
  public long unusedBytes() {
    return buffer[1] - buffer[0];
  }

  @Override
  public void giveBack() {
    retire();
  }
}
