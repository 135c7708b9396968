package dev.gleaner.heap;

/** What a slot holds. */
public enum ValueType {
  UNDEFINED,
  NULL,
  BOOLEAN,
  INT,
  DOUBLE,
  REFERENCE
}
