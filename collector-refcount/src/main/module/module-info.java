/** The collector {@code refcount}. */
module dev.gleaner.collector.refcount {
  requires transitive dev.gleaner.api;

  provides dev.gleaner.spi.CollectorProvider with
      dev.gleaner.collector.refcount.RefcountProvider;
}
