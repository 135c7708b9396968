package dev.gleaner.policy;

import dev.gleaner.spi.HeapContext;
import dev.gleaner.spi.Layout;
import dev.gleaner.spi.Memory;
import dev.gleaner.spi.Scanner;
import dev.gleaner.spi.TableLayout;
import dev.gleaner.spi.Values;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Tells who holds an element: a shortest path from a root, searched breadth first. */
public final class Inspector {
  private final HeapContext context;
  private final Memory memory;
  private final Map<Long, Long> parents = new HashMap<>();
  private final Map<Long, Long> places = new HashMap<>();
  private final ArrayDeque<Long> queue = new ArrayDeque<>();

  public Inspector(HeapContext context) {
    this.context = context;
    this.memory = context.memory();
  }

  /**
   * Finds a path.
   *
   * @param except a place that does not count, such as the slot that asks
   * @return a text a step, the root first, the element last; empty if nothing else holds it
   */
  public List<String> path(long element, long except) {
    context
        .roots()
        .forEachRoot(v -> {
          reach(0, 0, v);
          return v;
        });
    context.builtins().forEach(e -> reach(0, 0, e));
    while (!queue.isEmpty() && !parents.containsKey(element)) {
      long e = queue.remove();
      Scanner.forEachPlace(
          memory,
          e,
          place -> {
            if (place != except) {
              reach(e, place, memory.get(place));
            }
          });
    }
    List<String> steps = new ArrayList<>();
    for (Long at = parents.containsKey(element) ? element : null; at != null && at != 0; ) {
      long parent = parents.getOrDefault(at, 0L);
      steps.add(0, edge(parent, places.getOrDefault(at, 0L)) + describe(at));
      at = parent;
    }
    return steps;
  }

  /** How an element refers to another one, and what that is. */
  String step(long parent, long child) {
    long[] found = {0};
    Scanner.forEachPlace(
        memory, parent, place -> found[0] = memory.get(place) == child ? place : found[0]);
    return edge(parent, found[0]) + describe(child);
  }

  private void reach(long parent, long place, long value) {
    if (Values.isReference(value) && parents.putIfAbsent(value, parent) == null) {
      places.put(value, place);
      queue.add(value);
    }
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
    long table = Values.raw(memory.get(object + Layout.OBJECT_TABLE));
    long array = TableLayout.arrayAt(memory, table);
    if (place >= array) {
      return "[" + ((place - array) >> 3) + "]: ";
    }
    boolean isKey = (place - table - TableLayout.FIRST) % TableLayout.ENTRY == 0;
    return isKey ? "key: " : "." + text(memory.get(place - TableLayout.VALUE)) + ": ";
  }

  private String describe(long e) {
    long h = memory.get(e);
    String kind = Layout.kindOf(Layout.kind(h)).name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return switch (Layout.kind(h)) {
      case Layout.STRING -> "string \"" + text(e) + "\"";
      case Layout.RECORD -> "record of " + Layout.payloadWords(memory, e, h);
      default -> kind;
    };
  }

  private String text(long string) {
    byte[] bytes = new byte[Math.min(40, (int) memory.get(string + Layout.STRING_WORD))];
    memory.read(string + Layout.STRING_BYTES, bytes, 0, bytes.length);
    return new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
  }
}
