package dev.gleaner.inspect;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.space.MarkBits;
import dev.gleaner.util.EntryIndex;
import dev.gleaner.weak.WeakObjects;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds a shortest path from a root to an element, by a breadth-first search.
 *
 * <pre>
 *   seen   a bit for each element that was reached
 *   queue  two words for each element, in the order of the search: the element, and the entry of
 *          the queue that led to it, -1 for a root
 * </pre>
 *
 * <p>Both lie outside of the JVM's heap. A path follows the entries back to a root. Only then does
 * a step look up the word that leads from an element to the next element. So a search takes time in
 * proportion to the elements that it passes, however deep they lie.
 *
 * <p>A weak table leads to the elements that it holds. The value of a weak key is the next step
 * from the key, after the search has passed both the key and the table.
 */
public final class Inspector {
  private static final int ENTRY = 16;
  private static final long ROOT = -1;

  private final HeapParts context;
  private final Memory memory;
  private final WeakObjects weak;

  public Inspector(HeapParts context) {
    this.context = context;
    this.memory = context.memory();
    this.weak = context.tables().weak();
  }

  /**
   * Finds a path.
   *
   * @param except a place that does not count, such as the caller's slot
   * @return a text for each step, the root first, the element last; empty if nothing else holds the
   *     element
   */
  public List<String> path(long element, long except) {
    boolean reserve = memory.isReserved();
    try (MarkBits seen = new MarkBits(context.regionBytes(), reserve);
        Memory queue = Memory.open(2 * context.regionBytes(), ENTRY, reserve)) {
      return new Search(seen, queue, element, except).path();
    }
  }

  private final class Search {
    private final MarkBits seen;
    private final Memory queue;
    private final long wanted;
    private final long except;

    /** The bytes of the queue in use. */
    private long end;

    private long found = ROOT;

    /** The queue entries of passed elements that may be weak keys. */
    private final EntryIndex passed = new EntryIndex();

    /** Weak keys of passed tables, with their values. */
    private final EntryIndex waiting = new EntryIndex();

    Search(MarkBits seen, Memory queue, long wanted, long except) {
      this.seen = seen;
      this.queue = queue;
      this.wanted = wanted;
      this.except = except;
    }

    List<String> path() {
      if (!seen.ensure(context.raw().extent())) {
        throw noMemory();
      }
      context
          .roots()
          .forEachRoot(v -> {
            reach(ROOT, v);
            return v;
          });
      context.builtins().forEach(e -> reach(ROOT, e));
      for (long at = 0; at < end && found == ROOT; at += ENTRY) {
        long from = at;
        long e = queue.get(at);
        long header = memory.get(e);
        if (weak.size() > 0 && (header & Layout.FLAG_NOTED) != 0) {
          passed.add(e, at, 0);
          for (int i = waiting.take(e); i >= 0; i = waiting.next(i)) {
            reach(at, waiting.word(i));
          }
        }
        Scanner.forEachPlace(
            memory,
            e,
            place -> {
              if (place != except) {
                reach(from, memory.get(place));
              }
            });
        if (Layout.isWeak(header)) {
          weak.forEachHeld(e, (holder, place) -> held(from, holder, memory.get(place)));
        }
      }
      return steps();
    }

    private void held(long table, long holder, long value) {
      int key = holder == 0 ? -1 : passed.first(holder);
      if (holder == 0 || key >= 0) {
        reach(holder == 0 ? table : passed.word(key), value);
      } else {
        waiting.add(holder, value, 0);
      }
    }

    private void reach(long from, long value) {
      if (!Values.isReference(value) || seen.get(value)) {
        return;
      }
      if (!queue.ensure(end + ENTRY)) {
        throw noMemory();
      }
      seen.set(value);
      queue.put(end, value);
      queue.put(end + 8, from);
      if (value == wanted) {
        found = end;
      }
      end += ENTRY;
    }

    private HeapExhaustedException noMemory() {
      return new HeapExhaustedException(
          context.heap(), context.budget().used(), context.budget().max(), end + ENTRY);
    }

    private List<String> steps() {
      List<String> steps = new ArrayList<>();
      String last = "";
      for (long at = found; at != ROOT; at = queue.get(at + 8)) {
        long from = queue.get(at + 8);
        String step = step(from == ROOT ? 0 : queue.get(from), queue.get(at), except);
        last = step.equals(last) ? last : step; // equal texts share a string
        steps.add(last);
      }
      Collections.reverse(steps);
      return steps;
    }
  }

