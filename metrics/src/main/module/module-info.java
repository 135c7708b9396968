/** Heaps as meters of Micrometer and as events of the JDK's Flight Recorder. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.gleaner.metrics {
  requires transitive dev.gleaner.heap;
  requires transitive micrometer.core;
  requires static transitive com.google.guice;
  requires jdk.jfr;

  exports dev.gleaner.guice;
  exports dev.gleaner.metrics;

  provides dev.gleaner.heap.HeapListenerProvider with
      dev.gleaner.metrics.FlightRecorderProvider;
}
