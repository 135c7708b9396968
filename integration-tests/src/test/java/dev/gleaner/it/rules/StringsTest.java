package dev.gleaner.it.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.heap.WeakRef;
import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.CollectFlags;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Interned strings, their table, and the access cache. */
class StringsTest extends AllCollectors {
  StringsTest(String collector) {
    super(collector);
  }

  private static final String QUIET = "voluntary.enabled = false";
  private final Heap heap = open(QUIET, "strings.initial = 16");
  private final Mutator t = heap.mutator();

  @Test
  @Tag("D10")
  void thereIsOneCopyAndIdentityIsEquality() {
    t.enter(4);
    String text = "some text";
    t.newString(0, text);
    t.newString(1, new String(text.toCharArray()));
    byte[] utf8 = ("<" + text + ">").getBytes(StandardCharsets.UTF_8);
    t.newString(2, utf8, 1, text.length());
    t.newString(3, text + " ");
    assertThat(t.same(0, 1)).isTrue();
    assertThat(t.same(0, 2)).isTrue();
    assertThat(t.same(0, 3)).isFalse();
    assertThat(count(heap, Kind.STRING)).isEqualTo(2);
    assertThat(t.identityHash(0)).isEqualTo(t.identityHash(2));
  }

  @Test
  @Tag("D10")
  void everyTextComesBackAsItWas() {
    t.enter(1);
    String[] texts = {
      "", "a", "12345678", "é", "€uro", "😀", "\ud800", "\udc00\ud800", "a\0b", "x".repeat(9000)
    };
    for (String text : texts) {
      t.newString(0, text);
      assertThat(t.getString(0)).isEqualTo(text);
      assertThat(t.stringLength(0)).isEqualTo(text.codePointCount(0, text.length()));
    }
    t.newString(0, "€");
    assertThat(t.stringBytes(0)).isEqualTo(3);
    t.newString(0, new byte[] {'a', (byte) 0xC0, (byte) 0x80}, 0, 3);
    assertThatThrownBy(() -> t.getString(0))
        .isInstanceOf(HeapUsageException.class)
        .hasMessage("not text: no UTF-8 at byte 1 of 3 of the string in slot 0");
  }

  @Test
  @Tag("D10")
  void findingInternsNothing() {
    t.enter(2);
    t.setInt(0, 7);
    assertThat(t.findString(0, "not there")).isFalse();
    assertThat(t.getInt(0)).isEqualTo(7);
    assertThat(count(heap, Kind.STRING)).isZero();
    t.newString(1, "there");
    assertThat(t.findString(0, "there")).isTrue();
    assertThat(t.same(0, 1)).isTrue();
  }

  @Test
  @Tag("D10")
  void anUnreferencedStringGoesAndComesBackUnderANewIdentity() {
    t.enter(1);
    t.newString(0, "text");
    WeakRef first = t.newWeak(0);
    t.setUndefined(0);
    heap.collect();
    assertThat(first.isCleared()).isTrue();
    assertThat(t.findString(0, "text")).isFalse();
    assertThat(count(heap, Kind.STRING)).isZero();
    t.newString(0, "text");
    assertThat(t.getString(0)).isEqualTo("text");
    assertThat(first.isCleared()).as("it is another string").isTrue();
    assertThat(t.findString(0, "text")).isTrue();
  }

  @Test
  @Tag("D10")
  void aReferencedStringStaysTheSame() {
    t.enter(2);
    t.newObject(1);
    t.newString(0, "key");
    WeakRef weak = t.newWeak(0);
    t.putProperty(1, 0, 0);
    t.setUndefined(0);
    for (int i = 0; i < 3; i++) {
      heap.collect();
      t.newString(0, "key");
      assertThat(t.hasProperty(1, 0)).isTrue();
    }
    assertThat(weak.isCleared()).isFalse();
    assertThat(count(heap, Kind.STRING)).isEqualTo(1);
  }

  /** Interns so many strings and drops them all but some; answers the bytes that these take. */
  private void intern(int n, int keepEvery) {
    t.enter(3);
    t.newRecord(0, n / keepEvery + 1);
    for (int i = 0; i < n; i++) {
      t.newString(1, "s" + i);
      if (i % keepEvery == 0) {
        t.store(0, i / keepEvery, 1);
      }
    }
    t.leave(0, 0);
  }

