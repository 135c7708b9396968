package dev.gleaner.kit.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Weakness;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The model keeps the deleted keys that a heap keeps for walks. */
class ShadowWalksTest {
  private static final Config MARKSWEEP =
      ConfigFactory.parseString("gleaner.collector = marksweep");

  private static final int OBJECT = 0;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int INDEX = 3;

  /** An index of the array is deleted, then a collection clears the property that a walk is at. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClearedKeyIsKeptThoughAnIndexWasDeletedBefore(boolean deletes) {
    ShadowElement string = new ShadowElement(1, Kind.STRING, 0);
    string.text = "key";
    ShadowElement object = new ShadowElement(2, Kind.OBJECT, 0);
    object.putProperty(0, true);
    object.putProperty(1, true);
    object.putProperty(string, new ShadowElement(3, Kind.RECORD, 0));
    object.walks.answered(string);
    if (deletes) {
      object.setLength(1);
    }
    object.weakness = Weakness.VALUES;
    object.leaveArray();
    object.clearProperty(string);
    object.walks.answered(0);
    List<Object> kept = new ArrayList<>();
    object.walks.forEachKept(true, kept::add);
    assertThat(kept).hasSameSizeAs(keptByHeap(deletes)).contains(string);
  }

  private static List<String> keptByHeap(boolean deletes) {
    try (Heap heap = Gleaner.factory(MARKSWEEP).open()) {
      Mutator t = heap.mutator();
      t.enter(4);
      t.newObject(OBJECT);
      t.newString(KEY, "key");
      t.setBoolean(VALUE, true);
      t.putIndex(OBJECT, 0, VALUE);
      t.putIndex(OBJECT, 1, VALUE);
      t.newRecord(VALUE, 1);
      t.putProperty(OBJECT, KEY, VALUE);
      t.setInt(INDEX, 1);
      assertThat(t.nextPropertyAfter(OBJECT, INDEX, KEY, VALUE)).isTrue();
      if (deletes) {
        t.setArrayLength(OBJECT, 1);
      }
      t.setWeakness(OBJECT, Weakness.VALUES);
      t.setUndefined(VALUE);
      heap.collect();
      assertThat(t.nextPropertyAfter(OBJECT, KEY, KEY, VALUE)).isTrue();
      t.setUndefined(KEY);
      heap.collect();
      return t.propertyCount(OBJECT) == (deletes ? 1 : 2) && heap.snapshot().strings() == 1
          ? List.of("key")
          : List.of();
    }
  }
}
