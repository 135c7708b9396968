package dev.gleaner.kit.oracle;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Weakness;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A plain Java model of a heap: its elements, its roots, and what can be reached from them. */
final class ShadowHeap {
  /** A global root. */
  static final class Global {
    private final @Nullable GlobalRef ref;
    Object value = Special.UNDEFINED;

    Global(@Nullable GlobalRef ref) {
      this.ref = ref;
    }

    GlobalRef ref() {
      if (ref == null) {
        throw new AssertionError("a global of the model alone");
      }
      return ref;
    }
  }

  /** A weak reference. */
  static final class Weak {
    final WeakRef ref;
    final ShadowElement target;
    boolean cleared;

    Weak(WeakRef ref, ShadowElement target) {
      this.ref = ref;
      this.target = target;
    }
  }

  /** The pins of a buffer, which nothing but they may hold. */
  static final class Pin {
    final WeakRef ref;
    final MemorySegment view;
    int pins;

    Pin(WeakRef ref, MemorySegment view) {
      this.ref = ref;
      this.view = view;
    }
  }

  final ShadowElement main;
  ShadowElement current;
  @Nullable ShadowElement finalizerThread;

  /** What on-free callbacks run on. */
  @Nullable ShadowElement callbackThread;

  /** The open globals by their numbers. */
  final Map<Integer, Global> globals = new TreeMap<>();

  /** The open weak references by their numbers. */
  final Map<Integer, Weak> weaks = new TreeMap<>();

  final ShadowFinalizers finalizers;
  final CallLog calls;
  final Map<String, ShadowElement> strings = new HashMap<>();

  /** What is made while {@link #makingBuiltins}, threads and natives excepted; never freed. */
  final Set<ShadowElement> builtins = new LinkedHashSet<>();

  boolean makingBuiltins;

  /** Those of them that a slot held when they were made. */
  final Map<ShadowElement, WeakRef> builtinRefs = new LinkedHashMap<>();

  /** The pinned buffers. */
  final Map<ShadowElement, Pin> pins = new LinkedHashMap<>();

  /** The weak ones of the elements. */
  private final Set<ShadowElement> weakTables = new LinkedHashSet<>();

  /** All that is allocated and not known to be freed. */
  final Set<ShadowElement> elements = new LinkedHashSet<>();

  long externalBytes;

  /** What is reserved, and what heirs are charged with. */
  long external() {
    return externalBytes + finalizers.heirs() * 80L;
  }

  /** What the program has asked for in plain blocks. */
  long blockBytes;

  long weakCleared;

  /** On-free callbacks and listeners that threw on purpose. */
  long callbacksFailed;

  /** Whether what each collection clears is known. */
  private final boolean exact;

  private final Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
  private int made;

  /** What was made in a heap that was saved before. */
  private long madeBefore;

  private long madeBytes;

  ShadowHeap(ShadowFinalizers finalizers, CallLog calls, boolean exact) {
    this.exact = exact;
    this.finalizers = finalizers;
    this.calls = calls;
    main = newThread();
    main.asThread().running = true;
    current = main;
  }

  /**
   * Makes the model of a heap that is opened from an image: what the roots reach, without the
   * host's weak references and pins. The model of the heap that was saved is used up.
   *
   * @param refs the global references by their numbers
   */
  ShadowHeap(
      ShadowHeap before,
      Map<Integer, GlobalRef> refs,
      ShadowFinalizers finalizers,
      CallLog calls,
      boolean exact) {
    this.exact = exact;
    this.finalizers = finalizers;
    this.calls = calls;
    main = before.main;
    current = before.current;
    before.pins.clear();
    before.finalizerThread = null;
    before.callbackThread = null;
    before.keep(before.reachable(true));
    before.globals.forEach((number, old) -> {
      Global global = new Global(refs.get(number));
      global.value = old.value;
      globals.put(number, global);
    });
    strings.putAll(before.strings);
    builtins.addAll(before.builtins);
    weakTables.addAll(before.weakTables);
    elements.addAll(before.elements);
    elements.forEach(e -> {
      counts.merge(e.kind, 1, Integer::sum);
      madeBytes += e.leastBytes();
      if (e.kind == Kind.STRING) {
        e.hash = null; // by the heap's seed
      }
    });
    externalBytes = before.externalBytes;
    made = before.made;
    finalizers.takeOver(before.finalizers);
    if (!finalizers.entries().isEmpty()) {
      finalizerThread = newThread();
    }
    if (elements.stream().anyMatch(e -> e.nativeValue != null && e.nativeValue.hasCallback())) {
      callbackThread = newThread();
    }
  }

