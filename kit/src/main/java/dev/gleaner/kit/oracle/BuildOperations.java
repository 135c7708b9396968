package dev.gleaner.kit.oracle;

import dev.gleaner.layout.Kind;
import java.util.List;

/**
 * Calls that build something in what their caller made just now: in a small frame, where what is
 * made is soon stored, and stored into.
 */
final class BuildOperations {
  private static final int SMALL = ShadowThread.SCRATCH + 4;
  private static final int MOST_STEPS = 12;

  private final Twin twin;
  private final FrameOperations frames;
  private final ElementOperations elements;
  private final Lots steps;

  /**
   * @param steps what a call does, by its weight among calls
   */
  BuildOperations(
      Twin twin, FrameOperations frames, ElementOperations elements, List<Operation> steps) {
    this.twin = twin;
    this.frames = frames;
    this.elements = elements;
    this.steps = new Lots(steps, Operation::weightAmongCalls);
  }

  List<Operation> all() {
    return List.of(new Operation("build in a call", 1, this::build).amongCalls(8));
  }

  private void build(Dice dice) {
    if (!frames.canEnter()) {
      return;
    }
    int at = twin.slot(dice);
    make(at, "record " + twin.name(at) + " 2", Kind.RECORD, () -> twin.t.newRecord(at, 2));
    frames.enter(SMALL, at, 1);
    if (dice.chance(50)) {
      make(1, "object " + twin.name(1), Kind.OBJECT, () -> twin.t.newObject(1));
      elements.store(0, twin.element(0), dice.below(2), 1);
    }
    for (int n = dice.below(MOST_STEPS); n > 0; n--) {
      steps.roll(dice).action().run(dice);
    }
  }

  private void make(int d, String statement, Kind kind, Runnable onHeap) {
    int slots = kind == Kind.RECORD ? 2 : 0;
    ShadowElement _ = twin.make(d, statement, onHeap, () -> twin.shadow.newElement(kind, slots));
  }
}
