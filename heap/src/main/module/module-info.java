/** The heap: the way in, configuration, operations, inspection. */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"})
module dev.gleaner.heap {
  requires transitive dev.gleaner.api;
  requires transitive typesafe.config;
  requires static transitive org.apiguardian.api;
  requires static transitive org.jspecify;
  requires com.google.guice;

  // For Guice, which has no descriptor to ask for them.
  requires com.google.common;
  requires jakarta.inject;

  exports dev.gleaner;
  exports dev.gleaner.heap;
  exports dev.gleaner.config to
      dev.gleaner.kit,
      dev.gleaner.lab;
  exports dev.gleaner.text to
      dev.gleaner.lua;
  exports dev.gleaner.trace to
      dev.gleaner.kit,
      dev.gleaner.lab;

  uses dev.gleaner.heap.HeapListenerProvider;
  uses dev.gleaner.spi.CollectorProvider;
}
