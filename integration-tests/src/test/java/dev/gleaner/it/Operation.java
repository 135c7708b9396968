package dev.gleaner.it;

/**
 * One kind of operation of a random program, done on the heap and on its model alike.
 *
 * <p>An operation that allocates changes the heap first, and the model only when that succeeded: a
 * collection it causes comes before its effect. One that only drops changes the model first: a
 * finalizer it causes comes after its effect.
 *
 * @param weight how often it is rolled, relative to the others
 */
record Operation(String name, int weight, Action action) {
  /** Rolls the arguments and does it; may do nothing if there is nothing to do it with. */
  @FunctionalInterface
  interface Action {
    void run(Dice dice);
  }
}