  /** A heap that was opened from an image has allocated so many elements. */
  void opened(long allocated) {
    madeBefore = made - allocated;
  }

  ShadowElement newElement(Kind kind, int slots) {
    ShadowElement e = new ShadowElement(made++, kind, slots);
    elements.add(e);
    finalizers.made(e);
    if (makingBuiltins && kind != Kind.THREAD && kind != Kind.NATIVE) {
      builtins.add(e);
    }
    counts.merge(kind, 1, Integer::sum);
    madeBytes += e.leastBytes();
    return e;
  }

  ShadowElement newInteger(long value) {
    ShadowElement e = newElement(Kind.INTEGER, 0);
    e.integer = value;
    return e;
  }

  ShadowElement newBuffer(int bytes) {
    ShadowElement e = newElement(Kind.BUFFER, 0);
    e.bytes = new byte[bytes];
    madeBytes += bytes;
    return e;
  }

  ShadowElement newNative(boolean hasCallback) {
    if (hasCallback && callbackThread == null) {
      callbackThread = newThread();
    }
    return newElement(Kind.NATIVE, 0);
  }

  ShadowElement newThread() {
    ShadowElement e = newElement(Kind.THREAD, 0);
    e.thread = new ShadowThread();
    return e;
  }

  ShadowElement intern(String text) {
    return strings.computeIfAbsent(
        text,
        s -> {
          ShadowElement e = newElement(Kind.STRING, 0);
          e.text = s;
          madeBytes += s.getBytes(StandardCharsets.UTF_8).length;
          return e;
        });
  }

  ShadowThread thread() {
    return current.asThread();
  }

  ShadowThread.Frame frame() {
    return thread().top();
  }

  Global global(int number) {
    return Objects.requireNonNull(globals.get(number));
  }

  Weak weak(int number) {
    return Objects.requireNonNull(weaks.get(number));
  }

  /** Sets a global in the model alone. */
  void foreseeGlobal(int number, Object value) {
    globals.computeIfAbsent(number, n -> new Global(null)).value = value;
  }

  void switchTo(ShadowElement thread) {
    thread.asThread().resumer = current;
    thread.asThread().running = true;
    current = thread;
  }

  void switchBack() {
    ShadowThread t = thread();
    ShadowElement resumer = t.resumer;
    if (resumer == null) {
      throw new AssertionError("not resumed");
    }
    t.resumer = null;
    t.running = false;
    current = resumer;
  }

  /** Changes what an object does not hold; what is in its array becomes entries. */
  void setWeakness(ShadowElement e, int weakness) {
    Set<ShadowElement> _ = reachable(false); // what is doubtful by now stays so
    e.weakness = weakness;
    if (weakness == Weakness.NONE) {
      weakTables.remove(e);
    } else {
      weakTables.add(e);
      e.leaveArray();
    }
  }

  /** What the roots reach for sure; takes note of the properties that hold nothing for sure. */
  Set<ShadowElement> reachable(boolean withFinalizeList) {
    Set<ShadowElement> found = reachable(withFinalizeList, true);
    while (!exact && doubt(found)) {
      found = reachable(withFinalizeList, true);
    }
    return found;
  }

  /**
   * What the roots reach.
   *
   * @param surely leaves out what properties of weak tables hold that may be gone
   */
  Set<ShadowElement> reachable(boolean withFinalizeList, boolean surely) {
    List<ShadowElement> roots = new ArrayList<>(List.of(main, current));
    if (finalizerThread != null) {
      roots.add(finalizerThread);
    }
    if (callbackThread != null) {
      roots.add(callbackThread);
    }
    roots.addAll(builtins);
    roots.addAll(pins.keySet());
    globals.values().forEach(g -> ShadowElement.visit(g.value, roots::add));
    if (withFinalizeList) {
      roots.addAll(finalizers.queue());
    }
    Set<ShadowElement> found = new HashSet<>();
    reach(found, roots, surely);
    return found;
  }

