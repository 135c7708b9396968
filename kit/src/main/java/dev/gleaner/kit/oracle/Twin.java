package dev.gleaner.kit.oracle;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Values;
import dev.gleaner.layout.Weakness;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectFlags;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A heap and its model, with what the operations on both have in common, and the script of what was
 * done. Everything is named by slots, as a heap's elements may move.
 */
final class Twin {
  final Heap heap;
  final Mutator t;
  final ShadowHeap shadow;
  final ShadowCollector collector;
  final MeterComparison meters;
  final Script script;

  /** Whether only what the scenario language can say may be done. */
  final boolean sayable;

  /** Whether the rules are known so well that every collection is predicted. */
  final boolean exact;

  /** Whether collections come at times of the collector's own, so that a script may differ. */
  final boolean restless;

  /** Whether the script says when each collection comes, and so what each does. */
  final boolean timed;

  /** While set, finalizers do nothing. */
  boolean quiet;

  /** Elements that one operation may make at most, so that small heaps can do something. */
  final int largest;

  final boolean prompt;

  /** Whether buffers can be pinned. */
  final boolean pins;

  private final boolean incremental;
  private final boolean finalizersOn;
  private @Nullable Pending pending;

  /** Whether the operation may have made elements that the model does not know of. */
  boolean orphans;

  private Script.@Nullable Line attempt;
  private int collectionsBefore;
  private boolean finalizing;

  /** Whether finalizers run on the running thread, and not on the heap's own. */
  final boolean inPlace;

  /** The elements whose finalizers run, the innermost first, and their threads. */
  private final ArrayDeque<Finalized> finalized = new ArrayDeque<>();

  private record Finalized(ShadowElement element, ShadowElement thread) {}

  /** A string that is being interned into a slot, and the elements allocated before. */
  private record Pending(
      String text, int slot, ShadowThread.Frame frame, long allocated, Script.Line line) {}

  /**
   * What a heap was opened with that was saved before.
   *
   * @param before the model of the heap that was saved
   * @param globals the global references by their numbers
   */
  record Opened(ShadowHeap before, Map<Integer, GlobalRef> globals) {}

  Twin(
      Heap heap,
      Plan plan,
      Script script,
      boolean recording,
      MeterRegistry registry,
      boolean inPlace,
      @Nullable Opened opened) {
    this.heap = heap;
    this.inPlace = inPlace;
    this.t = heap.mutator();
    this.script = script;
    this.sayable = plan.mode().isSayable();
    this.incremental = plan.setup().incremental() && has(Capability.INCREMENTAL);
    this.prompt = has(Capability.PROMPT);
    this.pins = heap.traits().pinning();
    this.exact =
        !prompt
            && !incremental
            && !has(Capability.FRAMES)
            && !has(Capability.MINOR)
            && has(Capability.CYCLES)
            && has(Capability.DUKTAPE_FINALIZERS);
    this.timed = exact && plan.mode() == Mode.SCRIPTED;
    this.restless = !timed && (!prompt || incremental || plan.mode() == Mode.TORTURED);
    this.largest = plan.setup().isSmall(plan.mode()) ? 300 : 3000;
    this.finalizersOn = plan.setup().finalizers();
    ShadowFinalizers finalizers =
        new ShadowFinalizers(
            has(Capability.ORDERED_FINALIZERS),
            plan.setup().finalizesByAge(),
            has(Capability.MOVING));
    CallLog calls = new CallLog(recording);
    if (opened == null) {
      this.shadow = new ShadowHeap(finalizers, calls, exact);
    } else {
      this.shadow = new ShadowHeap(opened.before, opened.globals, finalizers, calls, exact);
      shadow.opened(heap.snapshot().allocatedElements());
    }
    this.collector = new ShadowCollector(heap, shadow, exact, plan.setup(), this::noteInterned);
    if (!sayable) {
      heap.addListener(new ThrowingListener(shadow, plan.seed())); // the first to be told
    }
    heap.addListener(collector);
    meters = new MeterComparison(heap, shadow, exact, plan.maxMemory(), registry, opened != null);
  }

