package dev.gleaner.image;

import dev.gleaner.inspect.Inspector;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.ImageException;
import dev.gleaner.table.NativeTable;
import dev.gleaner.table.Sorts;
import dev.gleaner.table.StringBytes;
import dev.gleaner.table.TableImage;
import dev.gleaner.util.EntryIndex;
import dev.gleaner.weak.FinalizerTable;
import dev.gleaner.weak.WeakObjects;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a heap holds as an image, in the format of {@link ImageFormat}.
 *
 * <p>Two walks: the first finds the elements, breadth first from the roots, and numbers them; the
 * second writes them. So elements that belong together are near each other in the image, and in the
 * heap that is opened. What no root leads to is not written. Nothing is allocated in the heap. On
 * the JVM's heap the walk takes 4 bytes for each word of the heap in use, and the image.
 */
public final class ImageWriter {
  /** The most elements whose Java objects have no name that a message shows. */
  private static final int SHOWN = 5;

  /** Bytes that usually hold the header, the sorts, and tables at the side. */
  private static final int REST = 1 << 10;

  private final HeapParts context;
  private final Memory memory;
  private final WeakObjects weak;
  private final Roots roots;
  private final Names names;
  private final LongToIntFunction hashes;

  private final OffsetNumbers numbers = new OffsetNumbers();
  private long[] order = new long[64];
  private int count;

  /** Weak keys that no root was found to lead to yet, with their values. */
  private final EntryIndex waiting = new EntryIndex();

  /** Values of weak keys that were reached; each may be a weak key itself. */
  private final List<Long> later = new ArrayList<>();

  private final ImageOutput shapes = new ImageOutput(1 << 10);
  private final ImageOutput contents = new ImageOutput(1 << 10);
  private final ImageOutput named = new ImageOutput(64);

  /** The numbers of names of Java objects: an object may have one in each role. */
  private final Map<ImageRole, IdentityHashMap<Object, Integer>> objects =
      new EnumMap<>(ImageRole.class);

  /** The numbers of names of code numbers. */
  private final Map<Integer, Integer> codes = new HashMap<>();

  /** The names so far. */
  private int nameCount;

  private final List<String> missing = new ArrayList<>();
  private final TableImage tables;
  private final TableImage.Sink sink;

  /** The number of the element whose contents are written. */
  private int holder;

  /**
   * The roots of the program's own.
   *
   * @param main the main thread
   * @param current the running thread
   * @param globals the values of global references that have a name
   */
  public record Roots(long main, long current, Map<String, Long> globals) {}

  /** Names what is Java's. */
  public interface Names {
    /** Returns the object that is named, of what the heap holds: by default the host's. */
    default Object object(Object held) {
      return held instanceof StandIn standIn ? standIn.original() : held;
    }

    /**
     * Returns what stands in the image for a Java object.
     *
     * @param role one of {@link ImageRole}
     * @return null if nothing is bound to the object
     */
    byte @Nullable [] write(ImageRole role, Object object);

    /** Returns what an object is, for the message that it has no name. */
    String describe(ImageRole role, Object object);
  }

  /**
   * Prepares to write; the heap's registers are written back.
   *
   * @param hashes returns the identity hash of an element that is noted at the side; 0 if nobody
   *     asked for it
   */
  public ImageWriter(HeapParts context, Roots roots, Names names, LongToIntFunction hashes) {
    this.context = context;
    this.memory = context.memory();
    this.weak = context.tables().weak();
    this.roots = roots;
    this.names = names;
    this.hashes = hashes;
    this.tables = new TableImage(context.tables(), memory);
    this.sink =
        new TableImage.Sink() {
          @Override
          public void number(long n) {
            contents.number(n);
          }

          @Override
          public void value(long value) {
            contents.value(value, holder, numbers);
          }
        };
  }