  /** What is reachable if all whose finalizers may be due are on the finalize list. */
  Set<ShadowElement> mayBeReached() {
    Set<ShadowElement> found = reachable(true, false);
    finalizers.entries().stream()
        .filter(e -> e.wasCalled() || finalizers.mayBeQueued(e.element)) // rescued, and lost again
        .forEach(e -> reach(found, List.of(e.element), false));
    reach(found, finalizers.left(), false);
    return found;
  }

  /**
   * What is in reach, or can be again: by a weak reference, or inside a finalizer.
   *
   * @param finalizersOn whether finalizers run
   */
  Set<ShadowElement> obtainable(boolean finalizersOn) {
    Set<ShadowElement> found = reachable(true);
    weaks.values().stream()
        .filter(w -> !w.ref.isCleared())
        .forEach(w -> reach(found, List.of(w.target), true));
    finalizers.entries().stream()
        .filter(e -> finalizersOn && !e.wasCalled())
        .forEach(e -> reach(found, List.of(e.element), true));
    return found;
  }

  /** Adds what these reach, and what weak keys hold that are reached. */
  void reach(Set<ShadowElement> found, Collection<ShadowElement> from, boolean surely) {
    ArrayDeque<ShadowElement> grey = new ArrayDeque<>();
    for (ShadowElement e : from) {
      if (found.add(e)) {
        grey.add(e);
      }
    }
    Consumer<ShadowElement> visitor =
        e -> {
          if (found.add(e)) {
            grey.add(e);
          }
        };
    do {
      while (!grey.isEmpty()) {
        grey.remove().forEachReference(surely, visitor);
      }
      for (ShadowElement table : weakTables) {
        if (found.contains(table)) {
          table.forEachEphemeron((key, value) -> {
            if (found.contains(key)) {
              visitor.accept(value);
            }
          });
        }
      }
    } while (!grey.isEmpty());
  }

  /**
   * What counting alone leaves: everything but what is held by no root and by no other element that
   * is left.
   */
  Set<ShadowElement> counted(boolean surely) {
    return counted(reachable(false, surely), surely);
  }

  /** The same after an operation, when some finalizers wait for the next one. */
  Set<ShadowElement> countedAfterOperation(boolean surely) {
    Set<ShadowElement> held = reachable(false, surely);
    reach(held, finalizers.perhapsPostponed(), surely);
    return counted(held, surely);
  }

  /** What counting leaves while finalizers are due, whose elements hold what they refer to. */
  Set<ShadowElement> countedBeforeFinalizers(boolean surely) {
    Set<ShadowElement> held = reachable(false, surely);
    finalizers.entries().stream()
        .filter(e -> e.state != ShadowFinalizers.State.FINALIZED)
        .forEach(e -> reach(held, List.of(e.element), surely));
    return counted(held, surely);
  }

  private Set<ShadowElement> counted(Set<ShadowElement> reachable, boolean surely) {
    Map<ShadowElement, Map<Object, Object>> properties = new HashMap<>();
    Map<ShadowElement, Integer> counts = new HashMap<>();
    Consumer<ShadowElement> increment = to -> counts.merge(to, 1, Integer::sum);
    for (ShadowElement e : elements) {
      e.forEachFixed(surely, increment);
      if (!e.properties.isEmpty()) {
        Map<Object, Object> there = new HashMap<>(e.properties);
        if (surely) {
          there.keySet().removeAll(e.doubtful);
        }
        there.forEach((key, value) -> e.heldByProperty(key, value, increment));
        properties.put(e, there);
      }
    }
    ArrayDeque<ShadowElement> zero = new ArrayDeque<>();
    Set<ShadowElement> left = new HashSet<>(elements);
    for (ShadowElement e : elements) {
      if (!reachable.contains(e) && !counts.containsKey(e)) {
        zero.add(e);
      }
    }
    Consumer<ShadowElement> decrement =
        to -> {
          if (counts.merge(to, -1, Integer::sum) == 0 && !reachable.contains(to)) {
            zero.add(to);
          }
        };
    while (!zero.isEmpty()) {
      ShadowElement e = zero.remove();
      left.remove(e);
      e.forEachFixed(surely, decrement);
      properties
          .getOrDefault(e, Map.of())
          .forEach((key, value) -> e.heldByProperty(key, value, decrement));
      properties.remove(e);
      for (ShadowElement table : weakTables) {
        properties
            .getOrDefault(table, Map.of())
            .entrySet()
            .removeIf(p -> {
              boolean goes = leads(table, p.getKey(), p.getValue(), to -> to == e);
              if (goes && !surely && table.walks.standsOn(p.getKey())) {
                table.heldByValue(p.getValue(), decrement); // the key is kept for the walk
              } else if (goes) {
                table.heldByProperty(p.getKey(), p.getValue(), decrement);
              }
              return goes;
            });
      }
    }
    return left;
  }

