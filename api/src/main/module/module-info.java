/**
 * The heap, the contract for collectors, and their building blocks.
 *
 * <p>Collectors are modules of their own that provide {@link dev.gleaner.spi.CollectorProvider}.
 */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.gleaner.api {
  requires transitive com.google.guice;
  requires transitive typesafe.config;
  requires transitive micrometer.core;
  requires static transitive org.apiguardian.api;
  requires static transitive org.jspecify;
  requires jdk.jfr;

  // For Guice, which has no descriptor to ask for them.
  requires com.google.common;
  requires jakarta.inject;

  exports dev.gleaner;
  exports dev.gleaner.config;
  exports dev.gleaner.heap;
  exports dev.gleaner.metrics;
  exports dev.gleaner.policy;
  exports dev.gleaner.snapshot;
  exports dev.gleaner.spi;
  exports dev.gleaner.trace;

  uses dev.gleaner.spi.CollectorProvider;
}
