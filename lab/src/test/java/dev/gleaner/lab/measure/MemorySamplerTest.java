package dev.gleaner.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.lab.measure.Timeline.Sample;
import dev.gleaner.spi.CollectionRequest.Cause;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemorySamplerTest {
  private static CollectionEvent collection(long start, long pause, long before, long after) {
    return new CollectionEvent(
        "heap",
        "collector",
        Cause.EXPLICIT,
        Mode.FULL,
        true,
        start,
        pause,
        before,
        after,
        0,
        0,
        0,
        "");
  }

  @Test
  void looksByItselfUntilItIsStopped() throws InterruptedException {
    AtomicLong used = new AtomicLong();
    CountDownLatch looks = new CountDownLatch(5);
    MemorySampler sampler =
        new MemorySampler(() -> {
          looks.countDown();
          return used.incrementAndGet();
        });
    assertThat(looks.await(60, TimeUnit.SECONDS)).isTrue();
    sampler.stop();
    long seen = used.get();
    List<Sample> samples = sampler.timeline().samples();
    assertThat(samples).extracting(Sample::bytes).isSorted().contains(1L, seen - 1);
    assertThat(samples.getFirst().nanos()).isNotNegative();
    assertThat(used.get()).isEqualTo(seen);
  }

  @Test
  void whatIsReadInsideACollectionIsDropped() throws InterruptedException {
    CountDownLatch looks = new CountDownLatch(4);
    MemorySampler sampler =
        new MemorySampler(() -> {
          looks.countDown();
          return 12_345;
        });
    // It covers all that has been read until now but the first sample, which waits for nothing.
    long start = System.nanoTime();
    assertThat(looks.await(60, TimeUnit.SECONDS)).isTrue();
    sampler.collectionFinished(collection(start, 3_600_000_000_000L, 500, 100));
    sampler.stop();
    List<Long> bytes = sampler.timeline().samples().stream().map(Sample::bytes).toList();
    assertThat(bytes).contains(500L, 100L);
    assertThat(bytes.getLast()).isEqualTo(100);
    assertThat(bytes).filteredOn(b -> b == 12_345).hasSizeLessThanOrEqualTo(4);
  }
}
