/** The collector {@code hybrid}. */
module dev.gleaner.collector.hybrid {
  requires transitive dev.gleaner.api;

  provides dev.gleaner.spi.CollectorProvider with
      dev.gleaner.collector.hybrid.HybridProvider;
}
