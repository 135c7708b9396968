package dev.gleaner.kit;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.refusal.HeapUsageException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apiguardian.api.API;

/**
 * All that a heap holds, in lines of text: to tell whether an operation that was refused changed
 * anything.
 *
 * <p>Taking it uses the heap up: frames are left one after the other, threads resumed and emptied,
 * buffers unpinned. So two heaps are made alike, one of them is asked what it must refuse, and
 * their pictures are compared. Elements have the numbers in which they are met, so it does not
 * matter where they are, nor what was collected.
 *
 * <pre>
 *   weak references     what they lead to
 *   frames              slots and catchers, from the innermost outwards, through the resumers
 *   global references
 *   elements            slots, properties in order, bytes, frames of threads, finalizers, pins
 *   what is left        when nothing is held any more: a leak
 * </pre>
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class HeapPicture {
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int SLOTS = 3;

  /** The indexes that are read one by one; a length may be anything. */
  private static final int MOST_INDEXES = 1000;

  private final Heap heap;
  private final Mutator t;
  private final List<String> lines = new ArrayList<>();
  private final Map<Integer, Integer> numbers = new HashMap<>();
  private final List<GlobalRef> elements = new ArrayList<>();

  private HeapPicture(Heap heap) {
    this.heap = heap;
    this.t = heap.mutator();
  }

  /**
   * Takes the picture of a heap, of which nothing is left.
   *
   * @param heap one that is open
   * @param globals the global references that are looked at, and closed
   * @param weaks the weak references that are looked at
   * @return a line for each thing that can be seen
   */
  public static List<String> of(Heap heap, List<GlobalRef> globals, List<WeakRef> weaks) {
    HeapPicture picture = new HeapPicture(heap);
    picture.lines.addAll(heap.inspect().verify());
    HeapStatistics s = heap.statistics();
    picture.lines.add("external " + s.externalBytes() + ", flags " + heap.baseFlags());
    picture.weak(weaks);
    picture.thread("");
    picture.t.enter(SLOTS);
    for (GlobalRef global : globals) {
      picture.t.getGlobal(VALUE, global);
      picture.lines.add("global " + picture.value(VALUE));
      global.close();
    }
    picture.contents();
    picture.rest();
    return picture.lines;
  }

  private void weak(List<WeakRef> weaks) {
    int n = t.frameSize();
    for (WeakRef weak : weaks) {
      t.enter(1);
      lines.add("weak " + (t.getWeak(0, weak) ? value(0) : "cleared"));
      t.leave();
    }
    if (t.frameSize() != n) {
      lines.add("a frame of " + n + " became one of " + t.frameSize());
    }
  }

  /** A value's text; an element gets its number, and is held until its contents were looked at. */
  private String value(int s) {
    return switch (t.type(s)) {
      case UNDEFINED -> "undefined";
      case NULL -> "null";
      case BOOLEAN -> String.valueOf(t.getBoolean(s));
      case INT -> String.valueOf(t.getLong(s));
      case DOUBLE -> String.valueOf(t.getDouble(s));
      case REFERENCE -> "#" + numbers.computeIfAbsent(t.identityHash(s), _ -> hold(s));
    };
  }

  private int hold(int s) {
    GlobalRef global = heap.newGlobal();
    t.setGlobal(global, s);
    elements.add(global);
    return elements.size() - 1;
  }

  /** Leaves all frames of the current thread and of those that wait for it. */
  private void thread(String who) {
    while (true) {
      frames(who);
      t.enter(0);
      try {
        t.suspend();
        lines.add(who + "suspended");
      } catch (HeapUsageException e) {
        t.leave();
        return;
      }
    }
  }

  private void frames(String who) {
    while (true) {
      StringBuilder line = new StringBuilder(who).append("frame");
      for (int i = 0; i < t.frameSize(); i++) {
        line.append(' ').append(value(i));
      }
      lines.add(line + ", catchers " + catchers());
      if (t.frameDepth() == 0) {
        return;
      }
      t.leave();
    }
  }

  private int catchers() {
    for (int n = 0; ; n++) {
      try {
        t.popCatcher();
      } catch (HeapUsageException e) {
        return n;
      }
    }
  }

  private void contents() {
    for (int i = 0; i < elements.size(); i++) {
      t.getGlobal(0, elements.get(i));
      String kind = "#" + i + " " + t.kind(0) + (t.hasFinalizer(0) ? ", a finalizer: " : ": ");
      switch (t.kind(0)) {
        case STRING -> lines.add(kind + t.getString(0));
        case RECORD -> lines.add(kind + slots());
        case OBJECT -> lines.add(kind + slots() + object());
        case BUFFER, DYNAMIC_BUFFER -> lines.add(kind + Arrays.toString(bytes()) + pins());
        case FUNCTION -> lines.add(kind + function());
        case NATIVE -> lines.add(kind + t.nativeValue(0));
        case THREAD -> suspended(kind);
        case INTEGER -> throw new AssertionError("no element that anybody sees");
      }
    }
  }

  private String slots() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < t.slotCount(0); i++) {
      t.load(VALUE, 0, i);
      text.append(value(VALUE)).append(' ');
    }
    return text.toString();
  }

  private String object() {
    StringBuilder text = new StringBuilder("properties " + t.propertyCount(0));
    long cursor = t.nextProperty(0, 0, KEY, VALUE);
    for (; cursor >= 0; cursor = t.nextProperty(0, cursor, KEY, VALUE)) {
      text.append(' ').append(value(KEY)).append('=').append(value(VALUE));
    }
    text.append(" array of ").append(t.arrayLength(0));
    for (int i = 0; i < Math.min(MOST_INDEXES, t.arrayLength(0)); i++) {
      t.getIndex(VALUE, 0, i);
      text.append(' ').append(value(VALUE));
    }
    t.getPrototype(VALUE, 0);
    return text.append(" prototype ").append(value(VALUE)).toString();
  }

  private byte[] bytes() {
    byte[] bytes = new byte[(int) t.bufferSize(0)];
    t.readBytes(0, 0, bytes, 0, bytes.length);
    return bytes;
  }

  private String pins() {
    for (int n = 0; ; n++) {
      try {
        t.unpin(0);
      } catch (HeapUsageException e) {
        return ", pins " + n;
      }
    }
  }

  private String function() {
    StringBuilder text = new StringBuilder();
    try {
      for (int i = 0; ; i++) {
        t.loadConstant(VALUE, 0, i);
        text.append(value(VALUE)).append(' ');
      }
    } catch (HeapUsageException e) {
      text.append("inner");
    }
    try {
      for (int i = 0; ; i++) {
        t.loadInner(VALUE, 0, i);
        text.append(' ').append(value(VALUE));
      }
    } catch (HeapUsageException e) {
      return text.toString();
    }
  }

  private void suspended(String kind) {
    lines.add(kind);
    int _ = t.resumeInto(0, 0, 0, 0, 0);
    frames("  ");
    t.wipe(0);
    int _ = t.suspend(0, 0, 0, 0);
  }

  private void rest() {
    elements.forEach(GlobalRef::close);
    t.leave();
    for (int i = 0; i < 3; i++) {
      heap.collect();
    }
    HeapStatistics s = heap.statistics();
    lines.add("left " + Arrays.toString(s.liveByKind()) + ", leaked " + heap.inspect().findLeaks());
    lines.addAll(heap.inspect().verify());
  }
}
