package dev.gleaner.image;

/** What a heap holds in the place of a Java object of the host's. */
public interface StandIn {
  /** Returns the host's object, which has a name in images. */
  Object original();
}
