package dev.gleaner.kit.oracle;

/** The values that have no Java type of their own in the model. */
enum Special {
  UNDEFINED,
  NULL
}
