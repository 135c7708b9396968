package dev.gleaner.inspect;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.space.RawSpace.Span;
import dev.gleaner.space.RawSpace.Use;
import dev.gleaner.space.ReferenceCounts;
import dev.gleaner.spi.Collector;
import dev.gleaner.weak.FinalizerTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Shows elements, frames and places of a heap as text, for people who look for a fault.
 *
 * <p>The heap may be broken. So this class follows a word only if {@link KnownElements} has an
 * element there. If a part cannot be read, one line says so. All texts are bounded. Nothing in the
 * heap changes.
 */
public final class Describer {
  private static final int MOST_WORDS = 64;
  private static final int MOST_FRAMES = 64;
  private static final int MOST_THREADS = 64;

  private final HeapParts context;
  private final Collector collector;
  private final Memory memory;
  private final Running running;
  private final Inspector names;
  private final StringBuilder out = new StringBuilder();

  /**
   * The heap's own threads, and the registers of the running thread.
   *
   * @param main the thread that the heap began with
   * @param current the thread that runs
   * @param finalizer the thread of finalizers, or 0
   * @param callback the thread of on-free callbacks, or 0
   * @param stack the first word of the running thread's value stack
   * @param base the first slot of its frame
   * @param size the number of slots of its frame
   */
  public record Running(
      long main, long current, long finalizer, long callback, long stack, long base, int size) {}

  /** A part of a text. */
  @FunctionalInterface
  private interface Part {
    void write();
  }

  public Describer(HeapParts context, Collector collector, Running running) {
    this.context = context;
    this.collector = collector;
    this.memory = context.memory();
    this.running = running;
    this.names = new Inspector(context);
  }

  // ---- one element ----

  /** Describes a value; the text of a reference has all that is known of its element. */
  public String describe(long value) {
    String[] space = {""};
    try (KnownElements known =
        new KnownElements(
            context, collector, (e, name) -> space[0] = e == value ? name : space[0])) {
      line(value(value, known));
      if (Values.isReference(value) && known.contains(value)) {
        part(() -> header(value, space[0], known));
        part(() -> words(value, known));
      }
      line(known.damage());
    }
    return out.toString();
  }

  private void header(long e, String space, KnownElements known) {
    long h = memory.get(e);
    long bytes = (Layout.payloadWords(memory, e, h) + 1) << 3;
    line("  bytes: " + bytes + ", header: 0x" + Long.toHexString(h));
    line("  space: " + (space.isEmpty() ? "of the collector's" : space));
    line("  pages: " + pages(context.raw().spanAt(e)));
    ReferenceCounts counts = collector.counts();
    if (counts != null) {
      line("  count: " + (counts.isUncounted(e) ? "not counted" : counts.count(e)));
    }
    String own = collector.describe(e);
    if (!own.isEmpty()) {
      line("  collector: " + own);
    }
    if ((h & Layout.FLAG_IMMORTAL) != 0) {
      line("  a built-in: stays until the heap is closed");
    }
    int finalizer = context.finalizers().find(e);
    if (finalizer >= 0) {
      line("  finalizer: " + finalizerLabel(finalizer));
    }
    if (e == running.current()) {
      line("  value stack: at " + running.stack());
    } else {
      OwnBlocks.forEach(
          context,
          e,
          (name, start, size) -> {
            if (start != 0) {
              line("  " + name + ": " + size + " bytes at " + start);
            }
          });
    }
    switch (Layout.kind(h)) {
      case Layout.STRING ->
          line("  length: " + (memory.get(e + Layout.STRING_WORD) & Layout.LOW_MASK) + " bytes");
      case Layout.BUFFER -> line("  length: " + memory.get(e + Layout.BUFFER_SIZE) + " bytes");
      case Layout.NATIVE -> line("  Java object: " + javaObject(e));
      case Layout.THREAD -> thread(e, known);
      default -> {}
    }
  }

  private String finalizerLabel(int entry) {
    FinalizerTable table = context.finalizers();
    int source = table.source(entry, memory);
    String label = source < 0 ? "of no prototype" : table.label(source);
    return table.isHeir(entry) ? label + " (inherited)" : label;
  }

  /** Names only the class, as a method of the object may do anything. */
  private String javaObject(long e) {
    Object object = context.natives().find((int) memory.get(e + Layout.NATIVE_INDEX));
    return object == null ? "none" : "a " + object.getClass().getName();
  }

  /** Writes the words that hold values: the first words, and words that lead nowhere. */
  private void words(long e, KnownElements known) {
    int kind = Layout.kind(memory.get(e));
    if (kind == Layout.THREAD) {
      return;
    }
    Places places = new Places(memory, known::isString);
    int[] shown = {0};
    long[] left = {0};
    Scanner.Visitor visitor =
        place -> {
          long v = memory.get(place);
          boolean raw = Values.isRaw(v);
          boolean dangles = Values.isReference(v) && !known.contains(v);
          if (!raw && (shown[0] < MOST_WORDS || (dangles && shown[0] < 2 * MOST_WORDS))) {
            line("  " + placeName(places, e, place) + ": " + value(v, known));
            shown[0]++;
          } else {
            left[0] += raw ? 0 : 1;
          }
        };
    forEachPlace(e, visitor);
    if (left[0] > 0) {
      line("  and " + left[0] + " more words");
    }
  }

