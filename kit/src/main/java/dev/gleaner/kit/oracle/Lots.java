package dev.gleaner.kit.oracle;

import java.util.List;
import java.util.function.ToIntFunction;

/** Operations, one of which is rolled at a time, by a weight that each has. */
final class Lots {
  private final List<Operation> operations;
  private final ToIntFunction<Operation> weight;
  private final int weights;

  Lots(List<Operation> operations, ToIntFunction<Operation> weight) {
    this.operations = List.copyOf(operations);
    this.weight = weight;
    this.weights = operations.stream().mapToInt(weight).sum();
  }

  Operation roll(Dice by) {
    int roll = by.below(weights);
    for (Operation operation : operations) {
      roll -= weight.applyAsInt(operation);
      if (roll < 0) {
        return operation;
      }
    }
    throw new AssertionError();
  }
}
