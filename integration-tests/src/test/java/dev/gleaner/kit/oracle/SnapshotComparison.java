package dev.gleaner.kit.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.it.DumpedHeap;
import dev.gleaner.it.DumpedHeap.Item;
import dev.gleaner.lab.hprof.HprofRoot;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Weakness;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Walks a snapshot and the model of its heap in step, from the frames, the globals and the finalize
 * list: every value is there, every element once, and all of its kind.
 */
final class SnapshotComparison {
  private final DumpedHeap dump;
  private final ShadowHeap shadow;
  private final Map<ShadowElement, Long> ids = new HashMap<>();
  private final Map<Long, ShadowElement> elements = new HashMap<>();
  private final ArrayDeque<ShadowElement> queue = new ArrayDeque<>();

  SnapshotComparison(DumpedHeap dump, ShadowHeap shadow) {
    this.dump = dump;
    this.shadow = shadow;
  }

  void run(HeapStatistics statistics) {
    counts(statistics);
    meet(dump.roots(HprofRoot.THREAD).getFirst(), shadow.current);
    assertThat(dump.roots(HprofRoot.THREAD)).contains(threadNamed("main"));
    meet(threadNamed("main"), shadow.main);
    frameRoots();
    globals();
    while (!queue.isEmpty()) {
      contents(queue.remove());
    }
  }

  int met() {
    return ids.size();
  }

  private long threadNamed(String name) {
    for (long id : dump.roots(HprofRoot.THREAD)) {
      if (dump.text(dump.item(id).reference("name")).equals(name)) {
        return id;
      }
    }
    throw new AssertionError("no thread " + name);
  }

  private void counts(HeapStatistics s) {
    long sorted = 0;
    for (Item item : dump.items()) {
      sorted += item.className().startsWith("kit.sort") ? 1 : 0;
    }
    assertThat(
            sorted
                + dump.count("gleaner.Record")
                + dump.count("[Lgleaner.Record;")
                + dump.count("gleaner.Object")
                + dump.count("gleaner.Function")
                + dump.count("gleaner.Native")
                + dump.count("gleaner.Thread"))
        .isEqualTo(
            s.live(Kind.RECORD)
                + s.live(Kind.OBJECT)
                + s.live(Kind.FUNCTION)
                + s.live(Kind.NATIVE)
                + s.live(Kind.THREAD));
    assertThat(dump.count("java.lang.Long")).isEqualTo(s.live(Kind.INTEGER));
    assertThat(dump.count("gleaner.DynamicBuffer")).isEqualTo(s.live(Kind.DYNAMIC_BUFFER));
    long own = dump.roots(HprofRoot.THREAD).size() + dump.count("gleaner.Finalizer");
    assertThat(dump.count("java.lang.String")).isEqualTo(s.live(Kind.STRING) + own);
    long blocks = 0;
    for (Item item : dump.items()) {
      blocks +=
          item.className().equals("gleaner.DynamicBuffer") && item.reference("bytes") != 0 ? 1 : 0;
    }
    assertThat(dump.count("byte[]"))
        .isEqualTo(dump.count("java.lang.String") + s.live(Kind.BUFFER) + blocks);
  }

  /** The current thread's roots come first; its frames' slots from the innermost on. */
  private void frameRoots() {
    List<ShadowElement> held = new ArrayList<>();
    for (ShadowThread.Frame frame : shadow.current.asThread().frames.reversed()) {
      for (Object value : frame.slots) {
        ShadowElement.visit(value, held::add);
      }
    }
    List<Long> roots = dump.roots(HprofRoot.JAVA_FRAME);
    assertThat(roots).hasSizeGreaterThanOrEqualTo(held.size());
    for (int i = 0; i < held.size(); i++) {
      meet(roots.get(i), held.get(i));
    }
  }

  private void globals() {
    List<ShadowElement> held = new ArrayList<>();
    shadow.globals.values().forEach(g -> ShadowElement.visit(g.value, held::add));
    List<Long> roots = dump.roots(HprofRoot.JNI_GLOBAL);
    for (ShadowElement e : held) {
      Long id = ids.get(e);
      assertThat(id == null || roots.contains(id)).as("%s is a global", e).isTrue();
    }
  }

  private void meet(long id, ShadowElement e) {
    Long known = ids.putIfAbsent(e, id);
    ShadowElement other = elements.putIfAbsent(id, e);
    if (known == null) {
      assertThat(other).as("%x", id).isNull();
      queue.add(e);
    } else {
      assertThat(id).as("%s", e).isEqualTo(known);
    }
  }

  private void check(Object found, Object expected, String where) {
    switch (expected) {
      case ShadowElement e -> meet((Long) found, e);
      case Special s -> {
        String type = found.equals(0L) ? "" : dump.item((Long) found).className();
        assertThat(type).as(where).isEqualTo(s == Special.NULL ? "gleaner.Null" : "");
      }
      case Boolean b -> assertThat(dump.item((Long) found).value("value")).as(where).isEqualTo(b);
      case IdentityHash h -> assertThat(number(found)).as(where).isEqualTo(h.value());
      case Integer i -> assertThat(number(found)).as(where).isEqualTo(i);
      case Double d -> assertThat(number(found)).as(where).isEqualTo(d);
      default -> throw new AssertionError(expected);
    }
  }

  /** A number, or what is in its box. */
  private Object number(Object found) {
    return found instanceof Long box ? dump.item(box).value("value") : found;
  }

