package dev.gleaner.kit.oracle;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.layout.Kind;
import dev.gleaner.spi.Capability;
import dev.gleaner.spi.CollectionRequest.Cause;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Collects the model when the heap was collected, whatever the cause, and compares.
 *
 * <p>With an exact rule, which collection frees, clears and finalizes what is known: stop-the-world
 * marking with Duktape's finalizers. Then all figures must agree after every single collection.
 * Without one, a collection may leave garbage, as a minor one does; it is then only checked that
 * nothing in reach is touched, and {@link #settle} compares when nothing is due any more.
 */
final class ShadowCollector implements HeapListener {
  private final Heap heap;
  private final ShadowHeap shadow;
  private final boolean exact;
  private final boolean finalizersOn;
  private final boolean torturesFinalizers;
  private final Runnable catchUp;

  /** Collections that the model has seen. */
  int collections;

  /** Whether it was known what is left when that was asked last. */
  boolean sure = true;

  /** Set when heap and model have parted: nothing is compared any more. */
  boolean ended;

  /** Whether the heap closes. */
  boolean closing;

  /** Whether a collection has begun which the model has not made. */
  private boolean starting;

  /** Whether the model has made the collection that is under way. */
  private boolean judged;

  private static final int MOST_INSIDE = 10;
  private long collectionsInside;
  private long countedIn;

  /** What is wrong; the heap takes what listeners and callbacks throw for itself. */
  private @Nullable AssertionError found;

  /**
   * @param catchUp brings the model to where the heap is inside the operation that collects
   */
  ShadowCollector(Heap heap, ShadowHeap shadow, boolean exact, Setup setup, Runnable catchUp) {
    this.heap = heap;
    this.shadow = shadow;
    this.exact = exact;
    this.finalizersOn = setup.finalizers();
    this.torturesFinalizers = setup.torturesFinalizers();
    this.catchUp = catchUp;
  }

  @Override
  public void collectionStarting() {
    starting = true;
  }

  /**
   * A finalizer is to be called. If a collection is under way its finalizers run before it is over:
   * the model collects now.
   */
  void beforeFinalizer() {
    if (exact && starting && !ended) {
      starting = false;
      judged = true;
      if (closing) {
        shadow.finalizers.beginOperation();
      }
      catchUp.run();
      collect(null);
    }
  }

  @Override
  public void collectionFinished(CollectionEvent event) {
    if (ended) {
      return;
    }
    try {
      finished(event);
    } catch (AssertionError e) {
      note(e);
    } catch (RuntimeException e) {
      note(new AssertionError(e.toString(), e));
    }
  }

  /** Notes what is wrong, the first time. */
  void note(AssertionError e) {
    if (found == null) {
      found = e;
    }
  }

  /** Throws what was noted. */
  void rethrow() {
    if (found != null) {
      throw found;
    }
  }

  private void finished(CollectionEvent event) {
    if (event.cause() == Cause.CLOSING && !judged) { // each is an operation of its own
      shadow.finalizers.beginOperation();
    }
    catchUp.run();
    collections++;
    countInside(event);
    if (!exact) {
      observe();
      if (heap.traits().has(Capability.MINOR)) {
        checkMode(event);
      }
    } else if (event.collectionFinished()) {
      if (!judged) {
        collect(holdsNext(event) ? shadow.finalizers.nextToClose() : null);
      }
      starting = false;
      judged = false;
      compare("after a collection, cause " + event.cause());
    }
  }

  /**
   * After a full collection nothing dead is left, where no finalizer keeps it; after a minor one
   * anything may be.
   */
  private void checkMode(CollectionEvent event) {
    switch (event.mode()) {
      case MINOR -> {}
      case FULL -> {
        if (shadow.finalizers.entries().isEmpty() && !shadow.finalizers.isRunning()) {
          keep(s -> shadow.reachable(false, s), "after a full collection, cause " + event.cause());
        }
      }
      case SLICE, DROP -> throw new AssertionError("a slice of a collection that is none");
    }
  }

  /** What finalizers are refused collects ten times in an operation, if that frees little. */
  private void countInside(CollectionEvent event) {
    ShadowFinalizers f = shadow.finalizers;
    boolean refused = event.cause() == Cause.EXHAUSTED || event.cause() == Cause.EMERGENCY;
    if (f.isRunning() && !f.isClosing() && refused) {
      collectionsInside = f.operation == countedIn ? collectionsInside + 1 : 1;
      countedIn = f.operation;
      if (collectionsInside > MOST_INSIDE) {
        throw new AssertionError(collectionsInside + " collections for what finalizers allocate");
      }
    }
    if (event.reclaimedBytes() >= heap.snapshot().maxBytes() / 8) {
      collectionsInside = 0;
    }
  }

  /** Whether the frame of the finalizer that closing calls next has its element already. */
  private boolean holdsNext(CollectionEvent event) {
    ShadowFinalizers f = shadow.finalizers;
    boolean isTorture = torturesFinalizers && event.cause() == Cause.TORTURE;
    return isTorture && f.isClosing() && !f.isRunning();
  }

  /**
   * @param held an element that a frame holds, which the model does not know; or null
   */
  private void collect(@Nullable ShadowElement held) {
    Set<ShadowElement> live = shadow.reachable(true);
    if (held != null) {
      shadow.reach(live, List.of(held), true);
    }
    shadow.clearWeakValues(live);
    shadow.reach(live, shadow.finalizers.judge(live, finalizersOn), true);
    for (ShadowHeap.Weak weak : shadow.weaks.values()) {
      ShadowFinalizers.Entry entry = shadow.finalizers.find(weak.target);
      boolean queued = entry != null && entry.state == ShadowFinalizers.State.QUEUED;
      if (!weak.cleared && (queued || !live.contains(weak.target))) {
        weak.cleared = true;
        shadow.weakCleared++;
      }
    }
    noteFreed(live);
    shadow.keep(live);
  }

  private void noteFreed(Set<ShadowElement> live) {
    if (shadow.count(Kind.NATIVE) > 0) {
      shadow.calls.addInAnyOrder(
          shadow.elements.stream()
              .filter(e -> e.nativeValue != null && e.nativeValue.hasCallback())
              .filter(e -> !live.contains(e))
              .map(e -> e.asNative().label())
              .toList());
    }
  }

  /** Compares figures and weak references. */
  void compare(String when) {
    HeapStatistics s = heap.snapshot();
    shadow.learnCallbackThread(s.live(Kind.THREAD));
    for (Kind kind : Kind.values()) {
      long found = s.live(kind);
      if (found != shadow.count(kind)) {
        throw new AssertionError(
            when + ": " + found + " of " + kind + ", expected " + shadow.count(kind));
      }
    }
    for (ShadowHeap.Weak weak : shadow.weaks.values()) {
      if (weak.ref.isCleared() != weak.cleared) {
        throw new AssertionError(
            "%s: the weak reference to %s must be %s"
                .formatted(when, weak.target, weak.cleared ? "cleared" : "held"));
      }
    }
    if (s.externalBytes() != shadow.external() || s.strings() != shadow.count(Kind.STRING)) {
      throw new AssertionError(when + ": " + s);
    }
    if (s.weakCleared() != shadow.weakCleared) {
      throw new AssertionError(
          when + ": " + s.weakCleared() + " cleared, expected " + shadow.weakCleared);
    }
  }

  /** Takes note of what the collector did, and checks that it was allowed to. */
  void observe() {
    Set<ShadowElement> reachable = shadow.reachable(false);
    for (ShadowHeap.Weak weak : shadow.weaks.values()) {
      if (!weak.cleared && weak.ref.isCleared()) {
        if (reachable.contains(weak.target) && !shadow.finalizers.mayBeQueued(weak.target)) {
          throw new AssertionError("cleared, but in reach: " + weak.target);
        }
        shadow.note(weak);
      }
    }
    HeapStatistics s = heap.snapshot();
    Map<Kind, Long> least = new EnumMap<>(Kind.class);
    reachable.forEach(e -> least.merge(e.kind, 1L, Long::sum));
    least.forEach((kind, n) -> {
      if (s.live(kind) < n) {
        throw new AssertionError(s.live(kind) + " of " + kind + ", at least expected " + n);
      }
    });
    shadow.finalizers.note(reachable, () -> shadow.reachable(false, false));
  }

  /**
   * Collects until nothing is due any more; finalizers must do nothing meanwhile unless the rule is
   * exact.
   */
  void settle(Runnable collect) {
    if (exact) {
      collect.run();
      shadow.finalizers.listIsEmpty();
      compare("after an explicit collection");
      return;
    }
    long before;
    int rounds = 0;
    do {
      before = shadow.finalizers.calls;
      collect.run();
    } while (shadow.finalizers.calls != before || ++rounds < 3);
    observe();
    Set<ShadowElement> live = settled(false);
    for (ShadowHeap.Weak weak : shadow.weaks.values()) {
      if (!live.contains(weak.target) && !weak.ref.isCleared()) {
        throw new AssertionError("held, but gone: " + weak.target);
      }
    }
    keep(this::settled, "when settled");
  }

  /**
   * Nothing else is left: all figures must agree, unless the collector alone knows what weak tables
   * hold.
   *
   * @param left what is left for sure, given true, or else perhaps
   */
  private void keep(Function<Boolean, Set<ShadowElement>> left, String when) {
    int least = left.apply(true).size();
    Set<ShadowElement> most = left.apply(false);
    shadow.keep(most);
    sure = least == most.size();
    if (sure) {
      compare(when);
    }
  }

  /**
   * After an operation under a collector that counts: the counts are what they must be, and without
   * loops to find nothing is left that counting frees.
   */
  void checkCounts() {
    verify("after an operation");
    observe();
    if (heap.traits().has(Capability.CYCLES) || shadow.finalizers.isRunning()) {
      return;
    }
    keep(shadow::countedAfterOperation, "after an operation");
    for (ShadowHeap.Weak weak : shadow.weaks.values()) {
      if (weak.target.dead && !weak.cleared) {
        throw new AssertionError("held, but gone: " + weak.target);
      }
    }
  }

  /** The heap is intact. */
  void verify(String when) {
    List<String> violations = heap.inspect().verify();
    if (!violations.isEmpty()) {
      throw new AssertionError(when + ": " + violations);
    }
  }

  /** What is left when nothing is due any more. */
  private Set<ShadowElement> settled(boolean surely) {
    return heap.traits().has(Capability.CYCLES)
        ? shadow.reachable(false, surely)
        : shadow.counted(surely);
  }

  /** Collects the model alone, finalizers included, as the heap would by the exact rule. */
  void foresee() {
    shadow.finalizers.beginOperation();
    collect(null);
    foreseeFinalizers();
  }

  /** Runs the finalizers that are due on the model alone: those that do more have run before. */
  void foreseeFinalizers() {
    for (ShadowFinalizers.Entry next = shadow.finalizers.nextQueued();
        next != null;
        next = shadow.finalizers.nextQueued()) {
      shadow.finalizers.begin(next);
      shadow.calls.add(next.body.label);
      if (next.body.kind == FinalizerBody.Kind.RESCUE) {
        shadow.foreseeGlobal(next.body.global, next.element);
      }
      shadow.finalizers.end();
    }
  }

  /** Settles the model alone; answers after how many collections the heap has settled as well. */
  int foreseeSettled() {
    Set<ShadowElement> live = settled(true);
    List<ShadowFinalizers.Entry> due =
        shadow.finalizers.entries().stream()
            .filter(e -> finalizersOn && !live.contains(e.element))
            .filter(e -> e.state != ShadowFinalizers.State.FINALIZED)
            .toList();
    due.forEach(e -> shadow.calls.add(e.body.label));
    shadow.weaks.values().forEach(w -> w.cleared |= !live.contains(w.target));
    shadow.elements.stream()
        .map(e -> e.nativeValue)
        .filter(v -> v != null && v.hasCallback() && !v.freed)
        .filter(v -> v.element != null && !live.contains(v.element))
        .forEach(v -> shadow.calls.add(v.label()));
    shadow.keep(live);
    return 3 + due.size();
  }

  /** Closes the model alone: what the finalizers and callbacks of a heap that closes log. */
  String foreseeClose() {
    CallLog log = new CallLog(true);
    foresee();
    foresee();
    collect(null);
    log.addInAnyOrder(
        shadow.finalizers.entries().stream()
            .filter(e -> finalizersOn && e.state != ShadowFinalizers.State.FINALIZED)
            .map(e -> e.body.label + "!")
            .toList());
    log.addInAnyOrder(
        shadow.elements.stream()
            .map(e -> e.nativeValue)
            .filter(v -> v != null && v.hasCallback())
            .map(v -> v.label() + "!")
            .toList());
    return log.inOrder();
  }
}
