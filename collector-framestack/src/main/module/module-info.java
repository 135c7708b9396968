/** The collector {@code framestack}. */
module dev.gleaner.collector.framestack {
  requires transitive dev.gleaner.api;

  provides dev.gleaner.spi.CollectorProvider with
      dev.gleaner.collector.framestack.FrameStackProvider;
}
