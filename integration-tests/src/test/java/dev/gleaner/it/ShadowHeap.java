package dev.gleaner.it;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Kind;
import dev.gleaner.heap.WeakRef;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A plain Java model of a heap: its elements, its roots, and what can be reached from them. */
final class ShadowHeap {
  /** A global root. */
  static final class Global {
    final GlobalRef ref;
    Object value = Special.UNDEFINED;

    Global(GlobalRef ref) {
      this.ref = ref;
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

  final ShadowElement main;
  ShadowElement current;
  @Nullable ShadowElement finalizerThread;
  final List<Global> globals = new ArrayList<>();
  final List<Weak> weaks = new ArrayList<>();
  final ShadowFinalizers finalizers = new ShadowFinalizers();
  final Map<String, ShadowElement> strings = new HashMap<>();

  /** All that is allocated and not known to be freed. */
  final Set<ShadowElement> elements = new LinkedHashSet<>();

  long externalBytes;
  long weakCleared;
  private int made;

  ShadowHeap() {
    main = newThread();
    main.asThread().running = true;
    current = main;
  }

  ShadowElement newElement(Kind kind, int slots) {
    ShadowElement e = new ShadowElement(made++, kind, slots);
    elements.add(e);
    return e;
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
          return e;
        });
  }

  ShadowThread thread() {
    return current.asThread();
  }

  ShadowThread.Frame frame() {
    return thread().top();
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

  /** What the roots reach. */
  Set<ShadowElement> reachable(boolean withFinalizeList) {
    List<ShadowElement> roots = new ArrayList<>(List.of(main, current));
    if (finalizerThread != null) {
      roots.add(finalizerThread);
    }
    globals.forEach(g -> ShadowElement.visit(g.value, roots::add));
    if (withFinalizeList) {
      roots.addAll(finalizers.queue());
    }
    Set<ShadowElement> found = new HashSet<>();
    reach(found, roots);
    return found;
  }

  /** What is in reach, or can be again: by a weak reference, or inside a finalizer. */
  Set<ShadowElement> obtainable() {
    Set<ShadowElement> found = reachable(true);
    weaks.stream().filter(w -> !w.ref.isCleared()).forEach(w -> reach(found, List.of(w.target)));
    finalizers.entries().stream()
        .filter(e -> e.state != ShadowFinalizers.State.FINALIZED)
        .forEach(e -> reach(found, List.of(e.element)));
    return found;
  }

  /** Adds what these reach. */
  static void reach(Set<ShadowElement> found, Collection<ShadowElement> from) {
    ArrayDeque<ShadowElement> grey = new ArrayDeque<>();
    for (ShadowElement e : from) {
      if (found.add(e)) {
        grey.add(e);
      }
    }
    while (!grey.isEmpty()) {
      grey.remove()
          .forEachReference(e -> {
            if (found.add(e)) {
              grey.add(e);
            }
          });
    }
  }

  /**
   * What counting alone leaves: everything but what is held by no root and by no other element that
   * is left.
   */
  Set<ShadowElement> counted() {
    Set<ShadowElement> reachable = reachable(false);
    Map<ShadowElement, Integer> counts = new HashMap<>();
    elements.forEach(e -> e.forEachReference(to -> counts.merge(to, 1, Integer::sum)));
    ArrayDeque<ShadowElement> zero = new ArrayDeque<>();
    Set<ShadowElement> left = new HashSet<>(elements);
    for (ShadowElement e : elements) {
      if (!reachable.contains(e) && !counts.containsKey(e)) {
        zero.add(e);
      }
    }
    while (!zero.isEmpty()) {
      ShadowElement e = zero.remove();
      left.remove(e);
      e.forEachReference(to -> {
        if (counts.merge(to, -1, Integer::sum) == 0 && !reachable.contains(to)) {
          zero.add(to);
        }
      });
    }
    return left;
  }

  /** Everything but these is freed. */
  void keep(Set<ShadowElement> live) {
    for (ShadowElement e : List.copyOf(elements)) {
      if (!live.contains(e)) {
        free(e);
      }
    }
  }

  private void free(ShadowElement e) {
    e.dead = true;
    elements.remove(e);
    finalizers.remove(e);
    if (e.kind == Kind.STRING) {
      strings.remove(e.text);
    }
  }

  long count(Kind kind) {
    return elements.stream().filter(e -> e.kind == kind).count();
  }
}
