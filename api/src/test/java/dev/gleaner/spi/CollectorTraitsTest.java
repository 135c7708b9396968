package dev.gleaner.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

/** What can be known of a collector before it exists. */
class CollectorTraitsTest {

  @Test
  void noBarrierIsABarrierToo() {
    assertThat(CollectorTraits.of().barriers()).containsExactly(WriteBarrier.NONE);
    assertThat(new CollectorTraits(Set.of(), Set.of(), false).barriers())
        .containsExactly(WriteBarrier.NONE);
  }

  @Test
  void barriersComeInTheirOrder() {
    CollectorTraits traits =
        CollectorTraits.of(Capability.MOVING)
            .withBarriers(WriteBarrier.FRAMES, WriteBarrier.SNAPSHOT)
            .withPinning()
            .with(Capability.CYCLES);
    assertThat(traits.barriers()).containsExactly(WriteBarrier.SNAPSHOT, WriteBarrier.FRAMES);
    assertThat(traits.has(WriteBarrier.FRAMES)).isTrue();
    assertThat(traits.has(WriteBarrier.COUNTING)).isFalse();
  }

  @Test
  void someCannotBeCombined() {
    assertThatThrownBy(() ->
            CollectorTraits.of().withBarriers(WriteBarrier.REMEMBERING, WriteBarrier.COUNTING))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "no such combination of write barriers: [counting, remembering]; there are"
                + " [snapshot, counting], [snapshot, frames]");
    assertThatThrownBy(
            () -> CollectorTraits.of().withBarriers(WriteBarrier.NONE, WriteBarrier.SNAPSHOT))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