  /**
   * Returns the image.
   *
   * @throws ImageException if something of Java's has no name, or the image is too large
   */
  public byte[] write() {
    context.builtins().forEach(this::reach);
    int builtins = count;
    reach(roots.main);
    reach(roots.current);
    roots.globals.values().forEach(this::reach);
    FinalizerTable finalizers = context.finalizers();
    for (int i = 0; i < finalizers.queued(); i++) {
      reach(finalizers.queuedElement(i));
    }
    walk();
    for (int i = 0; i < count; i++) {
      element(i, i < builtins);
    }
    ImageOutput side = side(finalizers);
    if (!missing.isEmpty()) {
      throw new ImageException("the heap cannot be saved: " + String.join("; ", missing));
    }
    ImageOutput out = new ImageOutput(named.size() + shapes.size() + contents.size() + REST);
    out.word(ImageFormat.MAGIC);
    out.half(ImageFormat.VERSION);
    out.half(0);
    out.word(0);
    out.number(count);
    out.number(builtins);
    out.number(numbers.get(roots.main));
    out.number(numbers.get(roots.current));
    out.number(context.budget().external() - finalizers.charged());
    out.number(nameCount);
    out.all(named);
    sorts(out);
    out.all(shapes);
    out.all(contents);
    out.all(side);
    out.wordAt(ImageFormat.HEADER_BYTES - Long.BYTES, out.size() - ImageFormat.HEADER_BYTES);
    byte[] image = out.toBytes();
    ImageFormat.seal(image);
    return image;
  }

  // ---- the walk ----

  private void reach(long value) {
    if (!Values.isReference(value) || numbers.get(value) >= 0) {
      return;
    }
    if (count == order.length) {
      order = Arrays.copyOf(order, count * 2);
    }
    order[count] = value;
    numbers.put(value, count++);
    if (waiting.size() > 0) {
      for (int i = waiting.take(value); i >= 0; i = waiting.next(i)) {
        later.add(waiting.word(i));
      }
    }
  }

  private void walk() {
    for (int i = 0; i < count || !later.isEmpty(); ) {
      while (!later.isEmpty()) {
        reach(later.removeLast());
      }
      if (i < count) {
        scan(order[i++]);
      }
    }
  }

  private void scan(long e) {
    long header = memory.get(e);
    int kind = Layout.kind(header);
    if (!Layout.hasReferences(kind)) {
      return;
    }
    reachAll(e + Layout.WORD, Scanner.end(memory, e, header));
    for (int b = 0; b < Scanner.blocks(kind); b++) {
      reachAll(Scanner.blockStart(memory, e, kind, b), Scanner.blockEnd(memory, e, kind, b));
    }
    if (Layout.isWeak(header) && context.tables().table(e) != 0) {
      weak.forEachHeld(e, (key, place) -> held(key, memory.get(place)));
    }
  }

  private void reachAll(long from, long end) {
    for (long at = from; at < end; at += Layout.WORD) {
      reach(memory.get(at));
    }
  }

  private void held(long key, long value) {
    if (key == 0 || numbers.get(key) >= 0) {
      reach(value);
    } else {
      waiting.add(key, value, 0);
    }
  }

  private boolean isWritten(long value) {
    return !Values.isReference(value) || numbers.get(value) >= 0;
  }

  // ---- elements ----

  private void element(int number, boolean builtin) {
    holder = number;
    long e = order[number];
    long header = memory.get(e);
    int kind = Layout.kind(header);
    boolean special = kind == Layout.STRING ? isInterned(e) : Layout.isWeak(header);
    int hash = isNoted(header) ? hashes.applyAsInt(e) : 0;
    int tag = kind | (builtin ? ImageFormat.BUILTIN : 0);
    tag |= Layout.sort(header) != 0 ? ImageFormat.SORTED : 0;
    tag |= special ? ImageFormat.SPECIAL : 0;
    tag |= hash != 0 ? ImageFormat.HASHED : 0;
    shapes.octet(tag);
    if (Layout.sort(header) != 0) {
      shapes.octet(Layout.sort(header));
    }
    if (hash != 0) {
      shapes.half(hash);
    }
    long words = Layout.payloadWords(memory, e, header);
    switch (kind) {
      case Layout.STRING -> string(e);
      case Layout.LONG -> shapes.word(memory.get(e + Layout.LONG_VALUE));
      case Layout.BUFFER -> buffer(e + Layout.BUFFER_DATA, memory.get(e + Layout.BUFFER_SIZE));
      case Layout.DYNAMIC_BUFFER ->
          buffer(
              Values.raw(memory.get(e + Layout.DYNAMIC_BLOCK)),
              memory.get(e + Layout.DYNAMIC_SIZE));
      case Layout.NATIVE -> nativeElement(e);
      case Layout.RECORD -> {
        shapes.number(words);
        values(e + Layout.WORD, words);
      }
      case Layout.OBJECT -> object(e, words - Layout.OBJECT_SLOTS);
      case Layout.FUNCTION -> function(e, words - Layout.FUNCTION_SLOTS);
      case Layout.THREAD -> thread(e);
      default -> throw new IllegalStateException("no element: " + e);
    }
  }

