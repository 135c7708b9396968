/** The collector {@code refcount}. */
@SuppressWarnings("module") // the other one is compiled later
module dev.gleaner.collector.refcount {
  requires transitive dev.gleaner.api;

  exports dev.gleaner.collector.refcount to
      dev.gleaner.collector.hybrid;

  provides dev.gleaner.spi.CollectorProvider with
      dev.gleaner.collector.refcount.RefcountProvider;
}
