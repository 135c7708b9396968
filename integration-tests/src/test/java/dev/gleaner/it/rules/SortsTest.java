package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.it.DumpedHeap;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Weakness;
import dev.gleaner.refusal.HeapUsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a snapshot says of sorts of elements, and of weak tables. */
class SortsTest extends AllCollectors {
  private final Heap heap = open("voluntary.enabled = false");
  private final Mutator t = heap.mutator();

  @TempDir private Path folder;

  SortsTest(String collector) {
    super(collector);
  }

  private DumpedHeap dump() {
    return DumpedHeap.of(heap, folder.resolve("heap.hprof"));
  }

  private List<String> classNames() {
    List<String> names = new ArrayList<>();
    dump().items().forEach(item -> names.add(item.className()));
    return names;
  }

  @Test
  @Tag("L14")
  void aSnapshotHasAClassForEachSort() {
    t.enter(8);
    t.newObject(0);
    t.newObject(1, 1);
    t.newRecord(2, 2);
    t.newFunction(3, 0, 0);
    t.newFunction(4, 0, 0);
    t.newThread(5);
    t.newNative(6, "an object", null);
    String[] names = {"table", "table", "upvalue", "closure", "closure", "coroutine", "userdata"};
    for (int s = 0; s < names.length; s++) {
      t.setSort(s, heap.sort("lua." + names[s]));
    }
    t.setFunctionCode(3, 1);
    t.setFunctionCode(4, 2);
    heap.inspect().setFunctionNames(code -> code == 1 ? "main.lua:12" : null);
    heap.collect();
    assertThat(classNames())
        .contains(
            "lua.table",
            "lua.table_r",
            "lua.upvalue",
            "lua.closure main.lua:12",
            "lua.closure",
            "lua.coroutine",
            "lua.userdata_java.lang.String")
        .doesNotContain("gleaner.Object", "gleaner.Function");
  }

  @Test
  @Tag("L14")
  void aKindCanHaveOne() {
    t.enter(4);
    t.newObject(0);
    t.newFunction(1, 0, 0);
    t.newObject(2);
    heap.inspect().nameKind(Kind.OBJECT, "lua.table");
    heap.inspect().nameKind(Kind.FUNCTION, "lua.closure");
    t.setSort(2, heap.sort("lua.other"));
    assertThat(t.sort(0)).isZero();
    heap.collect();
    assertThat(classNames())
        .contains("lua.table", "lua.closure", "lua.other")
        .doesNotContain("gleaner.Object", "gleaner.Function");
    assertThatThrownBy(() -> heap.inspect().nameKind(Kind.STRING, "lua.string"))
        .isInstanceOf(HeapUsageException.class)
        .hasMessage("STRING: elements of that kind have no sort");
  }

  /** The host's code is asked when a snapshot is written, and only then. */
  @Test
  @Tag("L14")
  void whatTheNamesThrowGoesThrough() {
    t.enter(2);
    t.newFunction(0, 0, 0);
    List<Integer> asked = new ArrayList<>();
    heap.inspect()
        .setFunctionNames(code -> {
          asked.add(code);
          throw new IllegalStateException("on purpose");
        });
    t.setFunctionCode(0, 5);
    heap.collect();
    assertThat(asked).isEmpty();
    assertThatThrownBy(this::dump).isInstanceOf(IllegalStateException.class);
    assertThat(asked).containsExactly(5);
    heap.inspect().setFunctionNames(null);
    assertThat(classNames()).contains("gleaner.Function");
    assertThat(heap.inspect().verify()).isEmpty();
  }

  @Test
  @Tag("L4")
  void aSnapshotHasWeakReferencesForWhatAWeakTableDoesNotHold() {
    t.enter(6);
    for (int weakness = Weakness.NONE; weakness <= Weakness.BOTH; weakness++) {
      t.newObject(0);
      t.newRecord(1, 1);
      t.newRecord(2, 2);
      t.newString(3, "text");
      t.putProperty(0, 1, 2);
      t.putProperty(0, 3, 3);
      t.setWeakness(0, weakness);
      assertThat(classNames().stream().filter("java.lang.ref.WeakReference"::equals))
          .hasSize(Integer.bitCount(weakness));
      t.wipe(0);
      heap.collect();
    }
  }
}
