package dev.gleaner.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.spi.Layout;
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
      space.setOpen(true);
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
      assertThat(space.size()).isEqualTo(1001);
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
      assertThat(space.size()).isZero();
    }
  }

  @Test
  void aRefusalLeavesNothing() {
    try (Region r = new Region(64 << 10)) {
      Region.Failing functions = new Region.Failing(r.allocator);
      ImmortalSpace space = new ImmortalSpace(r.memory, functions);
      functions.refuse = true;
      assertThat(space.allocate(3)).isZero();
      assertThat(space.size()).isZero();
      functions.refuse = false;
      assertThat(space.allocate(3)).isNotZero();
    }
  }
}
