package dev.gleaner.it;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapThread;
import dev.gleaner.heap.Kind;
import dev.gleaner.spi.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A heap and its model, with what the operations on both have in common. */
final class Twin {
  final Heap heap;
  final HeapThread t;
  final ShadowHeap shadow = new ShadowHeap();
  final ShadowCollector collector;
  final OperationLog log = new OperationLog();

  /** Whether the rules are known so well that every collection is predicted. */
  final boolean exact;

  /** While set, finalizers do nothing. */
  boolean quiet;

  /** Elements that one operation may make at most, so that small heaps can do something. */
  final int largest;

  private final boolean prompt;
  private @Nullable Pending pending;

  /** A string that is being interned into a slot, and the elements allocated before. */
  private record Pending(String text, int slot, ShadowThread.Frame frame, long allocated) {}

  Twin(Heap heap, Variant variant) {
    this.heap = heap;
    this.t = heap.thread();
    this.prompt = heap.traits().has(Capability.PROMPT);
    this.exact =
        !prompt
            && !variant.incremental
            && heap.traits().has(Capability.CYCLES)
            && heap.traits().has(Capability.DUKTAPE_FINALIZERS);
    this.largest = variant.small ? 300 : 3000;
    this.collector =
        new ShadowCollector(heap, shadow, exact, variant.finalizers, this::noteInterned);
    heap.addListener(collector);
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

  // ---- what operations are made of ----

  /** Sets a slot of the model, before the heap does the same without allocating. */
  void set(int slot, Object value) {
    frame().slots.set(slot, value);
  }

  /** Makes an element into a slot. */
  ShadowElement make(int slot, Runnable onHeap, Supplier<ShadowElement> onModel) {
    if (prompt && get(slot) instanceof ShadowElement) {
      set(slot, Special.UNDEFINED);
      t.setUndefined(slot);
    }
    onHeap.run();
    ShadowElement e = onModel.get();
    set(slot, e);
    return e;
  }

  /**
   * Interns a string. Finalizers wait until the slot holds it, so that the first one that runs
   * finds the operation done, unless it failed.
   */
  void intern(int slot, String text, Runnable onHeap) {
    if (prompt && get(slot) instanceof ShadowElement) {
      set(slot, Special.UNDEFINED);
      t.setUndefined(slot);
    }
    pending = new Pending(text, slot, frame(), heap.statistics().allocatedElements());
    try {
      onHeap.run();
      finishIntern();
    } finally {
      pending = null;
    }
  }

  private void noteInterned() {
    if (pending != null && heap.snapshot().allocatedElements() > pending.allocated) {
      finishIntern();
    }
  }

  private void finishIntern() {
    if (pending != null) {
      ShadowElement known = shadow.strings.get(pending.text);
      if (!exact && known != null && !shadow.obtainable().contains(known)) {
        shadow.strings.remove(pending.text); // perhaps reclaimed meanwhile, and back as another one
      }
      pending.frame.slots.set(pending.slot, shadow.intern(pending.text));
      pending = null;
    }
  }

  // ---- finalizers ----

  /** A finalizer is called: was it due? Its frame is the current one afterwards. */
  void enterFinalizer(ShadowElement element, boolean closing) {
    log.add("  finalizer of " + element + (closing ? " at close" : "") + " {");
    noteInterned();
    ShadowFinalizers.Entry entry = shadow.finalizers.find(element);
    if (entry == null || element.dead) {
      throw new AssertionError("finalizer of " + element + " called: it has none");
    }
    if (closing || !exact) {
      if (!exact) {
        collector.observe();
      }
      if (entry.state == ShadowFinalizers.State.FINALIZED) {
        throw new AssertionError("finalizer of " + element + " called a second time");
      }
      if (!closing && !entry.lost) {
        throw new AssertionError("finalizer of " + element + " called: it was never out of reach");
      }
      shadow.finalizers.begin(entry);
    } else {
      shadow.finalizers.beginQueued(element);
    }
    ShadowElement thread = shadow.finalizerThread;
    if (thread == null) {
      throw new AssertionError("no finalizer was ever set");
    }
    shadow.switchTo(thread);
    ShadowThread.Frame frame = new ShadowThread.Frame(dev.gleaner.heap.Finalizer.FRAME_SLOTS);
    thread.asThread().frames.add(frame);
    frame.slots.set(0, element);
  }

  void leaveFinalizer() {
    while (shadow.current != shadow.finalizerThread) {
      shadow.switchBack();
    }
    ShadowThread thread = shadow.thread();
    while (thread.depth() > 0) {
      thread.frames.removeLast();
    }
    shadow.switchBack();
    shadow.finalizers.end();
    log.add("  }");
  }
}
