package dev.gleaner.kit.scenario;

import dev.gleaner.heap.CollectionEvent;
import dev.gleaner.heap.CollectionEvent.Mode;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapListener;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.kit.scenario.Expectation.Comparison;
import dev.gleaner.kit.scenario.Expectation.Figure;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.spi.Capability;
import java.util.List;
import java.util.stream.Collectors;

/** Checks the expectations that have no block. */
final class ExpectationChecks implements HeapListener {
  private static final long NO_MARK = -1;

  private final Operands operands;
  private final FinalizationLog log;
  private Heap heap;
  private BytePattern bytes;

  /** The figures when the heap was opened. */
  private HeapStatistics start;

  /** How many elements are the heap's own. */
  private long own;

  private long mark = NO_MARK;

  /** Collections in heaps that the scenario has left. */
  private long collections;

  /** Emergency collections in heaps that the scenario has left. */
  private long emergencies;

  /** Minor collections since the start. */
  private long minorCollections;

  /** What the last walk that ended saw, -1 for none. */
  private long lastWalk = -1;

  /** The line of the last {@code expect finalized} that held. */
  private int lastFinalized;

  ExpectationChecks(Heap heap, Operands operands, FinalizationLog log, BytePattern bytes) {
    this.heap = heap;
    this.operands = operands;
    this.log = log;
    this.bytes = bytes;
    this.start = heap.statistics();
    this.own = start.liveElements();
    if (heap.traits().has(Capability.MINOR)) {
      heap.addListener(this);
    }
  }

  /**
   * Goes on in another heap, which was opened from an image.
   *
   * @param elements how many elements are its own
   */
  void goOnIn(Heap opened, BytePattern pattern, long elements) {
    HeapStatistics last = heap.statistics();
    collections += last.collections() - start.collections();
    emergencies += last.emergencies() - start.emergencies();
    heap = opened;
    bytes = pattern;
    own = elements;
    start = opened.statistics();
    if (opened.traits().has(Capability.MINOR)) {
      opened.addListener(this);
    }
  }

  @Override
  public void collectionFinished(CollectionEvent event) {
    minorCollections += event.mode() == Mode.MINOR ? 1 : 0;
  }

  /** A walk has ended that saw so many entries. */
  void walked(long entries) {
    lastWalk = entries;
  }

  void markUsed() {
    mark = heap.statistics().usedBytes();
  }

  /**
   * Checks what can be said only at the end.
   *
   * @throws ExpectationFailure if finalizers ran that no line expected, under torture
   */
  void end() {
    if (lastFinalized > 0 && log instanceof TorturedLog tortured && !tortured.isEmpty()) {
      throw new ExpectationFailure(
          lastFinalized, "no other finalizers up to this line", tortured.rest());
    }
  }

  void check(Expectation.Simple expectation, int line) {
    switch (expectation) {
      case Expectation.Finalized finalized -> finalized(finalized.patterns(), line);
      case Expectation.Count count -> count(count, line);
      case Expectation.Strings strings -> strings(strings, line);
      case Expectation.Weakly weakly -> {
        if (operands.isCleared(weakly.weak()) != weakly.cleared()) {
          boolean cleared = weakly.cleared();
          String held = weakly.weak() + " held";
          String gone = weakly.weak() + " cleared";
          throw new ExpectationFailure(line, cleared ? gone : held, cleared ? held : gone);
        }
      }
      case Expectation.Same same -> same(same, line);
      case Expectation.SameHash same -> sameHash(same, line);
      case Expectation.Filled filled -> filled(filled, line);
      case Expectation.Walked walked -> {
        if (lastWalk < 0) {
          throw new HeapUsageException("no walk has ended before");
        }
        if (lastWalk != walked.entries()) {
          throw new ExpectationFailure(
              line, walked.entries() + " entries walked", Long.toString(lastWalk));
        }
      }
      case Expectation.Size size -> {
        long found = size(size);
        if (!size.comparison().holds(found, size.number())) {
          throw new ExpectationFailure(
              line,
              "%s %s %s %d".formatted(size.size(), size.object(), size.comparison(), size.number()),
              Long.toString(found));
        }
      }
      case Expectation.Intact _ -> {
        List<String> violations = heap.inspect().verify();
        if (!violations.isEmpty()) {
          throw new ExpectationFailure(line, "an intact heap", String.join("; ", violations));
        }
      }
    }
  }

