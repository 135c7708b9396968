package dev.gleaner.it;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.heap.Kind;
import dev.gleaner.spi.Capability;
import java.util.Set;

/**
 * Collects the model when the heap was collected, whatever the cause, and compares.
 *
 * <p>With an exact rule, which collection frees, clears and finalizes what is known: stop-the-world
 * marking with Duktape's finalizers. Then all figures must agree after every single collection.
 * Without one, a collection may leave garbage; it is then only checked that nothing in reach is
 * touched, and {@link #settled} compares when nothing is due any more.
 */
final class ShadowCollector implements HeapListener {
  private final Heap heap;
  private final ShadowHeap shadow;
  private final boolean exact;
  private final boolean finalizersOn;
  private final Runnable catchUp;

  /**
   * @param catchUp brings the model to where the heap is inside the operation that collects
   */
  ShadowCollector(
      Heap heap, ShadowHeap shadow, boolean exact, boolean finalizersOn, Runnable catchUp) {
    this.heap = heap;
    this.shadow = shadow;
    this.exact = exact;
    this.finalizersOn = finalizersOn;
    this.catchUp = catchUp;
  }

  @Override
  public void collectionFinished(CollectionEvent event) {
    catchUp.run();
    if (!exact) {
      observe();
    } else if (event.collectionFinished()) {
      collect(event);
    }
  }

  private void collect(CollectionEvent event) {
    Set<ShadowElement> live = shadow.reachable(true);
    ShadowHeap.reach(live, shadow.finalizers.judge(live, finalizersOn));
    for (ShadowHeap.Weak weak : shadow.weaks) {
      ShadowFinalizers.Entry entry = shadow.finalizers.find(weak.target);
      boolean queued = entry != null && entry.state == ShadowFinalizers.State.QUEUED;
      if (!weak.cleared && (queued || !live.contains(weak.target))) {
        weak.cleared = true;
        shadow.weakCleared++;
      }
    }
    shadow.keep(live);
    compare("after a collection, cause " + event.cause());
  }

  /** Compares figures and weak references. */
  void compare(String when) {
    HeapStatistics s = heap.snapshot();
    for (Kind kind : Kind.values()) {
      long found = s.live(kind);
      if (found != shadow.count(kind)) {
        throw new AssertionError(
            when + ": " + found + " of " + kind + ", expected " + shadow.count(kind));
      }
    }
    for (ShadowHeap.Weak weak : shadow.weaks) {
      if (weak.ref.isCleared() != weak.cleared) {
        throw new AssertionError(
            when
                + ": the weak reference to "
                + weak.target
                + " must be "
                + (weak.cleared ? "cleared" : "held"));
      }
    }
    if (s.externalBytes() != shadow.externalBytes || s.strings() != shadow.count(Kind.STRING)) {
      throw new AssertionError(when + ": " + s);
    }
    if (exact && s.weakCleared() != shadow.weakCleared) {
      throw new AssertionError(
          when + ": " + s.weakCleared() + " cleared, expected " + shadow.weakCleared);
    }
  }

  /** Takes note of what the collector did, and checks that it was allowed to. */
  void observe() {
    Set<ShadowElement> reachable = shadow.reachable(false);
    for (ShadowHeap.Weak weak : shadow.weaks) {
      if (!weak.cleared && weak.ref.isCleared()) {
        if (reachable.contains(weak.target)) {
          throw new AssertionError("cleared, but in reach: " + weak.target);
        }
        weak.cleared = true;
      }
    }
    HeapStatistics s = heap.snapshot();
    for (Kind kind : Kind.values()) {
      long least = reachable.stream().filter(e -> e.kind == kind).count();
      if (s.live(kind) < least) {
        throw new AssertionError(s.live(kind) + " of " + kind + ", at least expected " + least);
      }
    }
    shadow.finalizers.note(reachable);
  }

  /** Collects until nothing is due any more; finalizers must do nothing meanwhile. */
  void settle() {
    if (exact) {
      heap.collect();
      shadow.finalizers.listIsEmpty();
      compare("after an explicit collection");
      return;
    }
    long before;
    int rounds = 0;
    do {
      before = shadow.finalizers.calls;
      heap.collect();
    } while (shadow.finalizers.calls != before || ++rounds < 3);
    settled();
  }

  private void settled() {
    observe();
    boolean cycles = heap.traits().has(Capability.CYCLES);
    Set<ShadowElement> live = cycles ? shadow.reachable(false) : shadow.counted();
    for (ShadowHeap.Weak weak : shadow.weaks) {
      if (!live.contains(weak.target) && !weak.ref.isCleared()) {
        throw new AssertionError("held, but gone: " + weak.target);
      }
    }
    shadow.keep(live);
    compare("when settled");
  }
}
