/** The collector {@code marksweep}. */
module dev.gleaner.collector.marksweep {
  requires transitive dev.gleaner.api;

  provides dev.gleaner.spi.CollectorProvider with
      dev.gleaner.collector.marksweep.MarkSweepProvider;
}