  /** Heap and model have parted: nothing more is compared or written. */
  void end() {
    collector.ended = true;
    script.end();
  }

  boolean isEnded() {
    return collector.ended;
  }

  boolean has(Capability capability) {
    return heap.traits().has(capability);
  }

  /** What the expectations of the script rely on, as a scenario's header asks for it. */
  String requirements() {
    String cycles = has(Capability.CYCLES) ? "cycles" : "!cycles";
    String rest = timed ? " duktape-finalizers !prompt" : restless ? "" : " prompt";
    String ages = shadow.finalizers.byAge ? has(Capability.MOVING) ? " moving" : " !moving" : "";
    return cycles + rest + ages + (incremental ? " incremental" : "");
  }

  // ---- slots of the current frame ----

  ShadowThread.Frame frame() {
    return shadow.frame();
  }

  Object get(int slot) {
    return frame().slots.get(slot);
  }

  ShadowElement element(int slot) {
    return (ShadowElement) get(slot);
  }

  /** Any slot that programs use. */
  int slot(Dice dice) {
    return slotOf(frame(), dice);
  }

  static int slotOf(ShadowThread.Frame frame, Dice dice) {
    int i = dice.below(frame.slots.size());
    return frame.isScratch(i) ? dice.below(frame.scratch()) : i;
  }

