package dev.gleaner.heap;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ValueStackFullException;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/**
 * Steps on several slots at once: results, tail calls, ranges.
 *
 * <pre>
 *   leave      … caller: d …  | link | callee: first …         the results move down to d
 *   tailCall   … link | first … first + args |                 the arguments move down to slot 0
 *   move       d … d + count  &lt;-  s … s + count                may overlap
 * </pre>
 *
 * <p>A moving value takes its count along. Overwritten values, and values that do not move, are
 * dropped. Drops take effect at the end of the step, by {@link Operations#settle}, so a step may
 * write words in any order.
 */
final class FrameSteps {
  static final MethodHandle LEAVE =
      handle("leave", int.class, int.class, int.class, int.class, int.class);
  static final MethodHandle TAIL_CALL =
      handle("tailCall", void.class, int.class, int.class, int.class);
  static final MethodHandle MOVE = handle("move", void.class, int.class, int.class, int.class);

  /** From this number of words on the JVM's copy is faster than a loop. */
  private static final int MANY = 32;

  private final Mutator m;
  private final Memory mem;
  private final @Nullable ReferenceCounts counts;
  private final @Nullable FrameBuffer frames;

  FrameSteps(Mutator mutator) {
    this.m = mutator;
    this.mem = mutator.mem;
    this.counts = mutator.counts;
    this.frames = mutator.frames;
  }

  private static MethodHandle handle(String name, Class<?> result, Class<?>... parameters) {
    return Inlining.handle(MethodHandles.lookup(), FrameSteps.class, name, result, parameters);
  }

  // ---- frames further out ----

  void peek(int d, int level, int s) {
    m.check();
    long at = m.slot(d);
    int slots = sizeAt(level);
    if (Integer.compareUnsigned(s, slots) >= 0) {
      throw new HeapUsageException("no slot " + s + " in a frame of " + slots);
    }
    m.writeSlot(at, mem.get(baseAt(level) + ((long) s << 3)));
    m.settle();
  }

  int sizeAt(int level) {
    return level == 0 ? m.size : (int) m.link(baseAt(level - 1)) & ThreadLayout.LINK_MASK;
  }

  int find(int from, int code, int other) {
    long at = baseAt(from);
    int slots = sizeAt(from);
    for (int level = from; ; level++) {
      int found = slots == 0 ? -1 : m.codeOf(mem.get(at));
      if (found >= 0 && (found == code || found == other)) {
        return level;
      }
      if (level == m.depth()) {
        return -1;
      }
      long link = m.link(at);
      slots = (int) link & ThreadLayout.LINK_MASK;
      at -= Operations.distance(link) << 3;
    }
  }

  private long baseAt(int level) {
    if (level < 0 || level > m.depth()) {
      throw new HeapUsageException("no frame " + level + " levels out of " + m.depth());
    }
    long at = m.base;
    for (int i = 0; i < level; i++) {
      at -= Operations.distance(m.link(at)) << 3;
    }
    return at;
  }

  // ---- checks ----

  /** Returns the place of the first slot of a range of the running frame. */
  long slots(int first, int count) {
    if ((first | count) < 0 || first > m.size - count) {
      throw noSlots(first, count, "a frame", m.size);
    }
    return m.base + ((long) first << 3);
  }

  static HeapUsageException noSlots(int first, int count, String where, long size) {
    return new HeapUsageException(
        "no " + count + " slots from " + first + " on in " + where + " of " + size);
  }

  /**
   * Checks a landing of values in a frame that may grow.
   *
   * @param size the frame's number of slots
   * @param wanted the number of slots to write; all values if negative
   * @return the number of slots that are written
   */
  static int landing(int size, int count, int d, int wanted) {
    int landing = wanted < 0 ? count : wanted;
    boolean there = d >= 0 && d <= size && (wanted < 0 || wanted <= size - d);
    if (!there || wanted < Mutator.ALL) {
      throw noLanding(size, landing, d, wanted);
    }
    if (landing > Operations.LARGEST_FRAME - d) {
      throw new ValueStackFullException(
          "frame of " + ((long) d + landing) + " slots exceeds " + Operations.LARGEST_FRAME,
          (long) d + landing,
          Operations.LARGEST_FRAME);
    }
    return landing;
  }

  private static HeapUsageException noLanding(int size, int landing, int d, int wanted) {
    return wanted < Mutator.ALL
        ? new HeapUsageException(
            "no number of results: " + wanted + "; " + Mutator.ALL + " for all")
        : noSlots(d, landing, "the frame they are for,", size);
  }

  // ---- words ----