  /** Values have no identity; of others only those that something at the side may know have one. */
  private static boolean isNoted(long header) {
    return (header & Layout.FLAG_NOTED) != 0 && Layout.kind(header) > Layout.LAST_VALUE;
  }

  private boolean isInterned(long string) {
    return StringBytes.isInterned(memory, string);
  }

  private void string(long e) {
    int length = StringBytes.length(memory, e);
    shapes.number(length);
    shapes.memory(memory, e + Layout.STRING_BYTES, length);
  }

  private void buffer(long data, long size) {
    long used = size;
    while (used > 0 && memory.getByte(data + used - 1) == 0) {
      used--;
    }
    shapes.number(size);
    shapes.number(used);
    shapes.memory(memory, data, (int) Math.min(used, Integer.MAX_VALUE));
  }

  private void nativeElement(long e) {
    int n = (int) memory.get(e + Layout.NATIVE_INDEX);
    NativeTable natives = context.natives();
    shapes.number(name(ImageRole.NATIVE, natives.get(n), e));
    Object callback = natives.callback(n);
    shapes.number(callback == null ? 0 : name(ImageRole.FREE_CALLBACK, callback, e) + 1L);
  }

  private void object(long e, long slots) {
    shapes.number(slots);
    boolean isWeak = Layout.isWeak(memory.get(e));
    if (isWeak) {
      shapes.octet(weak.weakness(e));
    }
    value(memory.get(e + Layout.OBJECT_PROTOTYPE));
    values(e + Layout.WORD + (Layout.OBJECT_SLOTS << 3), slots);
    tables.write(e, this::isWritten, sink);
  }

  private void function(long e, long values) {
    long counts = Values.raw(memory.get(e + Layout.FUNCTION_COUNTS));
    long constants = counts & Layout.FUNCTION_MASK;
    int code = (int) (counts >>> Layout.FUNCTION_BITS) - 1;
    shapes.number(constants);
    shapes.number(values - constants);
    shapes.number(code < 0 ? 0 : codeName(code, e) + 1L);
    values(e + Layout.WORD + (Layout.FUNCTION_SLOTS << 3), values);
  }

  private void values(long from, long words) {
    for (long at = from; at < from + (words << 3); at += Layout.WORD) {
      value(memory.get(at));
    }
  }

  private void value(long value) {
    contents.value(value, holder, numbers);
  }

  // ---- threads ----

  private long field(long thread, int field) {
    return Values.raw(memory.get(thread + field));
  }

  private void thread(long e) {
    Object object = context.threadObjects().get((int) field(e, ThreadLayout.OBJECT));
    shapes.number(object == null ? 0 : name(ImageRole.THREAD_OBJECT, object, e) + 1L);
    contents.octet((int) field(e, ThreadLayout.STATE));
    value(memory.get(e + ThreadLayout.RESUMER));
    int depth = (int) field(e, ThreadLayout.DEPTH);
    long[] bases = new long[depth + 1];
    int[] sizes = new int[depth + 1];
    long start = ThreadLayout.stackStart(memory, e);
    bases[depth] = field(e, ThreadLayout.BASE);
    sizes[depth] = (int) field(e, ThreadLayout.SIZE);
    for (int f = depth; f > 0; f--) {
      long link = memory.get(start + ((bases[f] - 1) << 3));
      sizes[f - 1] = (int) link & ThreadLayout.LINK_MASK;
      bases[f - 1] = bases[f] - sizes[f - 1] - 1;
    }
    contents.number(depth + 1L);
    for (int f = 0; f <= depth; f++) {
      contents.number(sizes[f]);
      values(start + (bases[f] << 3), sizes[f]);
    }
    calls(e, bases);
  }

