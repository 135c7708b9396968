/** The collector {@code marksweep}. */
@SuppressWarnings("module") // the other one is compiled later
module dev.gleaner.collector.marksweep {
  requires transitive dev.gleaner.api;

  exports dev.gleaner.collector.marksweep to
      dev.gleaner.collector.hybrid;

  provides dev.gleaner.spi.CollectorProvider with
      dev.gleaner.collector.marksweep.MarkSweepProvider;
}
