package dev.gleaner.kit.oracle;

/**
 * One kind of operation of a random program, done on the heap and on its model alike.
 *
 * <p>An operation that allocates changes the heap first, and the model only when that succeeded: a
 * collection it causes comes before its effect. One that only drops changes the model first: a
 * finalizer it causes comes after its effect.
 *
 * @param weight how often it is rolled, relative to the others
 * @param weightAmongCalls the same while there is little else than calls
 * @param sayable whether the scenario language has statements for it
 * @param single whether it is one statement that makes the same requests in a scenario, so that it
 *     can stand alone in a block
 */
record Operation(
    String name, int weight, int weightAmongCalls, boolean sayable, boolean single, Action action) {
  /** Rolls the arguments and does it; may do nothing if there is nothing to do it with. */
  @FunctionalInterface
  interface Action {
    void run(Dice dice);
  }

  /** The same for an operation on what a slot holds, which was found before. */
  @FunctionalInterface
  interface OnSlot {
    void run(Dice dice, int slot);
  }

  Operation(String name, int weight, Action action) {
    this(name, weight, 0, true, false, action);
  }

  /** The same, but unknown to the scenario language. */
  Operation unsayable() {
    return new Operation(name, weight, weightAmongCalls, false, single, action);
  }

  /** The same, able to stand alone in a block. */
  Operation alone() {
    return new Operation(name, weight, weightAmongCalls, sayable, true, action);
  }

  /** The same, rolled among calls, too. */
  Operation amongCalls(int itsWeight) {
    return new Operation(name, weight, itsWeight, sayable, single, action);
  }
}
