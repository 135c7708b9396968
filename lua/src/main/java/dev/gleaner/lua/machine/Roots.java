package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The roots of a machine, except for the strings of chunks and the values that the host holds. Each
 * has a name, by which an image saves its value.
 */
final class Roots {
  private final Heap heap;
  private final List<String> names = new ArrayList<>();
  private final List<GlobalRef> refs = new ArrayList<>();

  /** The roots of the image that nobody has asked for yet. */
  private final Map<String, GlobalRef> restored;

  /** Begins with the roots of an image; with none if the heap is new. */
  Roots(Heap heap, Map<String, GlobalRef> restored) {
    this.heap = heap;
    this.restored = restored;
  }

  /** Makes a root. The value is that of the image, or else undefined. */
  GlobalRef make(String name) {
    GlobalRef known = restored(name);
    return known == null ? add(name, heap.newGlobal()) : known;
  }

  /** Returns a root that the image has; null if it has none of that name. */
  @Nullable GlobalRef restored(String name) {
    GlobalRef known = restored.isEmpty() ? null : restored.remove(name);
    return known == null ? null : add(name, known);
  }

  private GlobalRef add(String name, GlobalRef ref) {
    names.add(name);
    refs.add(ref);
    return ref;
  }

  void close(GlobalRef ref) {
    int i = refs.indexOf(ref);
    refs.remove(i);
    names.remove(i);
    ref.close();
  }

  /** Closes the roots of the image that nobody has asked for. */
  void endRestoring() {
    restored.values().forEach(GlobalRef::close);
    restored.clear();
  }

  List<GlobalRef> all() {
    return refs;
  }

  Map<String, GlobalRef> named() {
    Map<String, GlobalRef> named = new HashMap<>();
    for (int i = 0; i < refs.size(); i++) {
      named.put(names.get(i), refs.get(i));
    }
    return named;
  }
}
