package dev.gleaner.kit.scenario;

import java.util.List;

/** Statements, each with its line. */
record Block(List<Step> steps) {
  /** A statement in its line. */
  record Step(int line, Statement statement) {}

  /** The values that a frame's block ends with. */
  record Return(int line, List<Value> values) {}

  boolean isEmpty() {
    return steps.isEmpty();
  }
}