  private void assertFound(int n, int keepEvery) {
    t.enter(1);
    for (int i = 0; i < n; i++) {
      assertThat(t.findString(0, "s" + i)).as("string %s", i).isEqualTo(i % keepEvery == 0);
    }
    t.leave();
  }

  @Test
  @Tag("D10")
  @Needs("!prompt")
  void theTableGrowsAndShrinksInACollection() {
    t.enter(1);
    long used = used(heap);
    intern(5000, 500);
    long grown = used(heap) - used;
    assertThat(grown).as("5000 strings and a table of 16384").isGreaterThan(5000 * 24 + 16384 * 8);
    heap.collect();
    assertThat(count(heap, Kind.STRING)).isEqualTo(10);
    assertThat(used(heap) - used).as("10 strings and a table of 128").isLessThan(1700);
    assertFound(5000, 500);
    intern(2000, 1);
    assertFound(2000, 1);
  }

  @Test
  @Tag("D10")
  @Tag("D15")
  @Needs("!prompt")
  void theFlagForbidsItsResize() {
    t.enter(1);
    long used = used(heap);
    intern(5000, 500);
    heap.collect(CollectFlags.NO_STRING_TABLE_RESIZE);
    assertThat(count(heap, Kind.STRING)).isEqualTo(10);
    assertThat(used(heap) - used).isBetween(16384L * 8, 16384L * 8 + 2000);
    heap.collect(CollectFlags.NO_STRING_TABLE_RESIZE | CollectFlags.EMERGENCY);
    assertThat(used(heap) - used).isGreaterThan(16384 * 8);
    int base = heap.setBaseFlags(CollectFlags.NO_STRING_TABLE_RESIZE);
    heap.collect();
    assertThat(used(heap) - used).isGreaterThan(16384 * 8);
    assertFound(5000, 500);
    heap.setBaseFlags(base);
    heap.collect();
    assertThat(used(heap) - used).isLessThan(1700);
    assertFound(5000, 500);
  }

