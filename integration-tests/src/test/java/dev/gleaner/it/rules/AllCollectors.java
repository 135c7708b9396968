package dev.gleaner.it.rules;

import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gleaner.heap.Heap;
import dev.gleaner.it.Installed;
import dev.gleaner.spi.Capability;
import dev.gleaner.testing.HeapTests;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What every heap owes, under each installed collector in turn. */
@ParameterizedClass(name = "{0}")
@MethodSource("dev.gleaner.it.Installed#collectors")
abstract class AllCollectors extends HeapTests {
  private final String collector;

  AllCollectors(String collector) {
    super(collector);
    this.collector = collector;
  }

  @BeforeEach
  void assumeCapabilities(TestInfo test) {
    Needs needs = test.getTestMethod().orElseThrow().getAnnotation(Needs.class);
    if (needs == null) {
      return;
    }
    Set<String> has;
    try (Heap heap = Installed.open(collector, "")) {
      has = heap.traits().capabilities().stream().map(Capability::text).collect(toSet());
    }
    for (String need : needs.value()) {
      boolean met = need.startsWith("!") ? !has.contains(need.substring(1)) : has.contains(need);
      assumeTrue(met, collector + ": needs " + need);
    }
  }
}
