package dev.gleaner.heap;

import dev.gleaner.image.ImageFormat;
import dev.gleaner.image.ImageInput;
import dev.gleaner.image.ImageRole;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.RootVisitor;
import dev.gleaner.layout.Scanner;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.mark.OffsetSet;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.refusal.ImageException;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.spi.Collector;
import dev.gleaner.table.TableImage;
import dev.gleaner.weak.FinalizerTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fills a new heap with what an image has.
 *
 * <pre>
 *   names      the host says what they mean, before anything is made
 *   elements   each is made, with its bytes and without values; it is in {@link #elements} from then on
 *   contents   values, property tables, stacks; weak tables become weak
 *   side       global references, finalizers, the finalize list
 *   check      prototypes lead back to no object, threads wait for each other as threads do
 * </pre>
 *
 * <p>A collection may come at any time: the elements are roots, each counted once, until all is
 * done. Under a collector of frames each element is old as soon as it is made. So no value needs
 * another barrier than that of {@link WordAccess#store}. The caller lets no finalizer or callback
 * run meanwhile.
 *
 * <p>The bytes may be anybody's. What they say is checked where it is read; where it is wrong the
 * caller gives the heap up, whatever is in it, without calling code of the program.
 */
final class ImageLoader {
  /** The longest name in a message; one that is not ASCII is not shown. */
  private static final int LONGEST_SHOWN = 80;

  private final Mutator r;
  private final HeapParts context;
  private final Driver driver;
  private final Collector collector;
  private final @Nullable FreeListSpace cells;
  private final Memory mem;
  private final WeakAccess weak;
  private final StringMaker strings;
  private final IntegerAccess integers;
  private final TableImage tables;
  private final ImageInput in;

  /** What is Java's, by its number in the image. */
  private @Nullable Object[] names = new Object[0];

  private ImageRole[] roles = new ImageRole[0];

  /** The elements that are made, by their numbers. */
  private long[] elements = new long[0];

  private int made;

  /** The sorts of the heap, by their numbers in the image. */
  private int[] sorts = new int[0];

  private int main;
  private int current;

  /** The number of the element whose contents are read. */
  private int holder;

  /** What objects hold weakly once their contents are read ({@link Weakness}). */
  private byte[] weaknesses = new byte[0];

  /** The global references, with their names. */
  private final Map<String, GlobalRef> globals = new LinkedHashMap<>();

  ImageLoader(Mutator mutator, byte[] image) {
    this.r = mutator;
    HeapCore core = mutator.core;
    this.context = core.context();
    this.driver = core.driver();
    this.collector = core.collector();
    this.cells = collector.cells();
    this.mem = context.memory();
    this.weak = new WeakAccess(core);
    this.strings = new StringMaker(core);
    this.integers = new IntegerAccess(core);
    this.tables = new TableImage(context.tables(), mem);
    this.in = ImageFormat.body(image);
  }

  /** Visits the elements, which are roots until all is done. */
  void forEachRoot(RootVisitor visitor) {
    for (int i = 0; i < made; i++) {
      elements[i] = visitor.visit(elements[i]);
    }
  }

  /**
   * Fills the heap.
   *
   * @return the external bytes that the image counts
   * @throws ImageException if the image is not sound, or names what the host does not have
   */
  long load(ImageBindings bindings) {
    int n = in.count(1, "the number of elements");
    int builtins = in.small(n, "the number of built-ins");
    main = in.small(n - 1, "the main thread");
    current = in.small(n - 1, "the running thread");
    long external = in.number(Long.MAX_VALUE, "external bytes");
    readNames(bindings);
    readSorts();
    elements = new long[n];
    weaknesses = new byte[n];
    context.strings().beginImage();
    makeAll(n, builtins);
    context.strings().endImage();
    for (holder = 0; holder < n; holder++) {
      fill();
    }
    holder = 0;
    readGlobals();
    checkPrototypes(); // a finalizer is looked for along these
    readFinalizers();
    in.end();
    run();
    release();
    return external;
  }

  // ---- names and sorts ----

  private void readNames(ImageBindings bindings) {
    int n = in.count(2, "the number of names");
    names = new @Nullable Object[n];
    roles = new ImageRole[n];
    List<String> missing = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      ImageRole role = ImageRole.read(in);
      byte[] bytes = in.bytes("a name");
      Object value = bindings.read(ImageBindings.Role.of(role), bytes);
      boolean fits =
          switch (role) {
            case FINALIZER -> value instanceof Finalizer;
            case FREE_CALLBACK -> value instanceof FreeCallback;
            case CODE -> value instanceof Integer code && FunctionAccess.isCode(code);
            case NATIVE, THREAD_OBJECT -> value != null;
          };
      if (!fits) {
        missing.add(role.text() + " " + text(bytes) + (value == null ? "" : ", which is none"));
      }
      roles[i] = role;
      names[i] = value;
    }
    if (!missing.isEmpty()) {
      throw new ImageException(
          "the image needs what nothing is bound to: " + String.join("; ", missing));
    }
  }

  /** Returns a name for people: the text that it is, or how many bytes it has. */
  private static String text(byte[] bytes) {
    for (byte b : bytes) {
      if (b < ' ' || bytes.length > LONGEST_SHOWN) {
        return "of " + bytes.length + " bytes";
      }
    }
    return "\"" + new String(bytes, StandardCharsets.US_ASCII) + "\"";
  }

  private Object name(ImageRole role) {
    return named(in.small(names.length, "the number of a name"), role);
  }

  private Object named(int number, ImageRole role) {
    Object value = number < names.length ? names[number] : null;
    if (value == null || roles[number] != role) {
      throw in.wrong("no name of a " + role.text() + ": " + number);
    }
    return value;
  }

  /** Returns what has a name; null where there is none. */
  private @Nullable Object nameOrNone(ImageRole role) {
    int number = in.small(names.length, "the number of a name");
    return number == 0 ? null : named(number - 1, role);
  }

  private void readSorts() {
    int n = in.small(Layout.MOST_SORTS, "the number of sorts");
    sorts = new int[n + 1];
    for (int i = 1; i <= n; i++) {
      String name = new String(in.bytes("the name of a sort"), StandardCharsets.UTF_8);
      int kinds = in.small((1 << Layout.KINDS) - 1, "the kinds of a sort");
      try {
        sorts[i] = context.sorts().number(name);
      } catch (HeapUsageException e) {
        throw in.wrong(String.valueOf(e.getMessage()));
      }
      for (int kind = 1; kind < Layout.KINDS; kind++) {
        if ((kinds & 1 << kind) != 0) {
          context.sorts().setOfKind(kind, sorts[i]);
        }
      }
    }
  }

  // ---- elements ----

  private void makeAll(int n, int builtins) {
    if (builtins > 0) {
      openBuiltins(1);
      try {
        while (made < builtins) {
          make(true);
        }
      } finally {
        openBuiltins(-1);
      }
    }
    while (made < n) {
      make(false);
    }
    context.identities().restored();
  }

  private void openBuiltins(int more) {
    driver.retire();
    driver.making += more;
    driver.openBuiltins();
  }

  private void make(boolean builtin) {
    int tag = in.octet();
    int kind = tag & ImageFormat.KIND_MASK;
    if (((tag & ImageFormat.BUILTIN) != 0) != builtin) {
      throw in.wrong("a built-in among other elements");
    }
    int sort = 0;
    if ((tag & ImageFormat.SORTED) != 0) {
      sort = in.octet();
      if (sort == 0 || sort >= sorts.length) {
        throw in.wrong("no sort: " + sort);
      }
      sort = sorts[sort];
    }
    boolean hashed = (tag & ImageFormat.HASHED) != 0;
    int hash = hashed ? in.half() : 0;
    boolean special = (tag & ImageFormat.SPECIAL) != 0;
    if (special && kind != Layout.STRING && kind != Layout.OBJECT) {
      throw in.wrong("a flag that elements of kind " + kind + " do not have");
    }
    if ((sort != 0 || hashed) && kind <= Layout.LAST_VALUE) {
      throw in.wrong("a value with a sort or an identity");
    }
    long e =
        switch (kind) {
          case Layout.STRING -> string(special);
          case Layout.LONG -> integer();
          case Layout.BUFFER -> buffer();
          case Layout.DYNAMIC_BUFFER -> dynamicBuffer();
          case Layout.NATIVE -> nativeElement(builtin);
          case Layout.RECORD -> allocate(Layout.RECORD, slots("a record"));
          case Layout.OBJECT -> object(special);
          case Layout.FUNCTION -> function();
          case Layout.THREAD -> thread(builtin);
          default -> throw in.wrong("no kind of elements: " + kind);
        };
    add(e);
    e = elements[made - 1];
    if (sort != 0) {
      mem.put(e, mem.get(e) | (long) sort << Layout.SORT_SHIFT);
    }
    if (hashed) {
      mem.put(e, mem.get(e) | Layout.FLAG_NOTED);
      if (hash == 0 || !context.identities().restore(e, hash)) {
        throw in.wrong(hash == 0 ? "no identity hash: 0" : "too many identity hashes");
      }
    }
  }

  private long allocate(int kind, long payloadWords) {
    long e =
        AllocationBuffers.take(cells, collector.allocationBuffers(kind), kind, payloadWords + 1);
    if (e == 0) {
      return driver.allocateElement(kind, payloadWords);
    }
    mem.put(e, Layout.header(kind, payloadWords));
    return e;
  }

  /** Enters an element, which is old from now on. */
  private void add(long e) {
    long old = r.escaping(e);
    r.count(old);
    elements[made++] = old;
  }

  /** Reads a number of slots, each of which has a byte among the contents at least. */
  private int slots(String what) {
    return in.count(1, "the number of slots of " + what);
  }

  private long string(boolean interned) {
    int length = in.count(1, "the length of a string");
    int from = in.skip(length, "a string");
    return strings.load(in.array(), from, length, interned);
  }

  private long integer() {
    long value = in.word();
    if (IntegerAccess.fits(value)) {
      throw in.wrong("an element for the integer " + value + ", which fits 32 bits");
    }
    return integers.box(value);
  }

  private long size() {
    return in.number(Long.MAX_VALUE >> 4, "the size of a buffer");
  }

  private long buffer() {
    long size = size();
    int used = in.count(1, "the bytes of a buffer");
    checkUsed(used, size);
    int from = in.skip(used, "a buffer");
    long e = allocate(Layout.BUFFER, 1 + ((size + 7) >>> 3));
    mem.put(e + Layout.BUFFER_SIZE, size);
    mem.write(e + Layout.BUFFER_DATA, in.array(), from, used);
    return e;
  }

  private void checkUsed(long used, long size) {
    if (used > size) {
      throw in.wrong("a buffer of " + size + " bytes with " + used);
    }
  }

  private long dynamicBuffer() {
    long size = size();
    int used = in.count(1, "the bytes of a buffer");
    checkUsed(used, size);
    int from = in.skip(used, "a buffer");
    long block = size == 0 ? 0 : block(size);
    long e = driver.allocateElement(Layout.DYNAMIC_BUFFER, 2); // if refused, the heap is given up
    mem.put(e + Layout.DYNAMIC_BLOCK, Values.ofRaw(block));
    mem.put(e + Layout.DYNAMIC_SIZE, size);
    mem.write(block, in.array(), from, used);
    return e;
  }

  private long block(long bytes) {
    driver.beforeAllocation();
    long block = context.functions().alloc(bytes);
    for (int attempt = 0; block == 0; attempt++) {
      driver.beforeRetry(attempt, bytes);
      block = context.functions().alloc(bytes);
    }
    mem.zero(block, (bytes + 7) & -8);
    return block;
  }

  private long nativeElement(boolean builtin) {
    if (builtin) {
      throw in.wrong("a native among the built-ins");
    }
    Object value = name(ImageRole.NATIVE);
    Object named = nameOrNone(ImageRole.FREE_CALLBACK);
    FreeCallback callback = named == null ? null : r.openedCallback((FreeCallback) named);
    if (callback != null) {
      r.callbacks.make();
    }
    long e = allocate(Layout.NATIVE, 1);
    mem.put(e + Layout.NATIVE_INDEX, context.natives().add(value, callback));
    return e;
  }

  private long object(boolean isWeak) {
    int slots = slots("an object");
    int weakness = isWeak ? in.octet() : Weakness.NONE;
    if (isWeak && (weakness == Weakness.NONE || weakness > Weakness.BOTH)) {
      throw in.wrong("no weakness: " + weakness);
    }
    long e = allocate(Layout.OBJECT, (long) slots + Layout.OBJECT_SLOTS);
    mem.put(e + Layout.OBJECT_PROTOTYPE, Values.NULL);
    mem.put(e + Layout.OBJECT_TABLE, Values.ofRaw(0));
    weaknesses[made] = (byte) weakness;
    return e;
  }

  private long function() {
    int constants = slots("a function");
    int inner = slots("a function");
    Object code = nameOrNone(ImageRole.CODE);
    if (constants > Layout.FUNCTION_MASK) {
      throw in.wrong("a function of " + constants + " constants");
    }
    long e = allocate(Layout.FUNCTION, 1L + constants + inner);
    long number = code == null ? 0 : (Integer) code + 1L;
    mem.put(e + Layout.FUNCTION_COUNTS, Values.ofRaw(number << Layout.FUNCTION_BITS | constants));
    return e;
  }

  private long thread(boolean builtin) {
    if (builtin) {
      throw in.wrong("a thread among the built-ins");
    }
    Object object = nameOrNone(ImageRole.THREAD_OBJECT);
    long e = made == main ? r.main : r.threads.make();
    if (object != null) {
      mem.put(e + ThreadLayout.OBJECT, Values.ofRaw(context.threadObjects().set(0, object)));
    }
    return e;
  }

  // ---- contents ----

  private long element() {
    return elements[holder];
  }

  private long elementAt(long number) {
    if (number < 0 || number >= made) {
      throw in.wrong("no element " + number + " of " + made);
    }
    return elements[(int) number];
  }

  /** Reads a value that a program can see. */
  private long value() {
    long value = in.value(holder, this::elementAt);
    if (value == TableLayout.HOLE) {
      throw in.wrong("a hole that is in no array");
    }
    return value;
  }

  private void fill() {
    long e = element();
    long header = mem.get(e);
    switch (Layout.kind(header)) {
      case Layout.RECORD -> fillWords(e + Layout.WORD, Layout.payloadWords(mem, e, header));
      case Layout.OBJECT -> fillObject(e, header);
      case Layout.FUNCTION -> fillFunction(e, header);
      case Layout.THREAD -> fillThread();
      default -> {}
    }
  }

  private void fillWords(long from, long words) {
    long e = element();
    for (long at = from; at < from + (words << 3); at += Layout.WORD) {
      r.store(e, at, value());
    }
  }

  private void fillObject(long e, long header) {
    long prototype = value();
    boolean isObject =
        Values.isReference(prototype) && Layout.kind(mem.get(prototype)) == Layout.OBJECT;
    if (!isObject && prototype != Values.NULL) {
      throw in.wrong("a prototype that is no object");
    }
    if (isObject) {
      mem.put(prototype, mem.get(prototype) | Layout.FLAG_PROTOTYPE);
    }
    r.store(e, e + Layout.OBJECT_PROTOTYPE, prototype);
    long slots = Layout.payloadWords(mem, e, header) - Layout.OBJECT_SLOTS;
    fillWords(e + Layout.WORD + (Layout.OBJECT_SLOTS << 3), slots);
    boolean isWeak = weaknesses[holder] != Weakness.NONE;
    tables.read(this::element, isWeak, source);
    e = element();
    long from = Scanner.blockStart(mem, e, Layout.OBJECT, 0);
    long end = Scanner.blockEnd(mem, e, Layout.OBJECT, 0);
    r.count(from, (int) ((end - from) >> 3));
    r.stored(e);
    if (isWeak) {
      weak.makeRoom();
      weak.change(element(), Weakness.NONE, weaknesses[holder]);
    }
  }

  private final TableImage.Source source =
      new TableImage.Source() {
        @Override
        public int number(int most, String what) {
          return in.small(most, what);
        }

        @Override
        public long longNumber(String what) {
          return in.number(Long.MAX_VALUE, what);
        }

        @Override
        public int count(int bytesEach, int most, String what) {
          int n = in.count(bytesEach, what);
          if (n > most) {
            throw in.wrong(what + " is larger than " + most);
          }
          return n;
        }

        @Override
        public long value() {
          return in.value(holder, ImageLoader.this::elementAt);
        }

        @Override
        public RuntimeException wrong(String what) {
          return in.wrong(what);
        }

        @Override
        public void makeRoom(int attempt, long bytes) {
          driver.beforeRetry(attempt, bytes);
        }
      };

  private void fillFunction(long e, long header) {
    long counts = Values.raw(mem.get(e + Layout.FUNCTION_COUNTS));
    long first = e + Layout.WORD + (Layout.FUNCTION_SLOTS << 3);
    long constants = counts & Layout.FUNCTION_MASK;
    long words = Layout.payloadWords(mem, e, header) - Layout.FUNCTION_SLOTS;
    fillWords(first, words);
    for (long i = constants; i < words; i++) {
      long inner = mem.get(first + (i << 3));
      boolean isFunction =
          Values.isReference(inner) && Layout.kind(mem.get(inner)) == Layout.FUNCTION;
      if (!isFunction && inner != Values.UNDEFINED && inner != Values.NULL) {
        throw in.wrong("an inner function that is none");
      }
    }
  }

  // ---- threads ----

  private void put(long thread, int field, long value) {
    mem.put(thread + field, Values.ofRaw(value));
  }

  private void fillThread() {
    if (holder == main) {
      r.flush();
    }
    int state = in.octet();
    long resumer = value();
    boolean isThread =
        Values.isReference(resumer) && Layout.kind(mem.get(resumer)) == Layout.THREAD;
    if (state > 1 || (!isThread && resumer != Values.NULL) || (state == 0 && isThread)) {
      throw in.wrong("a thread of state " + state + " whose resumer cannot be one");
    }
    put(element(), ThreadLayout.STATE, state);
    r.store(element(), element() + ThreadLayout.RESUMER, resumer);
    int n = in.count(1, "the number of frames");
    if (n == 0) {
      throw in.wrong("a thread without a frame");
    }
    long base = 0;
    long top = 0;
    int size = 0;
    long[] bases = new long[n];
    for (int f = 0; f < n; f++) {
      long link = f == 0 ? 0 : (top + 1 - base) << ThreadLayout.LINK_BITS | size;
      size = slots("a frame");
      FrameAccess.checkSize(size);
      base = top + 1;
      ensureStack(base + size);
      long start = ThreadLayout.stackStart(mem, element());
      mem.put(start + (top << 3), Values.RAW_TAG | link);
      for (long at = base; at < base + size; at++) {
        mem.put(start + (at << 3), Values.UNDEFINED);
      }
      top = base + size;
      long e = element();
      put(e, ThreadLayout.BASE, base);
      put(e, ThreadLayout.SIZE, size);
      put(e, ThreadLayout.TOP, top);
      put(e, ThreadLayout.DEPTH, f);
      for (long at = base; at < top; at++) {
        long value = value();
        r.count(value);
        mem.put(start + (at << 3), value);
      }
      bases[f] = base;
      if (holder == main) {
        r.reload(); // a collection writes the registers back
      }
    }
    readCalls(bases);
    r.stored(element());
    if (holder == main) {
      r.reload();
    }
  }

  private void ensureStack(long words) {
    FrameAccess.checkStack(r, words);
    for (int attempt = 0; !context.stacks().ensureStack(element(), words); attempt++) {
      driver.beforeRetry(attempt, words << 3);
    }
  }

  private void readCalls(long[] bases) {
    int n = in.count(3, "the number of entries of a call stack");
    for (int attempt = 0; !context.stacks().ensureCalls(element(), n); attempt++) {
      driver.beforeRetry(attempt, (long) n * ThreadLayout.CALL_BYTES);
    }
    long e = element();
    int frame = 0;
    for (int i = 0; i < n; i++) {
      int next = in.small(bases.length - 1, "the frame of an entry of a call stack");
      if (next < frame) {
        throw in.wrong("entries of a call stack whose frames do not rise");
      }
      frame = next;
      long at = ThreadLayout.callsStart(mem, e) + (long) i * ThreadLayout.CALL_BYTES;
      int kind = in.octet();
      long reference = Values.UNDEFINED;
      if (kind == 1) {
        int slot = in.small(ThreadLayout.CATCHER_SLOTS - 1, "the slot of a catcher");
        mem.put(at + ThreadLayout.CALL_KIND, ThreadLayout.catcher(slot, in.half()));
      } else {
        reference = value();
        boolean isFunction =
            Values.isReference(reference) && Layout.kind(mem.get(reference)) == Layout.FUNCTION;
        if (kind != 0 || !isFunction || frame == 0) {
          throw in.wrong("an entry of a call stack that is neither a call nor a catcher");
        }
        mem.put(at + ThreadLayout.CALL_KIND, ThreadLayout.ACTIVATION);
      }
      mem.put(at + ThreadLayout.CALL_REFERENCE, reference);
      put(at, ThreadLayout.CALL_BASE, bases[frame]);
      r.count(reference);
      put(e, ThreadLayout.CALLS_USED, i + 1L);
    }
  }

  /**
   * Lets the thread of the image run. Exactly the threads from it on, each the resumer of the one
   * before, up to the main thread, may have the state of a thread that runs or waits.
   */
  private void run() {
    int waiting = 0;
    for (int i = 0; i < made; i++) {
      waiting += isRunning(elements[i]) ? 1 : 0;
    }
    long first = elements[main];
    long t = elements[current];
    for (; waiting > 1 && t != first && isRunning(t); waiting--) {
      t = mem.get(t + ThreadLayout.RESUMER);
    }
    if (waiting != 1 || t != first || !isRunning(t) || isResumed(t)) {
      throw in.wrong("threads that wait for each other as threads do not");
    }
    if (current != main) {
      r.evacuate();
      r.flush();
      long running = elements[current];
      r.count(running);
      r.drop(r.current);
      r.current = running;
      r.reload();
    }
  }

  /** Whether a value is a thread that runs, or waits for one that it resumed. */
  private boolean isRunning(long value) {
    return Values.isReference(value)
        && Layout.kind(mem.get(value)) == Layout.THREAD
        && Values.raw(mem.get(value + ThreadLayout.STATE)) == 1;
  }

  private boolean isResumed(long thread) {
    return Values.isReference(mem.get(thread + ThreadLayout.RESUMER));
  }

  // ---- tables at the side ----

  private void readGlobals() {
    int n = in.count(2, "the number of global references");
    for (int i = 0; i < n; i++) {
      String name = new String(in.bytes("the name of a global reference"), StandardCharsets.UTF_8);
      GlobalRef ref = r.core.globals().make();
      if (globals.put(name, ref) != null) {
        throw in.wrong("two global references of one name");
      }
      r.core.globals().set(ref, value());
    }
  }

  /** Returns the global references, with their names. */
  Map<String, GlobalRef> globals() {
    return globals;
  }

  private void readFinalizers() {
    FinalizerTable table = context.finalizers();
    int n = in.count(2, "the number of finalizers");
    if (n > 0) {
      r.finalizers.make();
    }
    for (int i = 0; i < n; i++) {
      long e = elementAt(in.number(made, "an element with a finalizer"));
      int kind = Layout.kind(mem.get(e));
      int mode = in.octet();
      int state = in.octet();
      boolean isObject = kind == Layout.OBJECT;
      boolean may = kind > Layout.LAST_VALUE && kind != Layout.NATIVE && (mode == 0 || isObject);
      if (!may || mode > ImageFormat.HEIR || state > FinalizerTable.FINALIZED) {
        throw in.wrong("a finalizer that cannot be one");
      }
      if (table.find(e) >= 0) {
        throw in.wrong("an element with two finalizers");
      }
      if (mode == ImageFormat.HEIR) {
        if (!table.charge(1)) {
          throw driver.exhausted(FinalizerTable.bytes(1));
        }
        table.addHeir(e, 0, false);
      } else {
        Finalizer finalizer = r.openedFinalizer((Finalizer) name(ImageRole.FINALIZER));
        String label = new String(in.bytes("a label"), StandardCharsets.UTF_8);
        if (mode == ImageFormat.LENT) {
          table.lend(e, label, finalizer, 0, false);
        } else {
          table.set(e, label, finalizer, 0, false);
        }
      }
      mem.put(e, mem.get(e) | Layout.FLAG_NOTED);
      table.setState(table.find(e), (byte) state);
    }
    readAges(table, n);
    readQueue(table);
  }

  /** Reads the order of making, in which each entry is once; the entries are numbered from 0. */
  private void readAges(FinalizerTable table, int n) {
    int[] order = new int[in.count(1, "the number of ages")];
    BitSet known = new BitSet();
    for (int i = 0; i < order.length; i++) {
      order[i] = in.small(n, "an entry with an age");
      known.set(order[i]);
    }
    if (order.length > 0 && (known.cardinality() != n || order.length != n || known.get(n))) {
      throw in.wrong("an order of making that does not have each element once");
    }
    table.setAges(order);
  }

  private void readQueue(FinalizerTable table) {
    int queued = in.count(1, "the length of the finalize list");
    int due = 0;
    for (int entry = 0; entry < table.bound(); entry++) {
      due += table.state(entry) == FinalizerTable.QUEUED ? 1 : 0;
    }
    checkHeirs(table);
    BitSet listed = new BitSet();
    for (int i = 0; i < queued; i++) {
      int entry = table.find(elementAt(in.number(made, "an element of the finalize list")));
      boolean isDue = entry >= 0 && table.state(entry) == FinalizerTable.QUEUED;
      if (!isDue || listed.get(entry)) {
        throw in.wrong("an element of the finalize list that is not due, or is there twice");
      }
      listed.set(entry);
      table.enqueue(entry);
    }
    if (queued != due) {
      throw in.wrong("elements that are due and not on the finalize list");
    }
  }

  // ---- checks, and the end ----

  /** Refuses heirs without a prototype that lends a finalizer. Each object is passed once. */
  private void checkHeirs(FinalizerTable table) {
    OffsetSet inherit = new OffsetSet();
    for (int entry = 0; entry < table.bound(); entry++) {
      long heir = table.isHeir(entry) ? table.element(entry) : 0;
      long p = heir;
      while (Values.isReference(p) && !inherit.contains(p) && !isLender(table, p)) {
        p = mem.get(p + Layout.OBJECT_PROTOTYPE);
      }
      if (heir != 0 && !Values.isReference(p)) {
        throw in.wrong("an object that inherits a finalizer from nobody");
      }
      for (p = heir; p != 0 && !isLender(table, p) && inherit.add(p); ) {
        p = mem.get(p + Layout.OBJECT_PROTOTYPE);
      }
    }
  }

  private static boolean isLender(FinalizerTable table, long object) {
    int entry = table.find(object);
    return entry >= 0 && table.isLent(entry);
  }

  /**
   * Refuses prototypes that lead back to an object: a search would not end. Each object is passed
   * once.
   */
  private void checkPrototypes() {
    OffsetSet passed = new OffsetSet();
    OffsetSet known = new OffsetSet();
    for (int i = 0; i < made; i++) {
      long e = isPrototype(elements[i]) ? elements[i] : 0;
      long p = e;
      while (Values.isReference(p) && !known.contains(p)) {
        if (!passed.add(p)) {
          throw in.wrong("a chain of prototypes that returns to an object");
        }
        p = mem.get(p + Layout.OBJECT_PROTOTYPE);
      }
      for (p = e; Values.isReference(p) && known.add(p); ) {
        p = mem.get(p + Layout.OBJECT_PROTOTYPE);
      }
    }
  }

  private boolean isPrototype(long e) {
    int header = (int) mem.get(e);
    return (header & Layout.KIND_MASK) == Layout.OBJECT && (header & Layout.FLAG_PROTOTYPE) != 0;
  }

  private void release() {
    long[] all = elements;
    int n = made;
    made = 0;
    elements = new long[0];
    for (int i = 0; i < n; i++) {
      r.drop(all[i]);
    }
    r.settle();
  }
}
