package dev.gleaner.collector.framestack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.frame.FrameBuffer;
import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lists and generations of frames. */
class OwningFramesTest {
  private static List<Long> contents(ElementList list) {
    List<Long> all = new ArrayList<>();
    list.forEach(all::add);
    return all;
  }

  @Test
  @Tag("F6")
  void listsAreJoinedAndTakenApart() {
    Segments segments = new Segments();
    Random random = new Random(5);
    ElementList a = new ElementList(segments);
    ElementList b = new ElementList(segments);
    List<Long> expected = new ArrayList<>();
    for (long e = 8; e < 80_000; e += 8) {
      switch (random.nextInt(40)) {
        case 0 -> {
          a.takeAll(b);
          assertThat(b.size()).isZero();
        }
        case 1 -> b.takeAll(a);
        case 2, 3, 4, 5, 6, 7 -> {
          long taken = a.take();
          assertThat(taken == 0 || expected.remove(taken)).isTrue();
        }
        default -> {
          (random.nextBoolean() ? a : b).add(e);
          expected.add(e);
        }
      }
    }
    a.takeAll(b);
    assertThat(a.size()).isEqualTo(expected.size());
    assertThat(contents(a)).containsExactlyInAnyOrderElementsOf(expected);
    long taken = LongStream.generate(a::take).takeWhile(e -> e != 0).count();
    assertThat(taken).isEqualTo(expected.size());
  }

  @Test
  void elementsUpTo32GiBHaveAnEntry() {
    long last = Segments.REACH - 8;
    assertThat(Segments.element(Segments.entry(last))).isEqualTo(last);
  }

  @Test
  @Tag("F11")
  void generationsAreGivenOutAnew() {
    OwningFrames frames = new OwningFrames();
    try (Memory memory = Memory.open(4096, 4096, false)) {
      OwningFrame bottom = frames.last();
      bottom.next = Integer.MAX_VALUE - 100;
      OwningFrame f = frames.push(80);
      put(memory, bottom.survivors, 8, bottom.generation);
      put(memory, bottom.fresh, 16, bottom.freshGeneration());
      put(memory, f.survivors, 24, f.generation);
      put(memory, f.fresh, 32, f.freshGeneration());
      put(memory, f.fresh, 40, bottom.generation); // stored into what the bottom frame owns
      put(memory, f.fresh, 48, FrameBuffer.OLD);
      frames.renumber(memory, new ElementList(frames.segments()), null);
      assertThat(f.next).isEqualTo(6);
      assertThat(f.first).isEqualTo(bottom.next);
      assertThat(contents(bottom.survivors)).containsExactlyInAnyOrder(8L, 40L);
      assertThat(contents(bottom.fresh)).containsExactly(16L);
      assertThat(contents(f.survivors)).containsExactly(24L);
      assertThat(contents(f.fresh)).containsExactly(32L);
      long[] generations =
          LongStream.of(8, 16, 24, 32, 40, 48).map(e -> memory.get(e) >>> 32).toArray();
      assertThat(generations).containsExactly(2, 3, 4, 5, 2, FrameBuffer.OLD);
    }
  }

  private static void put(Memory memory, ElementList list, long e, int generation) {
    memory.put(
        e, Layout.header(Layout.RECORD, 0) | (long) generation << FrameBuffer.GENERATION_SHIFT);
    list.add(e);
  }

  @Test
  @Tag("F4")
  void aFrameThatIsLeftLeavesAllToItsCaller() {
    OwningFrames frames = new OwningFrames();
    OwningFrame outer = frames.push(100);
    OwningFrame inner = frames.push(200);
    inner.survivors.add(8);
    inner.fresh.add(16);
    int next = inner.next;
    assertThat(frames.leave(150)).isSameAs(inner);
    assertThat(inner.base).isEqualTo(150);
    assertThat(inner.compacted).isTrue();
    assertThat(frames.leave(100)).isSameAs(outer);
    assertThat(contents(outer.fresh)).containsExactlyInAnyOrder(8L, 16L);
    assertThat(outer.next).isEqualTo(next);
    assertThat(frames.returnBarrier()).isEqualTo(100);
    assertThat(frames.push(300).first).isGreaterThanOrEqualTo(next);
  }

  /** What refers to what is younger is its caller's then. */
  @Test
  @Tag("F5b")
  void aFrameWhoseCycleWasAbandonedLeavesThatToItsCaller() {
    OwningFrames frames = new OwningFrames();
    OwningFrame outer = frames.push(100);
    frames.push(200).abandoned = true;
    frames.leave(150);
    assertThat(outer.abandoned).isFalse();
    assertThat(frames.leave(100)).isSameAs(outer);
    assertThat(outer.abandoned).isTrue();
    assertThat(frames.push(300).abandoned).isFalse();
  }
}
