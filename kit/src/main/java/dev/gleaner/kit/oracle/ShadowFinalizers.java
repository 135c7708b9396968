package dev.gleaner.kit.oracle;

import dev.gleaner.layout.Kind;
import dev.gleaner.weak.FinalizerTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The finalizers of the model, in the order of registration, and the finalize list (Duktape,
 * "Finalizer behavior").
 *
 * <pre>
 *   IDLE -- lost --> QUEUED -- called --> FINALIZED -- found again once no finalizer waits or runs --> IDLE
 * </pre>
 *
 * Under ordered finalizers (PyPy) a finalizer is gone when it is called.
 *
 * <p>What was called, or set by a finalizer, in the operation of the program that is under way has
 * its turn in a later one: until then it is postponed.
 */
final class ShadowFinalizers {
  enum State {
    IDLE,
    QUEUED,
    FINALIZED
  }

  /** The finalizer of an element. */
  static final class Entry {
    final ShadowElement element;

    /** What is called; of an heir what was called last, if anything. */
    FinalizerBody body;

    /** Whether those have it, too, that have the element as a prototype. */
    boolean lent;

    /** Whether it comes from a prototype, and is looked up when it is called. */
    boolean heir;

    State state = State.IDLE;
    long age;

    /**
     * Was out of reach at some time since it was registered, or called last; for collectors of
     * their own order.
     */
    boolean lost;

    /** Was perhaps found again since it was called. */
    boolean perhapsFound;

    /** The operation that it was called in last, or that a finalizer set it in; or 0. */
    long operation;

    private boolean called;

    Entry(ShadowElement element, FinalizerBody body) {
      this.element = element;
      this.body = body;
    }

    /**
     * Whether it was called: when the element was found again is the collector's to say, and if it
     * was not, then the finalizer is not called again.
     */
    boolean wasCalled() {
      return called;
    }
  }

  private final Map<ShadowElement, Entry> entries = new LinkedHashMap<>();
  private final ArrayDeque<ShadowElement> queue = new ArrayDeque<>();
  private final ArrayDeque<ShadowElement> postponed = new ArrayDeque<>();
  private final Set<ShadowElement> left = new HashSet<>();

  /** The operation of the program that is under way. */
  long operation = 1;

  private final boolean ordered;

  /** Whether the order is that of the elements' ages, where it is known. */
  final boolean byAge;

  private final boolean moving;
  private long lastAge;

  /** The entries that are called in this round, while the heap closes; the youngest last. */
  private List<Entry> round = List.of();

  private int running;
  private boolean closing;
  long calls;
  long rescued;
  long failed;

  /**
   * @param ordered whether a finalizer is detached before it is called
   * @param byAge whether {@code finalizer-order} is {@code duktape}
   * @param moving whether the collector moves elements, so that it knows no ages of objects
   */
  ShadowFinalizers(boolean ordered, boolean byAge, boolean moving) {
    this.ordered = ordered;
    this.byAge = byAge && !ordered;
    this.moving = moving;
  }

  /** Takes over from the model of a heap that was saved. */
  void takeOver(ShadowFinalizers before) {
    lastAge = before.lastAge;
    entries.putAll(before.entries);
    queue.addAll(before.queue());
    entries.values().forEach(entry -> entry.operation = 0);
  }

  void made(ShadowElement element) {
    if (element.kind == Kind.OBJECT) {
      element.age = ++lastAge;
    }
  }

  private long age(ShadowElement element) {
    boolean known = element.kind == Kind.OBJECT && !moving;
    return known ? Math.max(element.age, lastAge - FinalizerTable.RECENT) : lastAge;
  }

  void set(ShadowElement element, FinalizerBody body) {
    boolean lent = isLender(element);
    Entry _ = put(element, body);
    if (lent) {
      removeLapsed();
    }
  }

  /** Sets the finalizer of an object, and of those that have it as a prototype. */
  void lend(ShadowElement object, FinalizerBody body) {
    put(object, body).lent = true;
  }

  /** Gives an object without a finalizer the one that it inherits. */
  void addHeir(ShadowElement object) {
    put(object, FinalizerBody.NONE).heir = true;
  }

