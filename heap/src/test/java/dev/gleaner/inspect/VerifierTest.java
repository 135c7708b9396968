package dev.gleaner.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.TableLayout;
import dev.gleaner.layout.ThreadLayout;
import dev.gleaner.layout.Values;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.testing.Contexts;
import dev.gleaner.testing.Listed;
import dev.gleaner.testing.Region;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Everything that the verifier must find, broken by hand. */
@Tag("D27")
@Tag("D28")
class VerifierTest {
  private final Region region = new Region(1 << 20);
  private final List<Long> roots = new ArrayList<>();
  private final Listed collector = new Listed();
  private final HeapParts context = Contexts.of(region, roots, true);
  private long record;
  private long object;
  private long string;
  private long thread;

  private long enter(long element) {
    collector.elements.add(element);
    collector.byKind[Layout.kind(region.memory.get(element))]++;
    return element;
  }

  @BeforeEach
  void aSoundHeap() {
    record = enter(region.element(Layout.RECORD, 3));
    string = enter(region.string(77, 0x6c6c_6c6c_6c6c_6c6cL));
    assertThat(context.strings().makeRoom()).isTrue();
    context.strings().insert(string, 77);
    object = enter(region.object());
    assertThat(context.tables().reserve(object, 0, 2)).isTrue();
    assertThat(context.tables().makeRoom(object, string)).isTrue();
    region.memory.put(-context.tables().placeForPut(object, string), record);
    thread = enter(region.element(Layout.THREAD, ThreadLayout.PAYLOAD_WORDS));
    context.stacks().init(thread, context.stacks().allocate());
    region.memory.put(record + 8, object);
    region.memory.put(record + 16, Values.ofInt(7));
    roots.add(thread);
    roots.add(Values.NULL);
    context.finalizers().set(record, "f", new Object());
    int _ = context.weak().add(string);
    assertThat(violations()).isEmpty();
    assertThat(roots).as("looking changes nothing").containsExactly(thread, Values.NULL);
  }

  @AfterEach
  void close() {
    region.close();
  }

  private List<String> violations() {
    return new Verifier(context, collector).run();
  }

  private void assertFound(String... parts) {
    assertThat(violations()).anySatisfy(v -> assertThat(v).contains(parts));
  }

  private long dead() {
    return region.element(Layout.RECORD, 1);
  }

  @Test
  void whatIsFullToTheBrimIsSound() {
    context.tables().compact(object);
    region.memory.put(thread + ThreadLayout.SIZE, Values.ofRaw(15));
    region.memory.put(thread + ThreadLayout.TOP, Values.ofRaw(16));
    assertThat(region.budget.charge(region.budget.remaining())).isTrue();
    assertThat(violations()).isEmpty();
    long key = record; // any that it does not have
    assertThat(context.tables().placeForPut(object, key)).as("no room in the table").isZero();
  }

  @Test
  void aHeapWithoutElementsIsSound() {
    try (Region empty = new Region(1 << 20)) {
      HeapParts none = Contexts.of(empty, new ArrayList<>(), true);
      assertThat(new Verifier(none, new Listed()).run()).isEmpty();
    }
  }

  @Test
  void aReferenceToWhatIsNoElement() {
    long dead = dead();
    region.memory.put(record + 24, dead);
    assertFound("RECORD " + record + ", slot 2: refers to " + dead + ", which is no element");
  }

  @Test
  void aReferenceInsideAnElement() {
    region.memory.put(record + 24, object + 8);
    assertFound("RECORD " + record, "" + (object + 8));
  }

  private void assertPlace(long element, String name, long place) {
    long dead = dead();
    long before = region.memory.get(place);
    region.memory.put(place, dead);
    assertThat(violations())
        .anySatisfy(v ->
            assertThat(v)
                .contains(element + ", " + name + ": refers to " + dead + ", which is no element"));
    region.memory.put(place, before);
    assertThat(violations()).isEmpty();
  }

  @Test
  void aReferenceInAPropertyTable() {
    long value = context.tables().place(object, string);
    assertPlace(object, "property \"llllllll\"", value);
    assertPlace(object, "key of entry 0", value - TableLayout.VALUE);
    long array = -context.tables().placeForPut(object, Values.ofInt(1));
    region.memory.put(array, Values.TRUE);
    assertPlace(object, "array part at index 1", array);
    assertPlace(object, "prototype", object + Layout.OBJECT_PROTOTYPE);
  }

  @Test
  void aReferenceInAFunction() {
    long function = enter(region.element(Layout.FUNCTION, 4));
    region.memory.put(function + Layout.FUNCTION_COUNTS, Values.ofRaw(2));
    assertPlace(function, "constant 1", function + 24);
    assertPlace(function, "inner function 0", function + 32);
  }