  /** Whether a property of a weak table leads to such an element that it does not hold. */
  private static boolean leads(
      ShadowElement table, Object key, Object value, Predicate<Object> such) {
    return (!table.holdsKey(key) && such.test(key))
        || (!table.holdsValue(value) && such.test(value));
  }

  /** What is reached is known: weak values go that are not, before finalizers are found. */
  void clearWeakValues(Set<ShadowElement> live) {
    for (ShadowElement table : weakTables) {
      if (live.contains(table)) {
        clear(table, (_, value) -> !table.holdsValue(value) && !live.contains(value));
      }
    }
  }

  private static void clear(ShadowElement table, BiPredicate<Object, Object> goes) {
    List.copyOf(table.properties.entrySet()).stream()
        .filter(p -> goes.test(p.getKey(), p.getValue()))
        .forEach(p -> table.clearProperty(p.getKey()));
  }

  /** Takes note of what a collector may have cleared; answers whether of any more. */
  private boolean doubt(Set<ShadowElement> reachable) {
    boolean any = false;
    for (ShadowElement table : weakTables) {
      any |= table.walks.doubt(key -> !table.holdsKey(key) && !reachable.contains(key));
      for (Map.Entry<Object, Object> p : table.properties.entrySet()) {
        any |=
            !table.holdsValue(p.getValue())
                && !reachable.contains(p.getValue())
                && table.doubtful.add(p.getKey());
      }
    }
    return any;
  }

  /** Whether a property of a weak table may be gone, given what is reached for sure. */
  static boolean mayBeGone(ShadowElement table, Object key, Set<ShadowElement> reachable) {
    Object value = Objects.requireNonNull(table.properties.get(key));
    return table.doubtful.contains(key) || leads(table, key, value, e -> !reachable.contains(e));
  }

  /** Everything but these is freed. */
  void keep(Set<ShadowElement> live) {
    if (live.size() == elements.size()) {
      return;
    }
    for (Iterator<ShadowElement> i = elements.iterator(); i.hasNext(); ) {
      ShadowElement e = i.next();
      if (!live.contains(e)) {
        i.remove();
        free(e);
      }
    }
    Predicate<Object> isDead = v -> v instanceof ShadowElement e && e.dead;
    for (ShadowElement table : weakTables) {
      clear(table, (key, value) -> leads(table, key, value, isDead));
      table.walks.forgetKept(isDead);
    }
  }

  private void free(ShadowElement e) {
    e.dead = true;
    counts.merge(e.kind, -1, Integer::sum);
    weakTables.remove(e);
    finalizers.remove(e);
    if (e.kind == Kind.STRING) {
      strings.remove(e.text, e); // not one that is back under the same text
    }
  }

  /** How many elements were made. */
  long made() {
    return made - madeBefore;
  }

  /** What was made takes at least so many bytes, without what a dynamic buffer has outside. */
  long madeBytes() {
    return madeBytes;
  }

  /** Takes note of whether the collector has cleared a weak reference. */
  void note(Weak weak) {
    if (!weak.cleared && weak.ref.isCleared()) {
      weak.cleared = true;
      weakCleared++;
    }
  }

  long count(Kind kind) {
    return counts.getOrDefault(kind, 0);
  }

  /**
   * The heap makes the thread of on-free callbacks in the midst of the first operation that needs
   * it, which may fail all the same: so the model believes it, once.
   */
  void learnCallbackThread(long threads) {
    if (callbackThread == null && threads == count(Kind.THREAD) + 1) {
      callbackThread = newThread();
    }
  }

  /** The elements that a program made, strings not counted. */
  long programElements() {
    return elements.size()
        - count(Kind.STRING)
        - count(Kind.INTEGER)
        - (finalizerThread == null ? 1 : 2)
        - (callbackThread == null ? 0 : 1);
  }
}