  private Entry put(ShadowElement element, FinalizerBody body) {
    Entry old = entries.get(element);
    boolean _ = remove(element);
    Entry entry = new Entry(element, body);
    entry.age = old == null ? age(element) : old.age;
    entry.operation = running > 0 ? operation : 0;
    entries.put(element, entry);
    return entry;
  }

  /** Removes an element's own finalizer; what it inherits remains. */
  void clear(ShadowElement element) {
    Entry entry = entries.get(element);
    if (entry != null && !entry.heir) {
      boolean _ = remove(element);
      if (lender(element.prototype) != null) {
        addHeir(element);
      } else if (entry.lent) {
        removeLapsed();
      }
    }
  }

  /** The elements that inherit their finalizer. */
  long heirs() {
    return entries.values().stream().filter(e -> e.heir).count();
  }

  boolean isLender(ShadowElement element) {
    Entry entry = entries.get(element);
    return entry != null && entry.lent;
  }

  /** The first of an object and its prototypes that lends its finalizer, or null. */
  @Nullable Entry lender(Object first) {
    for (Object p = first; p instanceof ShadowElement x; p = x.prototype) {
      if (isLender(x)) {
        return entries.get(x);
      }
    }
    return null;
  }

  /** Forgets heirs that inherit nothing any more. */
  private void removeLapsed() {
    for (Entry entry : entries()) {
      if (entry.heir && lender(entry.element.prototype) == null) {
        boolean _ = remove(entry.element);
      }
    }
  }

  /**
   * An object gets another prototype.
   *
   * @return false if others would inherit by that which exist already: nothing is changed then
   */
  boolean reparent(ShadowElement object, Object prototype) {
    boolean before = lender(object.prototype) != null;
    boolean after = lender(prototype) != null;
    boolean others = before != after && object.wasPrototype && !isLender(object);
    if (others && after) {
      return false;
    }
    if (after && find(object) == null) {
      addHeir(object);
    }
    object.prototype = prototype;
    if (before && !after) {
      removeLapsed();
    }
    return true;
  }

  /** The element with an identity hash that has a finalizer: the last one, as places are reused. */
  ShadowElement byHash(int hash) {
    return entries.keySet().stream()
        .filter(e -> e.hash != null && e.hash == hash)
        .reduce((_, last) -> last)
        .orElseThrow(() -> new AssertionError("a finalizer of nobody was called"));
  }

  /** The program begins an operation, unless a finalizer does. */
  void beginOperation() {
    if (running == 0) {
      operation++;
      while (!postponed.isEmpty()) {
        queue.addFirst(postponed.removeLast());
      }
    }
  }

  boolean remove(ShadowElement element) {
    if (mayBeQueued(element)) {
      left.add(element);
    }
    return entries.remove(element) != null;
  }

  /** Elements that may wait on the list, though they lost their finalizer there. */
  Set<ShadowElement> left() {
    return left;
  }

  @Nullable Entry find(ShadowElement element) {
    return entries.get(element);
  }

  /**
   * Whether the element may wait for its finalizer: then a weak reference to it is cleared, though
   * another finalizer may have found it.
   */
  boolean mayBeQueued(ShadowElement element) {
    Entry entry = entries.get(element);
    return entry != null && entry.lost && entry.state != State.FINALIZED;
  }

  List<Entry> entries() {
    return List.copyOf(entries.values());
  }

  List<ShadowElement> queue() {
    List<ShadowElement> all = new ArrayList<>(postponed);
    all.addAll(queue);
    return all;
  }

  /** Elements that may be postponed, where the collector's own order says which are. */
  List<ShadowElement> perhapsPostponed() {
    return entries.values().stream()
        .filter(e -> e.operation > 0 && e.state != State.FINALIZED)
        .map(e -> e.element)
        .toList();
  }

  /** What a collection decides; answers what it puts on the finalize list. */
  List<ShadowElement> judge(Set<ShadowElement> reachable, boolean on) {
    boolean settled = queue().isEmpty() && running == 0 && !closing;
    List<ShadowElement> due = new ArrayList<>();
    for (Entry entry : entries.values()) {
      if (reachable.contains(entry.element)) {
        if (entry.state == State.FINALIZED && settled) {
          entry.state = State.IDLE;
          rescued++;
        }
      } else if (entry.state == State.IDLE && on) {
        entry.state = State.QUEUED;
        due.add(entry.element);
      }
    }
    if (byAge) {
      due.sort(Comparator.comparingLong(e -> Objects.requireNonNull(entries.get(e)).age));
      due.reversed().forEach(queue::addFirst);
    } else {
      queue.addAll(due);
    }
    return due;
  }