  /** Says how an element refers to another element, and what that element is. */
  String step(long parent, long child) {
    return step(parent, child, 0);
  }

  private String step(long parent, long child, long except) {
    long[] first = {0};
    Scanner.Visitor visitor =
        place -> {
          if (first[0] == 0 && place != except && memory.get(place) == child) {
            first[0] = place;
          }
        };
    if (parent != 0) {
      Scanner.forEachPlace(memory, parent, visitor);
    }
    if (parent != 0 && Layout.isWeak(memory.get(parent))) {
      forEachHeldByTable(parent, visitor);
    }
    boolean byKey = parent != 0 && first[0] == 0;
    return (byKey ? "as a weak key, value: " : edge(parent, first[0])) + describe(child);
  }

  /** Visits each word by which an element leads to another element, also in weak tables. */
  void forEachPlace(long element, Scanner.Visitor visitor) {
    Scanner.forEachPlace(memory, element, visitor);
    if (Layout.isWeak(memory.get(element))) {
      forEachHeldByTable(element, visitor);
    }
    if ((memory.get(element) & Layout.FLAG_NOTED) != 0) {
      weak.forEachHeldByKey(element, (_, place) -> visitor.place(place));
    }
  }

  private void forEachHeldByTable(long table, Scanner.Visitor visitor) {
    weak.forEachHeld(
        table,
        (holder, place) -> {
          if (holder == 0) {
            visitor.place(place);
          }
        });
  }

  private String edge(long parent, long place) {
    if (parent == 0) {
      return "root: ";
    }
    long words = (place - parent) >> 3;
    long payload = Layout.payloadWords(memory, parent, memory.get(parent));
    return switch (Layout.kind(memory.get(parent))) {
      case Layout.RECORD -> "[" + (words - 1) + "]: ";
      case Layout.FUNCTION -> "(" + (words - 2) + "): ";
      case Layout.OBJECT -> words == 1 ? "prototype: " : inObject(parent, place, words, payload);
      case Layout.THREAD -> words > 0 && words <= payload ? "resumer: " : "on its stack: ";
      default -> "";
    };
  }

  private String inObject(long object, long place, long words, long payload) {
    if (words > 0 && words <= payload) {
      return "[" + (words - 1 - Layout.OBJECT_SLOTS) + "]: ";
    }
    long table = context.tables().table(object);
    long array = TableLayout.arrayAt(memory, table);
    if (TableLayout.high(memory.get(table + TableLayout.ARRAY)) > 0 && place >= array) {
      return "[" + ((place - array) >> 3) + "]: ";
    }
    boolean isKey = (place - table - TableLayout.FIRST) % TableLayout.ENTRY == 0;
    long key = isKey ? 0 : memory.get(place - TableLayout.VALUE);
    return isKey ? "key: " : TableLayout.isDeleted(key) ? "deleted key: " : ofKey(key) + ": ";
  }

  private String ofKey(long key) {
    if (Values.isReference(key)) {
      return switch (Layout.kind(memory.get(key))) {
        case Layout.STRING -> "." + text(key);
        case Layout.LONG -> "[" + memory.get(key + Layout.LONG_VALUE) + "]";
        default -> "[" + describe(key) + "]";
      };
    }
    return Values.isInt(key)
        ? "[" + (int) key + "]"
        : "[" + (Values.isDouble(key) ? Values.toDouble(key) : key == Values.TRUE) + "]";
  }

  /** Describes an element in a few words. */
  String describe(long e) {
    long h = memory.get(e);
    String kind = Layout.kindOf(Layout.kind(h)).text();
    int number = context.sorts().of(h);
    if (number != 0) {
      String code = Layout.kind(h) == Layout.FUNCTION ? codeName(e) : null;
      String sort = context.sorts().name(number);
      return code == null ? sort : sort + " " + code;
    }
    return switch (Layout.kind(h)) {
      case Layout.STRING -> "string \"" + text(e) + "\"";
      case Layout.LONG -> "integer " + memory.get(e + Layout.LONG_VALUE);
      case Layout.RECORD -> "record of " + Layout.payloadWords(memory, e, h);
      default -> kind;
    };
  }

  private @Nullable String codeName(long function) {
    long code = Values.raw(memory.get(function + Layout.FUNCTION_COUNTS)) >>> Layout.FUNCTION_BITS;
    return context.sorts().codeName((int) code - 1);
  }

  private String text(long string) {
    return Places.text(memory, string);
  }
}
