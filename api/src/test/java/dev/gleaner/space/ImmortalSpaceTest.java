package dev.gleaner.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.layout.Layout;
import dev.gleaner.testing.Region;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The block of built-ins. */
@Tag("D33")
class ImmortalSpaceTest {

  private static long make(Region r, ImmortalSpace space, int kind, int payload) {
    long e = space.allocate(payload + 1L);
    assertThat(e).isNotZero();
    for (int w = 0; w <= payload; w++) {
      assertThat(r.memory.get(e + 8L * w)).isZero();
    }
    r.memory.put(e, Layout.header(kind, payload) | space.headerFlags(kind));
    return e;
  }

  @Test
  void elementsLieNextToEachOther() {
    try (Region r = new Region(1 << 20)) {
      ImmortalSpace space = new ImmortalSpace(r.memory, r.allocator);
      assertThat(space.isOpen()).isFalse();
      space.setOpen(true);
      assertThat(space.isOpen()).isTrue();
      long a = make(r, space, Layout.RECORD, 2);
      long b = make(r, space, Layout.STRING, 5);
      assertThat(b).isEqualTo(a + 24);
      assertThat(r.memory.get(a) & Layout.FLAG_IMMORTAL).isNotZero();
      assertThat(space.headerFlags(Layout.THREAD)).isZero();
      assertThat(space.headerFlags(Layout.NATIVE)).isZero();
      space.setOpen(false);
      assertThat(space.headerFlags(Layout.RECORD)).isZero();
    }
  }

  @Test
  void allAreEnumeratedAndCounted() {
    try (Region r = new Region(1 << 20)) {
      ImmortalSpace space = new ImmortalSpace(r.memory, r.allocator);
      List<Long> made = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        made.add(make(r, space, i % 3 == 0 ? Layout.STRING : Layout.RECORD, i % 40));
      }
      made.add(make(r, space, Layout.BUFFER, 5000)); // larger than a chunk
      List<Long> walked = new ArrayList<>();
      space.forEach(walked::add);
      assertThat(walked).isEqualTo(made);
      List<Long> buffers = new ArrayList<>();
      space.forEach(Layout.BUFFER, buffers::add);
      assertThat(buffers).containsExactly(made.getLast());
      assertThat(space.elements(Layout.STRING)).isEqualTo(334);
      assertThat(space.allocatedElements()).isEqualTo(1001);
      long bytes = 0;
      for (long e : made) {
        bytes += 8 + (Layout.payloadWords(r.memory, e, r.memory.get(e)) << 3);
      }
      assertThat(space.allocatedBytes()).isEqualTo(bytes);
      assertThat(r.budget.used()).isGreaterThanOrEqualTo(bytes);
    }
  }

  @Test
  void aChunkIsFilledToItsLastWord() {
    try (Region r = new Region(1 << 20)) {
      ImmortalSpace space = new ImmortalSpace(r.memory, r.allocator);
      assertThat(make(r, space, Layout.RECORD, 511)).isNotZero();
      assertThat(r.budget.used()).isEqualTo(4096);
      assertThat(make(r, space, Layout.RECORD, 255)).isNotZero();
      assertThat(make(r, space, Layout.RECORD, 255)).isNotZero();
      assertThat(r.budget.used()).isEqualTo(8192);
      assertThat(make(r, space, Layout.RECORD, 0)).isNotZero();
      assertThat(r.budget.used()).isEqualTo(12_288);
    }
  }

  @Test
  void memoryIsClearedAlsoWhenItWasUsedBefore() {
    try (Region r = new Region(1 << 20)) {
      for (int bytes : new int[] {4096, 16 << 10}) {
        long block = r.allocator.alloc(bytes);
        for (int at = 0; at < bytes; at += 8) {
          r.memory.put(block + at, -1);
        }
        r.allocator.free(block);
      }
      ImmortalSpace space = new ImmortalSpace(r.memory, r.allocator);
      assertThat(make(r, space, Layout.RECORD, 2000)).isNotZero();
      for (int i = 0; i < 64; i++) {
        assertThat(make(r, space, Layout.RECORD, 7)).isNotZero();
      }
    }
  }

  @Test
  void theLargestHaveTheirSizeInAWordBefore() {
    try (Region r = new Region(64 << 20)) {
      ImmortalSpace space = new ImmortalSpace(r.memory, r.allocator);
      long bytes = 0;
      for (int payload : new int[] {Layout.LARGE - 1, Layout.LARGE, Layout.LARGE + 1}) {
        long e = space.allocate(payload + 1L);
        r.memory.put(e, Layout.header(Layout.RECORD, payload));
        r.memory.put(e + 8L * payload, payload); // the last word is its own
        bytes += 8L * (payload + (payload < Layout.LARGE ? 1 : 2));
      }
      assertThat(space.allocatedBytes()).isEqualTo(bytes);
      space.forEach(e -> {
        long payload = Layout.payloadWords(r.memory, e, r.memory.get(e));
        assertThat(r.memory.get(e + 8 * payload)).isEqualTo(payload);
      });
      space.close((kind, e) -> {});
      assertThat(r.budget.used()).isZero();
    }
  }

  @Test
  @Tag("D6")
  void closingReleasesWhatTheyOwnAndFreesTheirChunks() {
    try (Region r = new Region(1 << 20)) {
      ImmortalSpace space = new ImmortalSpace(r.memory, r.allocator);
      List<Long> owners = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        long e = make(r, space, i % 2 == 0 ? Layout.OBJECT : Layout.RECORD, 4);
        if (i % 2 == 0) {
          owners.add(e);
        }
      }
      List<Long> released = new ArrayList<>();
      space.close((kind, e) -> released.add(e));
      assertThat(released).isEqualTo(owners);
      assertThat(r.budget.used()).isZero();
      assertThat(space.allocatedElements()).isZero();
    }
  }

  @Test
  void aRefusalLeavesNothing() {
    try (Region r = new Region(64 << 10)) {
      Region.Failing functions = new Region.Failing(r.allocator);
      ImmortalSpace space = new ImmortalSpace(r.memory, functions);
      functions.refuse = true;
      assertThat(space.allocate(3)).isZero();
      assertThat(space.allocatedElements()).isZero();
      functions.refuse = false;
      assertThat(space.allocate(3)).isNotZero();
    }
  }
}
