/**
 * The contract of heaps and collectors: elements, references, allocators, and the parts that
 * collectors are made of.
 *
 * <p>Collectors are modules of their own that provide {@link dev.gleaner.spi.CollectorProvider}.
 */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"})
module dev.gleaner.api {
  requires static com.google.guice;
  requires transitive typesafe.config;
  requires static transitive org.apiguardian.api;
  requires static transitive org.jspecify;

  exports dev.gleaner.count;
  exports dev.gleaner.frame;
  exports dev.gleaner.layout;
  exports dev.gleaner.mark;
  exports dev.gleaner.memory;
  exports dev.gleaner.refusal;
  exports dev.gleaner.settings;
  exports dev.gleaner.space;
  exports dev.gleaner.spi;
  exports dev.gleaner.weak;
  exports dev.gleaner.util to
      dev.gleaner.heap,
      dev.gleaner.lua;
}