  /** Visits each word that holds a value, also in weak tables. The walk ends where memory ends. */
  private void forEachPlace(long e, Scanner.Visitor visitor) {
    Scanner.Visitor checked =
        place -> {
          if (place < 0 || place >= context.raw().extent()) {
            throw new IndexOutOfBoundsException("a table or stack leads to " + place);
          }
          visitor.place(place);
        };
    Scanner.forEachPlace(memory, e, checked);
    if (Layout.isWeak(memory.get(e))) {
      context.tables().weak().forEachPlace(e, checked);
    }
  }

  private String placeName(Places places, long e, long place) {
    long inside = (place - e) >> 3;
    long h = memory.get(e);
    if (!Layout.isWeak(h) || (inside > 0 && inside <= Layout.payloadWords(memory, e, h))) {
      return places.name(e, place);
    }
    long table = context.tables().table(e);
    int entry = TableLayout.indexOf(table, place);
    return (place == TableLayout.entryAt(table, entry) ? "key" : "value") + " of entry " + entry;
  }

  private String value(long v, KnownElements known) {
    if (Values.isReference(v)) {
      return known.contains(v) ? element(v) : "a reference to " + v + ", which is no element";
    }
    if (Values.isInt(v)) {
      return Integer.toString(Values.toInt(v));
    }
    if (Values.isDouble(v)) {
      return Double.toString(Values.toDouble(v));
    }
    return v == Values.UNDEFINED
        ? "undefined"
        : v == Values.NULL
            ? "null"
            : Values.isBoolean(v)
                ? Boolean.toString(v == Values.TRUE)
                : "0x" + Long.toHexString(v) + ", which is no value";
  }

  private String element(long e) {
    try {
      return names.describe(e) + " at " + e;
    } catch (RuntimeException x) {
      return "an element at " + e + " that is damaged: " + x.getMessage();
    }
  }

  // ---- frames ----

  /** Returns the frames of all threads with their slots, the running thread first. */
  public String frames() {
    List<Long> threads = new ArrayList<>();
    threads.add(running.current());
    try (KnownElements known =
        new KnownElements(
            context,
            collector,
            (e, _) -> {
              if (Layout.kind(memory.get(e)) == Layout.THREAD && e != running.current()) {
                threads.add(e);
              }
            })) {
      for (int i = 0; i < Math.min(threads.size(), MOST_THREADS); i++) {
        long t = threads.get(i);
        part(() -> {
          line(threadName(t) + " at " + t);
          thread(t, known);
        });
      }
      if (threads.size() > MOST_THREADS) {
        line("and " + (threads.size() - MOST_THREADS) + " more threads");
      }
      line(known.damage());
    }
    return out.toString();
  }

  private String threadName(long t) {
    return t == running.main()
        ? "main thread"
        : t == running.finalizer()
            ? "finalizer thread"
            : t == running.callback() ? "callback thread" : "thread";
  }

  private void thread(long t, KnownElements known) {
    boolean runs = t == running.current();
    long stack = runs ? running.stack() : ThreadLayout.stackStart(memory, t);
    long base =
        runs ? running.base() : stack + (Values.raw(memory.get(t + ThreadLayout.BASE)) << 3);
    long size = runs ? running.size() : Values.raw(memory.get(t + ThreadLayout.SIZE));
    boolean waits = Values.raw(memory.get(t + ThreadLayout.STATE)) != 0;
    line("  state: " + (runs ? "running" : waits ? "waits for one that it resumed" : "suspended"));
    for (int fromTop = 0; ; fromTop++) {
      boolean bottom = base == stack + Layout.WORD;
      if (fromTop < MOST_FRAMES || bottom) {
        frame(fromTop, bottom, base, size, known);
      } else if (fromTop == MOST_FRAMES) {
        line("  and further frames, down to");
      }
      if (bottom) {
        return;
      }
      long link = base > stack ? memory.get(base - Layout.WORD) : 0;
      if (!Frames.isLink(link)) {
        line("  the link of that frame is damaged: 0x" + Long.toHexString(link));
        return;
      }
      base = Frames.caller(base, link);
      size = link & ThreadLayout.LINK_MASK;
    }
  }

  private void frame(int fromTop, boolean bottom, long base, long size, KnownElements known) {
    String name = fromTop == 0 ? "current frame" : "caller " + fromTop;
    line("  " + name + (bottom ? ", the bottom one" : "") + ", slots: " + size);
    for (long s = 0; s < Math.min(size, MOST_WORDS); s++) {
      line("    " + s + ": " + value(memory.get(base + (s << 3)), known));
    }
    if (size > MOST_WORDS) {
      line("    and " + (size - MOST_WORDS) + " more slots");
    }
  }

  // ---- places ----