  /** A slot that holds such a value, or -1. */
  int find(Dice dice, Predicate<Object> wanted) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < frame().slots.size(); i++) {
      if (!frame().isScratch(i) && wanted.test(get(i))) {
        found.add(i);
      }
    }
    return found.isEmpty() ? -1 : dice.pick(found);
  }

  int find(Dice dice, Kind kind) {
    return find(dice, v -> v instanceof ShadowElement e && e.kind == kind);
  }

  /** What does an operation on a slot with an element of a kind, if there is one. */
  Operation.Action on(Kind kind, Operation.OnSlot action) {
    return on(v -> v instanceof ShadowElement e && e.kind == kind, action);
  }

  /** What does an operation on a slot with a record or object that has slots, if there is one. */
  Operation.Action onSlotted(Operation.OnSlot action) {
    return on(
        v ->
            v instanceof ShadowElement e
                && (e.kind == Kind.RECORD || e.kind == Kind.OBJECT)
                && e.slots.length > 0,
        action);
  }

  private Operation.Action on(Predicate<Object> wanted, Operation.OnSlot action) {
    return dice -> {
      int slot = find(dice, wanted);
      if (slot >= 0) {
        action.run(dice, slot);
      }
    };
  }

  /** A slot's name in the script. */
  String name(int slot) {
    return frame().name(slot);
  }

  /** A slot's value in the script; a name that was never assigned must not be read. */
  String value(int slot) {
    return get(slot) == Special.UNDEFINED ? "undefined" : name(slot);
  }

  /** Whether this is the frame that the program began with. */
  boolean inMainFrame() {
    return shadow.current == shadow.main && shadow.thread().depth() == 1;
  }

  // ---- weak tables ----

  /** Whether what becomes of weak tables can be said, or found out. */
  boolean weakens() {
    return exact || !sayable;
  }

  /** Finds out which properties of a weak table are gone, where the collector alone knows. */
  void sync(int o) {
    sync(o, element(o));
  }

  /** The same for an object that the model has elsewhere. */
  void sync(int o, ShadowElement e) {
    if (e.weakness == Weakness.NONE || (exact && e.doubtful.isEmpty())) {
      return;
    }
    if (prompt) {
      collector.observe(); // it may lead to an element whose finalizer waits
    }
    if (t.propertyCount(o) != e.properties.size()) {
      removeGone(o, e);
    }
    e.doubtful.clear();
  }

  /** Walks over the object and its model, which has what is gone as well. */
  private void removeGone(int o, ShadowElement e) {
    int key = frame().scratch() + 1;
    int value = key + 1;
    Set<ShadowElement> reachable = shadow.reachable(false);
    Iterator<Map.Entry<Object, Object>> known = e.inOrder().iterator();
    long cursor = 0;
    while ((cursor = t.nextProperty(o, cursor, key, value)) > 0) {
      e.indexes.fixed = true;
      boolean found = false;
      while (!found && known.hasNext()) {
        Map.Entry<Object, Object> p = known.next();
        found = holds(key, p.getKey()) && holds(value, p.getValue());
        if (!found) {
          clear(e, p.getKey(), reachable);
        }
      }
      if (!found) {
        throw new AssertionError(e + " has a property that it must not have, at " + cursor);
      }
    }
    known.forEachRemaining(p -> clear(e, p.getKey(), reachable));
    t.setUndefined(key);
    t.setUndefined(value);
  }

  private static void clear(ShadowElement table, Object key, Set<ShadowElement> reachable) {
    if (!ShadowHeap.mayBeGone(table, key, reachable)) {
      throw new AssertionError("gone from " + table + ", but in reach: property " + key);
    }
    table.clearProperty(key);
  }

  private boolean isInteger(int slot, long value) {
    return t.isInteger(slot) && t.getLong(slot) == value;
  }

  /** Whether a slot holds what the model has; elements are known by their hash. */
  private boolean holds(int slot, Object expected) {
    return switch (expected) {
      case ShadowElement e when e.kind == Kind.STRING ->
          t.isReference(slot) && t.kind(slot) == e.kind && t.getString(slot).equals(e.text);
      case ShadowElement e when e.kind == Kind.INTEGER -> isInteger(slot, e.integer);
      case ShadowElement e ->
          t.isReference(slot)
              && t.kind(slot) == e.kind
              && (e.hash == null || e.hash == t.identityHash(slot));
      case Special s -> t.get(slot) == (s == Special.NULL ? Values.NULL : Values.UNDEFINED);
      case Boolean b -> t.get(slot) == Values.ofBoolean(b);
      case Integer i -> t.get(slot) == Values.ofInt(i);
      case IdentityHash h -> t.get(slot) == Values.ofInt(h.value());
      case Long l -> isInteger(slot, l);
      case Double d -> t.get(slot) == Values.ofDouble(d);
      default -> throw new AssertionError(expected);
    };
  }

  /** Asks for the hash of what goes into a weak table, so that it is known again there. */
  void learn(int slot) {
    if (!exact && ShadowElement.isMortal(get(slot)) && element(slot).hash == null) {
      element(slot).hash = t.identityHash(slot);
    }
  }

  /** Asks for the hash of what may inherit a finalizer, whose element is asked for when it runs. */
  void knowAgain(int slot) {
    if (element(slot).hash == null) {
      shadow.finalizers.beginOperation();
      element(slot).hash = t.identityHash(slot);
      shadow.finalizers.beginOperation();
    }
  }

  /** Whether it is known for sure what an object's prototypes have under a key. */
  boolean isKnown(ShadowElement object, Object key) {
    for (Object p = object.prototype; !exact && p instanceof ShadowElement x; p = x.prototype) {
      if (x.properties.containsKey(key) && ShadowHeap.mayBeGone(x, key, shadow.reachable(false))) {
        return false;
      }
    }
    return true;
  }

  // ---- what operations are made of ----

  void say(String statement) {
    shadow.finalizers.beginOperation();
    Script.Line _ = script.say(statement);
  }

  /** Notes an operation that the language lacks, and that follows. */
  void cannotSay(String operation) {
    shadow.finalizers.beginOperation();
    script.cannotSay(operation);
  }

  /** Does something that may fail and leave everything as it was. */
  void attempt(String statement, Runnable onHeap) {
    Script.Line outer = attempt;
    Script.Line line = begin(statement);
    onHeap.run();
    line.done = true;
    attempt = outer;
  }

  private Script.Line begin(String statement) {
    shadow.finalizers.beginOperation();
    Script.Line line = script.say(statement);
    line.done = false;
    attempt = line;
    collectionsBefore = collector.collections;
    return line;
  }

  /** Sets a slot of the model, before the heap does the same without allocating. */
  void set(int slot, Object value) {
    frame().slots.set(slot, value);
  }

  /** Makes an element into a slot. */
  ShadowElement make(int slot, String statement, Runnable onHeap, Supplier<ShadowElement> onModel) {
    vacate(slot);
    attempt(statement, onHeap);
    ShadowElement e = onModel.get();
    set(slot, e);
    return e;
  }

  /** Where drops act at once, the old element goes before the new one is made. */
  private void vacate(int slot) {
    if (prompt && get(slot) instanceof ShadowElement) {
      undefine(slot);
    }
  }

  void undefine(int slot) {
    say("set " + name(slot) + " undefined");
    set(slot, Special.UNDEFINED);
    t.setUndefined(slot);
  }

  /**
   * Interns a string. Finalizers wait until the slot holds it, so that the first one that runs
   * finds the operation done, unless it failed.
   */
  void intern(int slot, String text, Runnable onHeap) {
    intern(slot, text, "string " + name(slot) + " " + Script.quoted(text), onHeap);
  }

  /** Interns a string by another statement. */
  void intern(int slot, String text, String statement, Runnable onHeap) {
    vacate(slot);
    Script.Line outer = attempt;
    Script.Line line = begin(statement);
    if (exact && shadow.strings.containsKey(text)) {
      onHeap.run(); // makes nothing
      set(slot, shadow.intern(text));
      line.done = true;
    } else {
      pending = new Pending(text, slot, frame(), heap.statistics().allocatedElements(), line);
      try {
        onHeap.run();
        finishIntern();
      } finally {
        pending = null;
      }
    }
    attempt = outer;
  }

  private void noteInterned() {
    if (pending != null && heap.snapshot().allocatedElements() > pending.allocated) {
      finishIntern();
    }
  }

  private void finishIntern() {
    if (pending != null) {
      ShadowElement known = shadow.strings.get(pending.text);
      boolean made = heap.snapshot().allocatedElements() > pending.allocated;
      if (!exact && known != null && made && mayBeGone(known)) {
        shadow.strings.remove(pending.text); // perhaps reclaimed meanwhile, and back as another one
      }
      pending.frame.slots.set(pending.slot, shadow.intern(pending.text));
      pending.line.done = true;
      pending = null;
    }
  }

  private boolean mayBeGone(ShadowElement string) {
    Set<ShadowElement> left =
        has(Capability.CYCLES) ? shadow.obtainable(finalizersOn) : shadow.counted(true);
    return !left.contains(string);
  }

  /** Does a collection that stands in the script. */
  void collect(int flags) {
    say("collect" + flagNames(flags));
    collect(flags, () -> heap.collect(flags));
  }

  /** Does a minor collection that stands in the script. */
  void collectMinor() {
    say("collect minor");
    collect(0, heap::collectMinor);
  }

  void collect(int flags, Runnable collection) {
    boolean outer = finalizing;
    finalizing = ((flags | heap.baseFlags()) & CollectFlags.NO_FINALIZERS) == 0;
    long before = heap.snapshot().explicitCollections();
    collection.run();
    boolean refused = heap.snapshot().explicitCollections() == before;
    if (!refused || !shadow.finalizers.isRunning()) { // a finalizer may be part of a collection
      meters.explicit++;
    }
    finalizing = outer;
  }

  /** Does a collection in a callback, which is refused in the midst of another. */
  void collectInside() {
    long before = heap.snapshot().explicitCollections();
    heap.collect();
    meters.explicit += heap.snapshot().explicitCollections() == before ? 0 : 1;
  }

  /** Whether the statement at hand still has to run the finalizers that are due. */
  boolean isFinalizing() {
    return (finalizing || isCollectingInside()) && !shadow.finalizers.isRunning();
  }

  /** The names of flags in the scenario language, with a space before each. */
  static String flagNames(int flags) {
    return ((flags & CollectFlags.EMERGENCY) == 0 ? "" : " emergency")
        + ((flags & CollectFlags.NO_FINALIZERS) == 0 ? "" : " no-finalizers")
        + ((flags & CollectFlags.NO_OBJECT_COMPACTION) == 0 ? "" : " no-object-compaction")
        + ((flags & CollectFlags.NO_STRING_TABLE_RESIZE) == 0 ? "" : " no-string-table-resize");
  }

  /** What was attempted has failed. */
  void forgetAttempt() {
    attempt = null;
  }

  /** Whether an operation is half done whose collection the script does not show. */
  boolean isCollectingInside() {
    return attempt != null && !attempt.done && collector.collections > collectionsBefore;
  }

  // ---- finalizers ----

  /** A finalizer is called: was it due? Its frame is the current one afterwards. */
  void enterFinalizer(ShadowElement element, FinalizerBody body, boolean closing) {
    script.note("  finalizer " + body + " of " + element + (closing ? " at close" : ""));
    noteInterned();
    pending = null; // the intern is over, or has failed: until then finalizers are held
    collector.beforeFinalizer();
    ShadowFinalizers.Entry entry = shadow.finalizers.find(element);
    if (entry == null || element.dead) {
      throw new AssertionError("finalizer of " + element + " called: it has none");
    }
    if (closing) {
      shadow.finalizers.close();
    }
    if (closing || !exact) {
      if (!exact) {
        collector.observe();
      }
      if (entry.state == ShadowFinalizers.State.FINALIZED && !entry.perhapsFound) {
        throw new AssertionError("finalizer of " + element + " called a second time");
      }
      if (!closing && entry.operation == shadow.finalizers.operation) {
        throw new AssertionError("finalizer of " + element + " called twice in an operation");
      }
      if (!closing && !entry.lost) {
        throw new AssertionError("finalizer of " + element + " called: it was never out of reach");
      }
      shadow.finalizers.begin(entry);
    } else {
      shadow.finalizers.beginQueued(element);
    }
    shadow.calls.add(body.label + (closing ? "!" : ""));
    ShadowElement thread = inPlace ? shadow.current : shadow.finalizerThread;
    if (thread == null) {
      throw new AssertionError("no finalizer was ever set");
    }
    if (inPlace) {
      thread.asThread().addFloor();
    } else {
      shadow.switchTo(thread);
    }
    Script.Block block = body.block;
    if (body.calls++ == 0 && block != null && body.kind == FinalizerBody.Kind.RANDOM) {
      script.reopen(block);
    } else {
      block = script.discard(Script.Scope.FINALIZER);
    }
    ShadowThread.Frame frame = new ShadowThread.Frame(Finalizer.FRAME_SLOTS, block);
    thread.asThread().frames.add(frame);
    frame.slots.set(0, element);
    finalized.push(new Finalized(element, thread));
  }

  /** Whether the current thread is that of the finalizer that was called last. */
  boolean isInFinalizer() {
    Finalized last = finalized.peek();
    return last != null && shadow.current == last.thread;
  }

  void leaveFinalizer() {
    Finalized over = finalized.pop();
    while (shadow.current != over.thread) {
      shadow.switchBack();
    }
    ShadowThread thread = shadow.thread();
    while (thread.depth() > 0) {
      Script.Block block = thread.frames.removeLast().block;
      if (block != null && thread.depth() == 0) {
        script.close(block);
      }
    }
    if (inPlace) {
      thread.removeFloor();
    } else {
      shadow.switchBack();
    }
    shadow.finalizers.end();
    if (prompt) { // counting knows at once if it was rescued
      if (shadow.countedBeforeFinalizers(true).contains(over.element)) {
        shadow.finalizers.rescued(over.element, true);
      } else if (shadow.countedBeforeFinalizers(false).contains(over.element)) {
        shadow.finalizers.rescued(over.element, false);
      }
    }
  }
}