  private void calls(long e, long[] bases) {
    contents.number(field(e, ThreadLayout.CALLS_USED));
    int f = 0;
    long end = ThreadLayout.callsEnd(memory, e);
    for (long at = ThreadLayout.callsStart(memory, e); at < end; at += ThreadLayout.CALL_BYTES) {
      long base = Values.raw(memory.get(at + ThreadLayout.CALL_BASE));
      while (bases[f] != base) {
        f++;
      }
      long kind = memory.get(at + ThreadLayout.CALL_KIND);
      contents.number(f);
      if (ThreadLayout.isCatcher(kind)) {
        contents.octet(1);
        contents.number(ThreadLayout.catcherSlot(kind));
        contents.half(ThreadLayout.catcherPc(kind));
      } else {
        contents.octet(0);
        value(memory.get(at + ThreadLayout.CALL_REFERENCE));
      }
    }
  }

  // ---- tables at the side ----

  private void sorts(ImageOutput out) {
    Sorts sorts = context.sorts();
    out.number(sorts.size());
    for (int sort = 1; sort <= sorts.size(); sort++) {
      out.text(sorts.name(sort));
      int kinds = 0;
      for (int kind = 1; kind < Layout.KINDS; kind++) {
        kinds |= sorts.ofKind(kind) == sort ? 1 << kind : 0;
      }
      out.number(kinds);
    }
  }

  /** Writes global references, finalizers in their order, and the finalize list. */
  private ImageOutput side(FinalizerTable finalizers) {
    ImageOutput out = new ImageOutput(256);
    out.number(roots.globals.size());
    roots.globals.forEach((name, value) -> {
      out.text(name);
      out.value(value, 0, numbers);
    });
    int n = 0;
    for (int i = 0; i < finalizers.bound(); i++) {
      n += isWrittenEntry(finalizers, i) ? 1 : 0;
    }
    out.number(n);
    for (int i = 0; i < finalizers.bound(); i++) {
      if (isWrittenEntry(finalizers, i)) {
        finalizer(finalizers, i, out);
      }
    }
    ages(finalizers, out);
    out.number(finalizers.queued());
    for (int i = 0; i < finalizers.queued(); i++) {
      out.number(numbers.get(finalizers.queuedElement(i)));
    }
    return out;
  }

  /** Writes the order of making of the elements that have finalizers, if it is known. */
  private void ages(FinalizerTable finalizers, ImageOutput out) {
    int[] positions = new int[finalizers.bound()];
    int n = 0;
    for (int i = 0; i < positions.length; i++) {
      positions[i] = isWrittenEntry(finalizers, i) ? n++ : -1;
    }
    out.number(finalizers.tracksAges() ? n : 0);
    long[] serials = finalizers.tracksAges() ? finalizers.serialsByAge() : new long[0];
    for (long serial : serials) {
      int position = positions[finalizers.firstSince(serial)];
      if (position >= 0) {
        out.number(position);
      }
    }
  }

  private boolean isWrittenEntry(FinalizerTable finalizers, int entry) {
    return finalizers.element(entry) != 0 && numbers.get(finalizers.element(entry)) >= 0;
  }

  private void finalizer(FinalizerTable finalizers, int entry, ImageOutput out) {
    long e = finalizers.element(entry);
    boolean heir = finalizers.isHeir(entry);
    out.number(numbers.get(e));
    out.octet(heir ? ImageFormat.HEIR : finalizers.isLent(entry) ? ImageFormat.LENT : 0);
    out.octet(finalizers.state(entry));
    if (!heir) {
      out.number(name(ImageRole.FINALIZER, finalizers.finalizer(entry), e));
      out.text(finalizers.label(entry));
    }
  }

  // ---- names ----

  private int codeName(int code, long function) {
    Integer known = codes.get(code);
    if (known != null) {
      return known;
    }
    codes.put(code, nameCount);
    return enter(ImageRole.CODE, code, function);
  }

  private int name(ImageRole role, Object held, long element) {
    Object object = names.object(held);
    IdentityHashMap<Object, Integer> ofRole =
        objects.computeIfAbsent(role, _ -> new IdentityHashMap<>());
    Integer known = ofRole.get(object);
    if (known != null) {
      return known;
    }
    ofRole.put(object, nameCount);
    return enter(role, object, element);
  }

  private int enter(ImageRole role, Object object, long element) {
    byte[] bytes = names.write(role, object);
    if (bytes != null) {
      named.octet(role.code());
      named.bytes(bytes);
    } else if (missing.size() < SHOWN) {
      List<String> path = new Inspector(context).path(element, 0);
      missing.add(
          "nothing is bound to the %s, which is at %s"
              .formatted(names.describe(role, object), String.join(", ", path)));
    }
    return nameCount++;
  }
}
