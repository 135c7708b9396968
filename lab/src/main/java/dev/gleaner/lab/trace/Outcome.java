package dev.gleaner.lab.trace;

/** How an operation ended. */
enum Outcome {
  DONE,
  REFUSED,
  EXHAUSTED
}
