package dev.gleaner.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.memory.Memory;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Headers, table words, and where references stand. */
@Tag("D9")
class LayoutTest {

  @Test
  void headersRoundTrip() {
    try (Memory m = Memory.open(1024, 1024, false)) {
      for (int kind = 1; kind < Layout.KINDS; kind++) {
        for (long words : new long[] {0, 1, 5, 1024, Layout.LARGE - 1, Layout.LARGE, 1L << 32}) {
          long h = Layout.header(kind, words);
          assertThat(Layout.kind(h)).isEqualTo(kind);
          assertThat(h >>> 32).as("the collector's half").isZero();
          assertThat(h & (Layout.FLAG_ASCII | Layout.FLAG_IMMORTAL)).isZero();
          m.put(8, words); // counts for the largest only
          assertThat(Layout.payloadWords(m, 16, h)).isEqualTo(words);
          long full = h | Layout.FLAG_ASCII | Layout.FLAG_IMMORTAL | -1L << 32;
          assertThat(Layout.payloadWords(m, 16, full)).isEqualTo(words);
          assertThat(Layout.kind(full)).isEqualTo(kind);
        }
      }
    }
  }

  @Test
  void everyKindHasItsNumber() {
    EnumSet<Kind> kinds = EnumSet.noneOf(Kind.class);
    for (int kind = 1; kind < Layout.KINDS; kind++) {
      assertThat(kinds.add(Layout.kindOf(kind))).isTrue();
    }
    assertThat(kinds).isEqualTo(EnumSet.allOf(Kind.class));
  }

  @Test
  void theWordsOfATable() {
    int most = TableLayout.FIELD_MASK;
    for (int high : new int[] {0, 1, 1000, most}) {
      for (int low : new int[] {0, 1, 1000, most}) {
        long word = TableLayout.pack(high, low);
        assertThat(TableLayout.high(word)).isEqualTo(high);
        assertThat(TableLayout.low(word)).isEqualTo(low);
        assertThat(word & Values.NOT_REFERENCE).isNotZero();
      }
    }
  }

  private static List<Long> places(Memory m, long element) {
    List<Long> places = new ArrayList<>();
    Scanner.forEachPlace(m, element, places::add);
    return places;
  }

  @Test
  void referencesStandInThePayload() {
    try (Memory m = Memory.open(4096, 4096, false)) {
      for (int kind : new int[] {Layout.RECORD, Layout.FUNCTION}) {
        m.put(64, Layout.header(kind, 3));
        assertThat(places(m, 64)).containsExactly(72L, 80L, 88L);
      }
      for (int kind = 1; kind <= Layout.LAST_OPAQUE; kind++) {
        m.put(64, Layout.header(kind, 3));
        assertThat(places(m, 64)).as("of kind %s", kind).isEmpty();
        assertThat(Layout.hasReferences(kind)).isFalse();
      }
    }
  }

  @Test
  void referencesStandInWhatAnObjectOrThreadOwns() {
    try (Memory m = Memory.open(8192, 8192, false)) {
      m.put(64, Layout.header(Layout.OBJECT, 3));
      m.put(64 + Layout.OBJECT_TABLE, Values.ofRaw(1024));
      m.put(1024 + TableLayout.ENTRIES, TableLayout.pack(2, 1));
      m.put(1024 + TableLayout.HASH, TableLayout.pack(8, 1));
      m.put(1024 + TableLayout.ARRAY, TableLayout.pack(1, 1));
      assertThat(places(m, 64)).containsExactly(72L, 80L, 88L, 1048L, 1056L, 1064L, 1072L, 1080L);
      m.put(64 + Layout.OBJECT_TABLE, Values.ofRaw(0));
      assertThat(places(m, 64)).containsExactly(72L, 80L, 88L);

      m.put(128, Layout.header(Layout.THREAD, ThreadLayout.PAYLOAD_WORDS));
      m.put(128 + ThreadLayout.STACK, Values.ofRaw(2048));
      m.put(128 + ThreadLayout.CAPACITY, Values.ofRaw(10));
      m.put(128 + ThreadLayout.TOP, Values.ofRaw(2));
      m.put(128 + ThreadLayout.CALLS, Values.ofRaw(4096));
      m.put(128 + ThreadLayout.CALLS_CAPACITY, Values.ofRaw(5));
      m.put(128 + ThreadLayout.CALLS_USED, Values.ofRaw(1));
      assertThat(places(m, 128))
          .contains(128L + ThreadLayout.RESUMER, 2048L, 2056L, 4096L, 4104L, 4112L)
          .doesNotContain(2064L, 4120L);
    }
  }
}