  private void contents(ShadowElement e) {
    Item item = dump.item(Objects.requireNonNull(ids.get(e)));
    switch (e.kind) {
      case STRING -> assertThat(dump.characters(item.id())).isEqualTo(e.text.toCharArray());
      case RECORD -> slots(item, item.references(), e);
      case OBJECT -> object(item, e);
      case BUFFER -> assertThat(item.bytes()).isEqualTo(e.bytes);
      case DYNAMIC_BUFFER -> {
        long bytes = item.reference("bytes");
        assertThat(bytes == 0 ? new byte[0] : dump.item(bytes).bytes()).isEqualTo(e.bytes);
      }
      case FUNCTION -> function(item, e);
      case NATIVE -> assertThat(item.className()).endsWith("_" + NativeValue.class.getName());
      case THREAD -> thread(item, e);
      case INTEGER -> assertThat(item.value("value")).isEqualTo(e.integer);
    }
  }

  private void slots(
      Item item, @org.jspecify.annotations.Nullable List<Long> array, ShadowElement e) {
    if (array != null) {
      assertThat(array).as("%s", e).hasSize(e.slots.length);
    } else {
      long typed = item.fields().keySet().stream().filter(f -> f.startsWith("slot")).count();
      assertThat(typed).as("%s", e).isEqualTo(e.slots.length);
    }
    for (int i = 0; i < e.slots.length; i++) {
      check(array == null ? item.value("slot" + i) : array.get(i), e.slots[i], e + "[" + i + "]");
    }
  }

  private void object(Item item, ShadowElement e) {
    boolean untyped = item.className().endsWith("_n");
    slots(item, untyped ? dump.item(item.reference("slots")).references() : null, e);
    check(item.value("prototype"), e.prototype, e + ".prototype");
    long properties = item.reference("properties");
    List<Long> entries = properties == 0 ? List.of() : references(properties);
    List<Long> used = properties(entries, true);
    int entriesThere = e.properties.size() - e.indexes.array.size();
    if (e.weakness != Weakness.NONE && used.size() < entriesThere) {
      return; // which ones are gone the collector alone knows
    }
    assertThat(used).as("%s", e).hasSize(entriesThere);
    List<Object> kept = new ArrayList<>();
    e.walks.forEachKept(false, kept::add);
    assertThat(properties(entries, false)).as("keys kept by %s", e).hasSize(kept.size());
    int i = 0;
    for (Map.Entry<Object, Object> property : e.inOrder()) {
      if (property.getKey() instanceof Integer index && e.indexes.array.contains(index)) {
        continue;
      }
      Item found = dump.item(used.get(i++));
      Object key = property.getKey();
      check(held(found.value("key"), e.holdsKey(key)), e.walks.answer(key), "key of " + e);
      Object value = property.getValue();
      check(held(found.value("value"), e.holdsValue(value)), value, e + "." + key);
    }
    long elementsId = item.reference("elements");
    List<Long> array = elementsId == 0 ? List.of() : references(elementsId);
    for (int k = 0; k < array.size(); k++) {
      if (e.indexes.array.contains(k)) {
        check(array.get(k), Objects.requireNonNull(e.properties.get(k)), e + "[" + k + "]");
      } else {
        assertThat(array.get(k)).as("%s[%s]", e, k).isZero();
      }
    }
    assertThat(e.indexes.array.isEmpty() || e.indexes.array.last() < array.size()).isTrue();
  }

  /** What is not held is behind a weak reference. */
  private Object held(Object found, boolean isHeld) {
    if (isHeld) {
      return found;
    }
    assertThat(dump.item((Long) found).className()).isEqualTo("java.lang.ref.WeakReference");
    return dump.item((Long) found).reference("referent");
  }

  /** Properties, or deleted ones, which have no key but one as their value. */
  private List<Long> properties(List<Long> entries, boolean withKey) {
    return entries.stream()
        .filter(id -> id != 0 && (dump.item(id).reference("key") != 0) == withKey)
        .toList();
  }

  private List<Long> references(long id) {
    return Objects.requireNonNull(dump.item(id).references());
  }

  private void function(Item item, ShadowElement e) {
    List<Long> all = new ArrayList<>();
    for (String part : List.of("constants", "inner")) {
      if (item.reference(part) != 0) {
        all.addAll(references(item.reference(part)));
      }
    }
    assertThat(all).hasSize(e.slots.length);
    for (int i = 0; i < all.size(); i++) {
      check(all.get(i), e.slots[i], e + "(" + i + ")");
    }
  }

  private void thread(Item item, ShadowElement e) {
    ShadowThread thread = e.asThread();
    check(item.value("resumer"), thread.resumer == null ? Special.NULL : thread.resumer, "resumer");
    List<Long> stack = references(item.reference("stack"));
    int at = 1;
    List<ShadowElement> functions = new ArrayList<>();
    for (ShadowThread.Frame frame : thread.frames) {
      for (Object value : frame.slots) {
        check(stack.get(at++), value, "the stack of " + e);
      }
      at++; // the link
      frame.calls.forEach(call ->
          ShadowElement.visit(
              call.function() == null ? Special.NULL : call.function(), functions::add));
    }
    assertThat(stack).hasSize(at - 1);
    long calls = item.reference("calls");
    List<Long> held =
        calls == 0 ? List.of() : references(calls).stream().filter(id -> id != 0).toList();
    assertThat(held).hasSize(functions.size());
    for (int i = 0; i < held.size(); i++) {
      meet(held.get(i), functions.get(i));
    }
  }
}