  @Test
  @Tag("D10")
  void aResizeThatGetsNoMemoryIsToleratedOrFailsWithoutHarm() {
    for (int after = 0; after < 40; after++) {
      Heap h = open(QUIET, "strings.initial = 16");
      Mutator s = h.mutator();
      s.enter(41);
      h.faults().failAllocations(after, Long.MAX_VALUE);
      int made = 0;
      try {
        for (; made < 40; made++) {
          s.newString(made, "string " + made);
        }
      } catch (HeapExhaustedException e) {
        assertThat(s.isUndefined(made)).isTrue();
      }
      h.faults().clearFailAllocations();
      assertThat(h.inspect().verify()).isEmpty();
      for (int i = 0; i < 40; i++) {
        s.newString(40, "string " + i);
        assertThat(i >= made || s.same(40, i)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 11, 12, 13})
  @Tag("D10")
  void noFinalizerRunsInsideAnIntern(int interned) {
    t.enter(20);
    for (int i = 0; i < interned; i++) {
      t.newString(i, "other " + i); // from the twelfth on the table grows first
    }
    String text = "the text";
    lose(
        t,
        18,
        "interns",
        (thread, closing) -> {
          thread.newString(1, text);
          thread.newString(2, "more of it");
        });
    heap.faults()
        .failAllocations(0, 2); // a refused resize is tolerated while there is an empty entry
    t.newString(18, text);
    heap.faults().clearFailAllocations();
    assertThat(finalized).containsExactly("interns");
    assertThat(heap.inspect().verify()).isEmpty();
    t.newString(19, text);
    assertThat(t.same(18, 19)).as("one copy").isTrue();
    heap.collect();
    assertThat(count(heap, Kind.STRING)).isEqualTo(interned + 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 12})
  @Tag("D10")
  void noCallbackOfANativeRunsInsideAnIntern(int interned) {
    t.enter(20);
    for (int i = 0; i < interned; i++) {
      t.newString(i, "other " + i);
    }
    GlobalRef made = heap.newGlobal();
    t.newNative(
        18,
        "object",
        (value, closing) -> {
          if (!closing) {
            finalized.add("freed");
            t.newString(0, "the text");
            t.setGlobal(made, 0);
          }
        });
    t.setUndefined(18);
    heap.faults().failAllocations(0, 2);
    t.newString(18, "the text");
    heap.faults().clearFailAllocations();
    assertThat(finalized).containsExactly("freed");
    assertThat(heap.inspect().verify()).isEmpty();
    t.getGlobal(17, made);
    assertThat(t.same(17, 18)).isTrue();
  }

  @Test
  @Tag("D10")
  @Needs("!prompt")
  void finalizersThatWaitForALaterCollectionWaitBeyondAnIntern() {
    t.enter(2);
    lose(t, 0, "f");
    heap.collect(CollectFlags.NO_FINALIZERS);
    for (int i = 0; i < 200; i++) {
      t.newString(0, "string " + i);
    }
    assertThat(finalized).isEmpty();
    heap.collect();
    assertThat(finalized).containsExactly("f");
  }

  @Test
  @Tag("D10")
  void interningUnderTortureAgreesWithAMap() {
    Heap h = open("torture.gc = every-allocation", "strings.initial = 16");
    Mutator s = h.mutator();
    Random random = new Random(Long.getLong("gleaner.seed", 42));
    s.enter(22);
    String[] slots = new String[20];
    for (int i = 0; i < 2000; i++) {
      int d = random.nextInt(20);
      slots[d] = "t" + random.nextInt(30);
      s.newString(d, slots[d]);
      int other = random.nextInt(20);
      if (slots[other] != null) {
        assertThat(s.getString(other)).isEqualTo(slots[other]);
        assertThat(s.same(d, other)).isEqualTo(slots[d].equals(slots[other]));
      }
    }
    h.collect();
    long distinct = java.util.Arrays.stream(slots).filter(x -> x != null).distinct().count();
    assertThat(count(h, Kind.STRING)).isEqualTo(distinct);
  }

  // ---- the access cache ----

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4})
  @Tag("D11")
  void charactersAreFoundWhateverIsCached(int entries) {
    Heap h = open(QUIET, "strings.access-cache = " + entries);
    Mutator s = h.mutator();
    Random random = new Random(Long.getLong("gleaner.seed", 42));
    String[] texts = new String[6];
    s.enter(texts.length);
    for (int i = 0; i < texts.length; i++) {
      StringBuilder b = new StringBuilder();
      for (int c = 0; c < 300; c++) {
        b.appendCodePoint("aé€😀z".codePoints().toArray()[random.nextInt(i == 0 ? 1 : 5)]);
      }
      texts[i] = b.toString();
      s.newString(i, texts[i]);
    }
    for (int n = 0; n < 20_000; n++) {
      int i = random.nextInt(texts.length);
      int c = random.nextInt(300);
      int expected = texts[i].codePointAt(texts[i].offsetByCodePoints(0, c));
      if (s.charAt(i, c) != expected) {
        assertThat(s.charAt(i, c)).as("character %s of text %s", c, i).isEqualTo(expected);
      }
    }
    assertThatThrownBy(() -> s.charAt(1, 300)).isInstanceOf(HeapUsageException.class);
    assertThatThrownBy(() -> s.charAt(1, -1)).isInstanceOf(HeapUsageException.class);
  }

  @Test
  @Tag("D11")
  void walkingThroughAFewLongStringsIsLinear() {
    t.enter(4);
    int n = 150_000;
    for (int i = 0; i < 4; i++) {
      t.newString(i, i + "é".repeat(n));
    }
    assertTimeout(
        Duration.ofSeconds(10),
        () -> {
          for (int c = 1; c <= n; c++) {
            for (int i = 0; i < 4; i++) {
              assertThat(t.charAt(i, c) == 'é').isTrue();
            }
          }
          for (int c = n; c > 0; c--) {
            for (int i = 0; i < 4; i++) {
              assertThat(t.charAt(i, c) == 'é').isTrue();
            }
          }
        });
  }

  @Test
  @Tag("D11")
  @Needs("!moving")
  void anEntryDoesNotOutliveItsString() {
    t.enter(1);
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      // As many bytes each time, but the characters begin elsewhere.
      String text = "a".repeat(i % 4) + (i % 2 == 0 ? "é" : "a€").repeat(30);
      text = text + "z".repeat(200 - text.getBytes(StandardCharsets.UTF_8).length);
      t.newString(0, text);
      places.add(t.identityHash(0));
      int last = text.length() - 1;
      for (int c = last; c >= 0; c -= 7) {
        assertThat(t.charAt(0, c)).isEqualTo(text.charAt(c));
      }
      assertThat(t.charAt(0, 35)).isEqualTo(text.charAt(35));
      t.setUndefined(0);
      heap.collect();
    }
    assertThat(places.stream().distinct().count()).as("some took another's place").isLessThan(40);
  }
}
