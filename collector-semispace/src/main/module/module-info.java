/** The collector {@code semispace}. */
module dev.gleaner.collector.semispace {
  requires transitive dev.gleaner.api;

  provides dev.gleaner.spi.CollectorProvider with
      dev.gleaner.collector.semispace.SemiSpaceProvider;
}
