/**
 * The heap, the contract for collectors, and their building blocks.
 *
 * <p>Collectors are modules of their own that provide {@link dev.gleaner.spi.CollectorProvider}.
 */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.gleaner.api {
  requires transitive com.google.guice;
  requires transitive typesafe.config;
  requires static micrometer.core;
  requires static transitive org.apiguardian.api;
  requires static transitive org.jspecify;
  requires jdk.jfr;

  // For Guice, which has no descriptor to ask for them.
  requires com.google.common;
  requires jakarta.inject;

  exports dev.gleaner;
  exports dev.gleaner.config;
  exports dev.gleaner.count;
  exports dev.gleaner.frame;
  exports dev.gleaner.heap;
  exports dev.gleaner.inspect;
  exports dev.gleaner.layout;
  exports dev.gleaner.mark;
  exports dev.gleaner.memory;
  exports dev.gleaner.metrics;
  exports dev.gleaner.parts;
  exports dev.gleaner.refusal;
  exports dev.gleaner.settings;
  exports dev.gleaner.snapshot;
  exports dev.gleaner.space;
  exports dev.gleaner.spi;
  exports dev.gleaner.table;
  exports dev.gleaner.trace;
  exports dev.gleaner.util;

  uses dev.gleaner.spi.CollectorProvider;
}