  /** The place of an offset: inside an element, or inside a block that the element owns. */
  private static final class Place {
    long element;
    @Nullable String block;
    long start;
  }

  /** Returns what lies at an offset of the heap's memory. */
  public String whatIsAt(long offset) {
    long word = offset & -Layout.WORD;
    Place place = new Place();
    try (KnownElements known =
        new KnownElements(context, collector, (e, _) -> find(word, e, place))) {
      String what = place.element == 0 ? outside(word, known) : inside(word, place, known);
      line((word == offset ? "" : "byte " + (offset - word) + " of ") + what);
      line(known.damage());
    }
    return out.toString().stripTrailing();
  }

  private void find(long word, long e, Place place) {
    long h = memory.get(e);
    long before = (h & Layout.LOW_MASK) >>> Layout.SIZE_SHIFT == Layout.LARGE ? Layout.WORD : 0;
    if (word >= e - before && word < Scanner.end(memory, e, h)) {
      place.element = e;
      place.block = null;
      place.start = e - before;
    } else if (place.element == 0) {
      OwnBlocks.forEach(
          context,
          e,
          (name, start, bytes) -> {
            if (start != 0 && word >= start && word < start + bytes) {
              place.element = e;
              place.block = name;
              place.start = start;
            }
          });
    }
  }

  private String inside(long word, Place place, KnownElements known) {
    long e = place.element;
    String of = " of " + element(e);
    if (word == e) {
      return "the header" + of + state(e);
    }
    if (word < e && place.block == null) {
      return "the size" + of;
    }
    Places places = new Places(memory, known::isString);
    boolean[] holds = {false};
    part(() -> forEachPlace(e, at -> holds[0] |= at == word));
    long v = memory.get(word);
    boolean raw = Values.isRaw(v);
    if (holds[0] && !raw) {
      return placeName(places, e, word) + of + ": " + value(v, known);
    }
    long n = word - place.start;
    return place.block == null ? "byte " + n + of : "byte " + n + " of the " + place.block + of;
  }

  private String state(long e) {
    ReferenceCounts counts = collector.counts();
    String own = collector.describe(e);
    return (counts == null || counts.isUncounted(e) ? "" : ", count " + counts.count(e))
        + (own.isEmpty() ? "" : ", " + own);
  }

  private String outside(long word, KnownElements known) {
    long strings = context.strings().offset();
    if (strings != 0 && word >= strings && word < strings + context.strings().bytes()) {
      return "entry " + (word - strings) / Layout.WORD + " of the string table";
    }
    if (word >= context.regionBytes()) {
      return "nothing: the heap's memory ends at " + context.regionBytes();
    }
    Span span = context.raw().spanAt(word);
    return switch (span.use()) {
      case CELLS, BLOCKS -> inCells(word, span, known);
      case LARGE_BLOCK -> "a block" + bytes(span.start(), span.bytes());
      case TAKEN -> "no element: pages that the collector divides itself" + pagesOf(span);
      case FREE -> "a free piece" + bytes(span.start(), span.bytes());
      case UNUSED ->
          word < span.bytes()
              ? "nothing: the first page is never used"
              : "nothing: memory from " + span.start() + " on was never used";
    };
  }

  private String inCells(long word, Span span, KnownElements known) {
    long n = (word - span.start()) / span.cellBytes();
    long cell = span.start() + n * span.cellBytes();
    if (cell + span.cellBytes() > span.start() + span.bytes()) {
      return "nothing: the rest of " + pages(span);
    }
    if (span.use() == Use.CELLS) {
      return known.contains(cell)
          ? "the unused end of the cell of " + element(cell)
          : "a free cell" + bytes(cell, span.cellBytes()) + " in " + pages(span);
    }
    boolean taken = context.raw().allocator().holds(cell, span.cellBytes());
    return (taken ? "a block" : "a free piece") + bytes(cell, span.cellBytes());
  }

  private static String bytes(long start, long bytes) {
    return " of " + bytes + " bytes at " + start;
  }

  private static String pagesOf(Span span) {
    return ", " + span.bytes() + " bytes at " + span.start();
  }

  private static String pages(Span span) {
    String use =
        switch (span.use()) {
          case CELLS ->
              "cells of %d bytes for elements of kind %s"
                  .formatted(span.cellBytes(), Layout.kindOf(span.kind()).text());
          case BLOCKS -> "blocks of " + span.cellBytes() + " bytes";
          case LARGE_BLOCK -> "one block";
          case TAKEN -> "divided by the collector";
          case FREE -> "free";
          case UNUSED -> "never used";
        };
    return use + pagesOf(span);
  }

  // ---- text ----

  /** Writes a line. Control characters, which a string may have, become Java escapes. */
  private void line(@Nullable String text) {
    if (text == null) {
      return;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c)) {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    out.append('\n');
  }

  /** Writes a part. Damage ends the part with a line that says so. */
  private void part(Part part) {
    try {
      part.write();
    } catch (RuntimeException e) {
      line("  damaged: " + e);
    }
  }
}
