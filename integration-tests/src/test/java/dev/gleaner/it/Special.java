package dev.gleaner.it;

/** The values that have no Java type of their own in the model. */
enum Special {
  UNDEFINED,
  NULL
}
