package dev.gleaner.collector.framestack;

/**
 * A frame that owns collected elements.
 *
 * <pre>
 *   first ≤ generation &lt; next        ranges of frames do not meet, an older frame's are lower
 *
 *   survivors   alive when the frame's last cycle ended; all have {@code generation}, or a lower one
 *   fresh       moved here from the frame's records, or left by frames that it called; theirs differ
 *               from {@code generation}; new ones get next - 1
 * </pre>
 *
 * Every collected element is on one list, unless no frame owns it. An element that was stored into
 * what an older frame owns has that one's generation, and stays on its list until that is swept.
 */
final class OwningFrame {
  final ElementList survivors;
  final ElementList fresh;

  /** Its base, from the start of the main thread's stack. */
  long base;

  int first;
  int generation;
  int next;

  /** Whether slots were wiped, or a result was left, since all was looked at. */
  boolean compacted;

  /**
   * Whether a cycle was abandoned: an element may refer to one of a higher generation of this
   * frame, until a cycle looks at all.
   */
  boolean abandoned;

  /** Survivors of the last cycle that looked at all. */
  long survivorsThen;

  OwningFrame(Segments segments) {
    survivors = new ElementList(segments);
    fresh = new ElementList(segments);
  }

  void open(long base, int from) {
    this.base = base;
    first = from;
    generation = from;
    next = from + 2;
    compacted = false;
    abandoned = false;
    survivorsThen = 0;
  }

  /** The generation of what is added to {@link #fresh} now. */
  int freshGeneration() {
    return next - 1;
  }

  /** Puts an element, whose generation is in this frame's range, on the right list. */
  void add(long element, int itsGeneration) {
    if (itsGeneration == generation) {
      survivors.add(element);
    } else {
      fresh.add(element);
    }
  }
}