  @Test
  void aReferenceInAThread() {
    long stack = Values.raw(region.memory.get(thread + ThreadLayout.STACK));
    region.memory.put(stack + 8, dead());
    assertThat(violations()).as("above the top").isEmpty();
    region.memory.put(stack + 8, Values.NULL);
    region.memory.put(thread + ThreadLayout.TOP, Values.ofRaw(2));
    region.memory.put(thread + ThreadLayout.SIZE, Values.ofRaw(1));
    assertPlace(thread, "value stack at 1", stack + 8);
    assertPlace(thread, "resumer", thread + ThreadLayout.RESUMER);
    assertThat(context.stacks().ensureCalls(thread, 2)).isTrue();
    long calls = Values.raw(region.memory.get(thread + ThreadLayout.CALLS));
    region.memory.put(thread + ThreadLayout.CALLS_USED, Values.ofRaw(2));
    for (int i = 0; i < 2 * ThreadLayout.CALL_WORDS; i++) {
      region.memory.put(calls + 8L * i, Values.NULL);
    }
    assertPlace(thread, "call stack entry 1", calls + (ThreadLayout.CALL_WORDS + 1) * 8);
  }

  @Test
  void aRootAFinalizerAWeakReferenceAHashOfWhatIsNoElement() {
    long dead = dead();
    roots.add(dead);
    assertFound("root, number 2: refers to " + dead);
    roots.removeLast();
    context.finalizers().set(dead, "label", new Object());
    assertFound("finalizer label", "" + dead);
    context.finalizers().remove(dead);
    int weak = context.weak().add(dead);
    assertFound("a weak reference", "" + dead);
    context.weak().remove(weak);
    int _ = context.identities().hash(dead);
    assertFound("an identity hash", "" + dead);
    context.identities().sweep(e -> false);
    context.stringCache().remember(-1, dead, 1, 1, 1);
    assertFound("the string access cache", "" + dead);
    context.stringCache().sweep(e -> false);
    assertThat(violations()).isEmpty();
  }

  @Test
  void anElementOfNoKind() {
    region.memory.put(record, Layout.header(Layout.KINDS, 3));
    assertFound("element " + record, "kind " + Layout.KINDS);
    region.memory.put(record, 0);
    assertFound("element " + record, "kind 0");
  }

  @Test
  void anElementInTwoPlaces() {
    enter(record);
    assertFound("element " + record, "twice");
  }

  @Test
  void figuresThatDisagree() {
    collector.byKind[Layout.OBJECT]++;
    assertFound("OBJECT", "1 elements", "counts 2");
    collector.byKind[Layout.OBJECT]--;
    int _ = context.natives().add("value", null);
    assertFound("0 natives, 1 Java objects");
  }

  @Test
  void memoryBeyondTheLimit() {
    region.budget.refund(2 << 20);
    assertFound("used -");
  }

  @Test
  void stringsAndTheirTable() {
    long another = enter(region.string(88, 6));
    assertFound("2 strings, 1 in the table");
    context.strings().insert(another, 88);
    assertThat(violations()).isEmpty();
    context.strings().insert(another, 88);
    assertFound("the string table has " + another + " twice");
    context.strings().sweep(s -> s != another);
    context.strings().insert(record, 5);
    assertFound("the string table has " + record, "no string");
  }

  @Test
  void aPropertyTableThatIsNotConsistent() {
    long table = Values.raw(region.memory.get(object + Layout.OBJECT_TABLE));
    for (long key : new long[] {Values.NULL, Values.ofDouble(3), Values.ofDouble(Double.NaN)}) {
      region.memory.put(table + TableLayout.FIRST, key);
      assertFound("OBJECT " + object, "a key that cannot be one");
    }
    region.memory.put(table + TableLayout.FIRST, string);
    long counts = region.memory.get(table + TableLayout.HASH);
    region.memory.put(table + TableLayout.HASH, (counts & ~TableLayout.FIELD_MASK) | 3);
    assertFound("OBJECT " + object, "counts 3 properties, has 1");
  }

  @Test
  void aKeyThatTheHashPartDoesNotFind() {
    for (int i = 0; i < 20; i++) {
      long key = enter(region.string(i, i + 100));
      assertThat(context.strings().makeRoom()).isTrue();
      context.strings().insert(key, i);
      if (context.tables().placeForPut(object, key) == 0) {
        assertThat(context.tables().makeRoom(object, key)).isTrue();
        assertThat(context.tables().placeForPut(object, key)).isNegative();
      }
    }
    assertThat(violations()).isEmpty();
    region.memory.put(string + Layout.STRING_WORD, 78L << 32 | 8); // the hash it is entered by
    assertFound("OBJECT " + object, "does not find a key of its own");
  }

  @Test
  void aStackThatIsNotConsistent() {
    region.memory.put(thread + ThreadLayout.TOP, Values.ofRaw(17));
    assertFound("THREAD " + thread, "top 17 of 16");
    region.memory.put(thread + ThreadLayout.TOP, Values.ofRaw(1));
    region.memory.put(thread + ThreadLayout.SIZE, Values.ofRaw(3));
    assertFound("THREAD " + thread, "size 3");
    region.memory.put(thread + ThreadLayout.SIZE, Values.ofRaw(0));
    region.memory.put(thread + ThreadLayout.BASE, Values.ofRaw(0));
    assertFound("THREAD " + thread, "base 0");
  }

  @Test
  void whatTheCollectorItselfFinds() {
    collector.problem = "a count is off by one";
    assertThat(violations()).containsExactly(Objects.requireNonNull(collector.problem));
  }

  @Test
  void theListIsBounded() {
    for (int i = 0; i < 500; i++) {
      roots.add(dead());
    }
    assertThat(violations()).hasSize(100);
  }
}
