package dev.gleaner.layout;

/** What a slot holds. */
public enum ValueType {
  /** What a slot holds before anything is stored. */
  UNDEFINED,
  /** No element. */
  NULL,
  /** True or false. */
  BOOLEAN,
  /** A signed integer of up to 64 bits. */
  INT,
  /** A floating-point number of 64 bits. */
  DOUBLE,
  /** A reference to an element that is no integer. */
  REFERENCE
}