  /** Copies words, which may overlap. */
  void copyWords(long from, long to, int words) {
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

  /** Drops the values of words before the words are overwritten or die. */
  void drop(long from, long to) {
    if (counts != null && from < to) {
      counts.decrementSlice(from, to);
    }
  }

  /** Gives a frame at the end of the value stack more slots, if it has fewer. */
  void widen(int slots) {
    if (slots > m.size) {
      m.size = slots;
      m.top = m.base + ((long) slots << 3);
    }
  }

  // ---- steps ----

  int leave(int first, int count, int d, int wanted) {
    m.checkStep();
    long from = slots(first, count);
    long link = m.link(m.base);
    m.checkLeaves(link);
    int callerSize = (int) link & ThreadLayout.LINK_MASK;
    int landing = landing(callerSize, count, d, wanted);
    int n = Math.min(count, landing);
    long to = m.base - (Operations.distance(link) << 3) + ((long) d << 3);
    if (counts != null) {
      drop(m.base, from);
      drop(from + ((long) n << 3), m.base + ((long) m.size << 3));
      drop(to, to + ((long) Math.min(landing, callerSize - d) << 3));
    }
    if (m.hasReturnBarrier()) {
      leaveThroughBarrier(from, n, link);
    }
    m.popFrame(link);
    widen(d + landing);
    copyWords(from, to, n);
    m.fill(to + ((long) n << 3), landing - n);
    m.settle();
    return n;
  }

  private void leaveThroughBarrier(long from, int results, long link) {
    if (m.callBase == m.base) {
      m.dropCalls();
    }
    if (frames != null && m.base == frames.returnBarrier()) {
      if (frames.copies()) {
        m.flush();
      }
      m.section.enter();
      frames.leaveWith(from, results, m.base - (Operations.distance(link) << 3));
      m.section.leave();
    }
  }

  void tailCall(int slots, int first, int args) {
    m.check();
    if (args < 0 || args > slots || first < 0 || first > m.size - args) {
      throw Operations.noArguments(slots, first, args);
    }
    m.ensureSize(slots);
    if (m.callBase == m.base) {
      m.dropCalls();
    }
    long base = m.base;
    long from = base + ((long) first << 3);
    long end = base + ((long) args << 3);
    drop(base, from);
    drop(from + ((long) args << 3), base + ((long) m.size << 3));
    copyWords(from, base, args);
    m.fill(end, slots - args);
    m.size = slots;
    m.top = base + ((long) slots << 3);
    m.compacted();
    m.settle();
  }

  void resizeFrame(int slots) {
    m.check();
    m.ensureSize(slots);
    long end = m.base + ((long) slots << 3);
    drop(end, m.top);
    m.fill(m.top, slots - m.size);
    m.size = slots;
    m.top = end;
    m.settle();
  }

  void leaveTo(int depth) {
    m.check();
    if (depth < 0 || depth > m.depth) {
      throw new HeapUsageException("no frame at depth " + depth + " of " + m.depth);
    }
    while (m.depth > depth) {
      m.leaveFrame();
    }
    m.settle();
  }

  void move(int d, int s, int count) {
    m.check();
    long from = slots(s, count);
    long to = slots(d, count);
    if (counts != null) {
      counts.incrementSlice(from, from + ((long) count << 3));
      counts.decrementSlice(to, to + ((long) count << 3));
    }
    copyWords(from, to, count);
    m.settle();
  }

  void loadRange(int d, int r, int i, int count) {
    m.check();
    long to = slots(d, count);
    long from = places(r, i, count);
    if (counts != null) {
      counts.incrementSlice(from, from + ((long) count << 3));
      counts.decrementSlice(to, to + ((long) count << 3));
    }
    copyWords(from, to, count);
    m.settle();
  }

  void storeRange(int r, int i, int s, int count) {
    m.check();
    long from = slots(s, count);
    long to = places(r, i, count);
    if (frames != null) {
      storeOneByOne(r, to - m.value(r), s, count);
    } else if (counts != null) {
      counts.incrementSlice(from, from + ((long) count << 3));
      counts.decrementSlice(to, to + ((long) count << 3));
      copyWords(from, to, count);
      m.settle();
    } else {
      storeUncounted(m.value(r), from, to, count);
    }
  }

  /** Stores value by value: each store may move all young elements, the record too. */
  private void storeOneByOne(int r, long place, int s, int count) {
    for (int k = 0; k < count; k++) {
      long holder = m.value(r);
      m.storeAt(holder, holder + place + ((long) k << 3), m.value(s + k));
    }
  }

  private void storeUncounted(long holder, long from, long to, int count) {
    if (m.context.barrier()) {
      for (int k = 0; k < count; k++) {
        m.shadeValue(mem.get(to + ((long) k << 3)));
      }
    }
    copyWords(from, to, count);
    if ((mem.get(holder) & Layout.FLAG_UNLOGGED) != 0) {
      for (int k = 0; k < count; k++) {
        long place = to + ((long) k << 3);
        m.remember(holder, place, mem.get(place));
      }
    }
  }

  /** Returns the place of the first slot of a range of a record or object. */
  private long places(int r, int i, int count) {
    long e = m.reference(r);
    long header = mem.get(e);
    int first = m.firstSlot(header, r);
    long n = Layout.payloadWords(mem, e, header) - first;
    if ((i | count) < 0 || i > n - count) {
      throw noSlots(i, count, first == 0 ? "a record" : "an object", n);
    }
    return e + 8 + ((long) (first + i) << 3);
  }
}
