package dev.gleaner.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.table.PropertyTables;
import dev.gleaner.testing.Contexts;
import dev.gleaner.testing.Region;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who holds an element, and by which of the words that hold references. */
@Tag("D7")
class InspectorTest {
  private static final long NOWHERE = -8;

  private final Region region = new Region(1 << 20);
  private final List<Long> roots = new ArrayList<>();
  private final HeapParts context = Contexts.of(region, roots, true);

  /** What is looked for: a buffer, so that no other kind of element is it. */
  private final long wanted = region.element(Layout.BUFFER, 2);

  @AfterEach
  void close() {
    region.close();
  }

  private List<String> path(long element, long except) {
    return new Inspector(context).path(element, except);
  }

  private void assertPath(String... steps) {
    List<Long> before = List.copyOf(roots);
    assertThat(path(wanted, NOWHERE)).containsExactly(steps);
    assertThat(roots).as("looking changes nothing").isEqualTo(before);
  }

  private long root(long element) {
    roots.add(Values.NULL);
    roots.add(element);
    return element;
  }

  private void refer(long place, long to) {
    region.memory.put(place, to);
  }

  private long text(String s) {
    byte[] bytes = s.getBytes(StandardCharsets.UTF_8);
    long e = region.element(Layout.STRING, 1 + (bytes.length + 7) / 8);
    region.memory.put(e + Layout.STRING_WORD, bytes.length);
    region.memory.write(e + Layout.STRING_BYTES, bytes, 0, bytes.length);
    return e;
  }

  private long property(long object, long key, long value) {
    assertThat(context.tables().makeRoom(object, key)).isTrue();
    long place = -context.tables().placeForPut(object, key);
    region.memory.put(place, value);
    return place;
  }

  private long thread() {
    long t = region.element(Layout.THREAD, ThreadLayout.PAYLOAD_WORDS);
    context.stacks().init(t, context.stacks().allocate());
    return t;
  }

  @Test
  void whatNobodyHoldsHasNoPath() {
    long other = root(region.element(Layout.RECORD, 1));
    refer(other + 8, other);
    assertPath();
  }

  @Test
  void aRoot() {
    root(wanted);
    assertPath("root: buffer");
  }

  @Test
  void aBuiltIn() {
    long e = context.builtins().allocate(3);
    region.memory.put(e, Layout.header(Layout.RECORD, 2));
    refer(e + 16, wanted);
    assertPath("root: record of 2", "[1]: buffer");
  }

  @Test
  void aRecordsSlot() {
    long r = root(region.element(Layout.RECORD, 4));
    refer(r + 8 + 3 * 8, wanted);
    assertPath("root: record of 4", "[3]: buffer");
  }

  @Test
  void aFunctionsSlot() {
    long f = root(region.element(Layout.FUNCTION, 4));
    refer(f + 8 + 3 * 8, wanted);
    assertPath("root: function", "(2): buffer");
  }

  @Test
  void anObjectsPrototype() {
    long o = root(region.object());
    refer(o + Layout.OBJECT_PROTOTYPE, wanted);
    assertPath("root: object", "prototype: buffer");
  }

  @Test
  void anObjectsOwnSlots() {
    for (int slot = 0; slot < 3; slot++) {
      roots.clear();
      long o = root(region.element(Layout.OBJECT, Layout.OBJECT_SLOTS + 3));
      region.memory.put(o + Layout.OBJECT_TABLE, Values.ofRaw(0));
      refer(o + 8 + 8L * (Layout.OBJECT_SLOTS + slot), wanted);
      assertPath("root: object", "[" + slot + "]: buffer");
    }
  }

  @Test
  void anObjectsProperties() {
    long o = root(region.object());
    long _ = property(o, text("first"), Values.TRUE);
    long place = property(o, text("second"), wanted);
    assertPath("root: object", ".second: buffer");
    refer(place, Values.NULL);
    refer(
        context.tables().place(o, context.tables().key(o, PropertyTables.ENTRY_POSITIONS)), wanted);
    assertPath("root: object", ".first: buffer");
  }

  @Test
  void anObjectsKeys() {
    long o = root(region.object());
    long _ = property(o, text("first"), Values.TRUE);
    long last = text("last");
    long _ = property(o, last, Values.TRUE);
    context.tables().compact(o);
    assertThat(path(last, NOWHERE)).containsExactly("root: object", "key: string \"last\"");
  }

  @Test
  void anObjectsArrayPart() {
    long o = root(region.object());
    long _ = property(o, text("key"), Values.TRUE);
    assertThat(context.tables().reserve(o, 0, 5)).isTrue();
    for (int index : new int[] {0, 4}) {
      refer(context.tables().arrayPlace(o, index), wanted);
      assertPath("root: object", "[" + index + "]: buffer");
      refer(context.tables().arrayPlace(o, index), Values.NULL);
    }
  }

  @Test
  void aThreadsStackAndWhoResumedIt() {
    long t = root(thread());
    long stack = Values.raw(region.memory.get(t + ThreadLayout.STACK));
    refer(stack + 16, wanted);
    assertPath();
    region.memory.put(t + ThreadLayout.TOP, Values.ofRaw(3));
    assertPath("root: thread", "on its stack: buffer");
    region.memory.put(t + ThreadLayout.TOP, Values.ofRaw(1));
    refer(t + ThreadLayout.RESUMER, wanted);
    assertPath("root: thread", "resumer: buffer");
  }

  @Test
  void aStackThatLiesBelowItsThread() {
    long stack = context.stacks().allocate();
    long t = root(region.element(Layout.THREAD, ThreadLayout.PAYLOAD_WORDS));
    assertThat(stack).isLessThan(t);
    context.stacks().init(t, stack);
    region.memory.put(t + ThreadLayout.TOP, Values.ofRaw(3));
    refer(stack + 16, wanted);
    assertPath("root: thread", "on its stack: buffer");
  }

  @Test
  void theShortestOfSeveralPaths() {
    long far = root(region.element(Layout.RECORD, 1));
    long middle = region.element(Layout.RECORD, 1);
    refer(far + 8, middle);
    long[] chain = {region.element(Layout.RECORD, 1), region.element(Layout.RECORD, 1)};
    refer(middle + 8, chain[0]);
    refer(chain[0] + 8, chain[1]);
    refer(chain[1] + 8, wanted);
    long near = root(region.element(Layout.RECORD, 2));
    refer(near + 16, middle);
    long direct = region.element(Layout.RECORD, 3);
    refer(near + 8, direct);
    refer(direct + 24, wanted);
    assertPath("root: record of 2", "[0]: record of 3", "[2]: buffer");
  }

  @Test
  void thePlaceThatAsksDoesNotCount() {
    long r = root(region.element(Layout.RECORD, 2));
    refer(r + 8, wanted);
    assertThat(path(wanted, r + 8)).isEmpty();
    refer(r + 16, wanted);
    assertThat(path(wanted, r + 8)).containsExactly("root: record of 2", "[1]: buffer");
  }

  @Test
  void everyKindIsToldByItsName() {
    assertThat(path(root(region.element(Layout.DYNAMIC_BUFFER, 2)), NOWHERE))
        .containsExactly("root: dynamic buffer");
    assertThat(path(root(region.element(Layout.NATIVE, 1)), NOWHERE))
        .containsExactly("root: native");
    assertThat(path(root(text("text")), NOWHERE)).containsExactly("root: string \"text\"");
  }

  @Test
  void ofALongStringItsBeginningIsTold() {
    assertThat(path(root(text("x".repeat(100))), NOWHERE))
        .containsExactly("root: string \"" + "x".repeat(40) + "\"");
  }
}
