package dev.gleaner.collector.marksweep;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.spi.CollectorProvider;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** The plug-in as an application finds it. */
class MarkSweepProviderTest {

  @Test
  void aHeapOfItsNameIsOneOfThisCollector() {
    String settings = "gleaner.collector = marksweep, gleaner.memory.max = 1MiB";
    try (Heap heap =
        Gleaner.factory(
                ConfigFactory.parseString(settings).withFallback(ConfigFactory.defaultReference()))
            .open()) {
      assertThat(heap.collector()).isEqualTo("marksweep");
      heap.mutator().enter(1);
      heap.mutator().newRecord(0, 1);
      heap.collect();
      assertThat(heap.statistics().collections()).isEqualTo(1);
    }
  }

  @Test
  void theServiceLoaderHasItWithWhatItCanDo() {
    CollectorProvider provider =
        ServiceLoader.load(CollectorProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(p -> p.name().equals("marksweep"))
            .findFirst()
            .orElseThrow();
    assertThat(provider).isInstanceOf(MarkSweepProvider.class);
    assertThat(provider.description()).startsWith("mark-and-sweep");
  }
}
