/** The collector {@code hybrid}. */
module dev.gleaner.collector.hybrid {
  requires transitive dev.gleaner.api;
  requires dev.gleaner.collector.marksweep;
  requires dev.gleaner.collector.refcount;

  provides dev.gleaner.spi.CollectorProvider with
      dev.gleaner.collector.hybrid.HybridProvider;
}