  /**
   * A collection in unknown order found these in reach.
   *
   * @param perhaps what may be in reach besides, if doubtful properties are there still
   */
  void note(Set<ShadowElement> reachable, Supplier<Set<ShadowElement>> perhaps) {
    boolean settled = running == 0 && !closing;
    Set<ShadowElement> more = null;
    for (Entry entry : entries.values()) {
      boolean found = reachable.contains(entry.element);
      entry.lost |= !found;
      if (entry.state == State.FINALIZED && settled && !ordered) {
        if (found) {
          entry.state = State.IDLE;
        } else if (!entry.perhapsFound) {
          more = more == null ? perhaps.get() : more;
          entry.perhapsFound = more.contains(entry.element);
        }
      }
    }
  }

  /** The finalizer at the head of the list is called. */
  void beginQueued(ShadowElement element) {
    Entry due = nextQueued();
    if (due == null) {
      throw new AssertionError("finalizer of " + element + " called, but it is not due");
    }
    if (due.element != element) {
      queue.addFirst(due.element);
      throw new AssertionError(
          "finalizer of " + element + " called, that of " + due.element + " is due");
    }
    begin(due);
  }

  void begin(Entry entry) {
    entry.called = true;
    entry.state = State.FINALIZED;
    entry.operation = operation;
    entry.lost = false;
    entry.perhapsFound = false;
    entry.age = ++lastAge;
    if (ordered && !entry.lent) {
      entries.remove(entry.element);
    }
    running++;
    calls++;
  }

  /** The heap closes: nothing is rescued any more. */
  void close() {
    closing = true;
  }

  /**
   * A finalizer is over; the heap goes on to the next one that is due. When it closes it leaves the
   * list as it is.
   */
  void end() {
    running--;
    Entry due = closing ? null : nextQueued();
    if (due != null) {
      queue.addFirst(due.element);
    }
  }

  /**
   * An element whose finalizer is over was found in reach.
   *
   * @param surely or perhaps
   */
  void rescued(ShadowElement element, boolean surely) {
    Entry entry = entries.get(element);
    if (entry != null && entry.state == State.FINALIZED && !closing) {
      entry.state = surely ? State.IDLE : State.FINALIZED;
      entry.perhapsFound = true;
    }
  }

  boolean isClosing() {
    return closing;
  }

  /** The element whose finalizer is the next to be called when the heap closes, or null. */
  @Nullable ShadowElement nextToClose() {
    if (byAge) {
      return youngest(round) == null ? youngest(newRound()) : youngest(round);
    }
    for (Entry entry : entries.values()) {
      if (entry.state != State.FINALIZED) {
        return entry.element;
      }
    }
    return null;
  }

  private @Nullable ShadowElement youngest(List<Entry> some) {
    for (Entry entry : some.reversed()) {
      if (entry.state != State.FINALIZED && entries.get(entry.element) == entry) {
        return entry.element;
      }
    }
    return null;
  }

  private List<Entry> newRound() {
    List<Entry> all = new ArrayList<>(entries.values());
    all.sort(Comparator.comparingLong(e -> e.age));
    round = all;
    return all;
  }

  boolean isRunning() {
    return running > 0;
  }

  /** What is left on the list after a collection must have lost its finalizer. */
  void listIsEmpty() {
    Entry due = nextQueued();
    if (due != null) {
      queue.addFirst(due.element);
      throw new AssertionError("the finalizer of " + due.element + " was due and was not called");
    }
  }

  /** Takes the next one off the list whose finalizer is due; puts off what has to wait. */
  @Nullable Entry nextQueued() {
    while (!queue.isEmpty()) {
      Entry entry = entries.get(queue.removeFirst());
      if (entry != null && entry.state == State.QUEUED) {
        if (entry.operation != operation) {
          return entry;
        }
        postponed.add(entry.element);
      }
    }
    return null;
  }
}
