package dev.gleaner.kit.scenario;

import java.util.List;

/** Statements, each with its line. */
record Block(List<Step> steps) {
  /** A statement in its line. */
  record Step(int line, Statement statement) {}

  /** The value that a frame's block ends with. */
  record Return(int line, Value value) {}

  boolean isEmpty() {
    return steps.isEmpty();
  }
}
