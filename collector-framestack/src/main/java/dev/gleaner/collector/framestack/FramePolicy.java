package dev.gleaner.collector.framestack;

import dev.gleaner.settings.Section;

/**
 * The settings of the collector.
 *
 * @param region the most bytes of what the frames hold themselves
 * @param cycle how many elements are worth a cycle
 * @param onLeave what becomes of a cycle whose frame is left, or compacts
 * @param mergeBytes frames that made less together are merged
 * @param mergeCalls how many frames are merged at most
 * @param pretenureAfter how many escapes, one after the other, show that records escape
 * @param pretenureBatch the most records that are made so before it is looked again
 */
record FramePolicy(
    Mode mode,
    long region,
    int cycle,
    OnLeave onLeave,
    long mergeBytes,
    int mergeCalls,
    int pretenureAfter,
    int pretenureBatch) {

  /** What becomes of a result when its frame is left. */
  enum Mode {
    /** What the frame made becomes its caller's. */
    FRAMES,
    /** It is copied to its caller's records. */
    COPYING,
    /** It is the collector's from birth, as all that a frame makes. */
    OWNED
  }

  /** What becomes of a cycle whose frame is left, or keeps only some of its slots. */
  enum OnLeave {
    /** It goes on. */
    FINISH,
    /** It is abandoned while it marks: all that it was to look at is looked at by another one. */
    ABANDON
  }

  static FramePolicy of(Section own) {
    Section cycle = own.section("cycle");
    Section merge = own.section("merge");
    Section pretenure = own.section("pretenure");
    return new FramePolicy(
        own.word("mode", Mode.class),
        own.bytes("region", 4 << 10, 1 << 30),
        cycle.integer("after", 1, 1 << 30),
        cycle.word("on-leave", OnLeave.class),
        merge.bytes("bytes", 0, 1 << 30),
        merge.integer("calls", 1, 1 << 30),
        pretenure.integer("after", 0, 1000),
        pretenure.integer("batch", 0, 1 << 20));
  }

  Pretenuring pretenuring() {
    return new Pretenuring(pretenureAfter, mode == Mode.FRAMES ? pretenureBatch : 0);
  }
}