  private void finalized(List<Pattern> patterns, int line) {
    if (!log.take(patterns)) {
      String wanted = patterns.stream().map(Pattern::toString).collect(Collectors.joining(" "));
      throw new ExpectationFailure(
          line, "finalized " + (wanted.isEmpty() ? "none" : wanted), log.found());
    }
    lastFinalized = line;
  }

  // ---- figures ----

  private void count(Expectation.Count count, int line) {
    long found = figure(count.figure());
    if (count.fromMark() && mark == NO_MARK) {
      throw new HeapUsageException("no mark: 'mark used' comes first");
    }
    long bound = count.fromMark() ? fromMark(count.number()) : count.number();
    if (!count.comparison().holds(found, bound)) {
      boolean plain = count.figure() == Figure.ALIVE && count.comparison() == Comparison.EQUAL;
      String wanted =
          plain ? count.figure() + " " : count.figure() + " " + count.comparison() + " ";
      String from = count.fromMark() ? " (mark %+d)".formatted(count.number()) : "";
      throw new ExpectationFailure(line, wanted + bound + from, Long.toString(found));
    }
  }

  /** The sum, or the largest number if there is none. */
  private long fromMark(long number) {
    return number > Long.MAX_VALUE - mark ? Long.MAX_VALUE : number + mark;
  }

  private long figure(Figure figure) {
    HeapStatistics now = heap.statistics();
    return switch (figure) {
      case FINALIZER_CALLS -> log.calls();
      case ALIVE -> heap.isClosed() ? now.liveElements() : now.liveElements() - own;
      case USED -> now.usedBytes();
      case PEAK -> now.peakBytes();
      case MINOR_COLLECTIONS -> minorCollections;
      case COLLECTIONS -> collections + now.collections() - start.collections();
      case EMERGENCIES -> emergencies + now.emergencies() - start.emergencies();
    };
  }

  private long size(Expectation.Size size) {
    int object = operands.slot(size.object());
    return size.size().equals("length")
        ? heap.mutator().arrayLength(object)
        : heap.mutator().propertyCount(object);
  }

  // ---- values ----

  private void strings(Expectation.Strings strings, int line) {
    for (String text : strings.texts()) {
      if (operands.isInterned(text) != strings.present()) {
        String there = Texts.quoted(text) + " in the string table";
        String gone = Texts.quoted(text) + " not there";
        boolean present = strings.present();
        throw new ExpectationFailure(line, present ? there : gone, present ? gone : there);
      }
    }
  }

  private void same(Expectation.Same same, int line) {
    if (operands.same(same.left(), same.right()) != same.same()) {
      operands.release();
      String wanted = same.left() + (same.same() ? " == " : " != ") + same.right();
      String left = operands.describe(same.left());
      String right = operands.describe(same.right());
      throw new ExpectationFailure(line, wanted, both(same, left, right));
    }
  }

  private static String both(Expectation.Same same, String left, String right) {
    if (same.right() instanceof Place || same.right() instanceof Name) {
      boolean twoOfAKind = same.same() && left.equals(right);
      return left + " and " + (twoOfAKind ? right.replaceFirst("^an? ", "another ") : right);
    }
    return left;
  }

  private void sameHash(Expectation.SameHash same, int line) {
    int hash = heap.mutator().identityHash(operands.slot(same.place()));
    int wanted = operands.slot(same.hash());
    boolean equal = operands.isNumber(wanted) && operands.number(wanted) == hash;
    if (equal != same.same()) {
      String operator = same.same() ? " == " : " != ";
      throw new ExpectationFailure(
          line,
          "hash " + same.place() + operator + same.hash(),
          hash + " and " + operands.describe(same.hash()));
    }
  }

  private void filled(Expectation.Filled filled, int line) {
    int buffer = operands.slot(filled.place());
    long at = bytes.mismatch(buffer, filled.seed());
    if (at >= 0) {
      throw new ExpectationFailure(
          line,
          "filled " + filled.place() + " " + filled.seed(),
          "byte %d is %d instead of %d"
              .formatted(
                  at, heap.mutator().getByte(buffer, at), BytePattern.at(filled.seed(), at)));
    }
  }
}
