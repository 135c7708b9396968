package dev.gleaner.lab.workload;

import dev.gleaner.heap.Mutator;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Function objects as ECMAScript makes them: each has a property {@code prototype}, an object whose
 * property {@code constructor} is the function, a loop that counting alone cannot free.
 *
 * <p>Step k makes such a pair, with k in an inline slot of the function, reads k back around the
 * loop, and drops both. The checksum is the sum of what was read.
 */
final class Closures extends NamedWorkload {
  private static final int PROTOTYPE = 0;
  private static final int CONSTRUCTOR = 1;

  Closures() {
    super(
        "closures",
        "function objects that loop through their prototype.constructor",
        Map.of("n", "5_000_000"));
  }

  @Override
  public long run(Run run) {
    int n = run.parameters().integer("n");
    Mutator t = run.openHeap().mutator();
    t.enter(2);
    t.newString(PROTOTYPE, "prototype");
    t.newString(CONSTRUCTOR, "constructor");
    long sum = inBatches(run, n, (from, count) -> steps(t, from, count));
    run.beforeDropping();
    t.leave();
    return sum;
  }

  private static long steps(Mutator t, int from, int steps) {
    long sum = 0;
    t.enter(4, PROTOTYPE, 2);
    for (int k = from; k < from + steps; k++) {
      t.newObject(2, 1);
      t.storeInt(2, 0, k);
      t.newObject(3);
      t.putProperty(3, CONSTRUCTOR, 2);
      t.putProperty(2, PROTOTYPE, 3);
      t.getProperty(3, 2, PROTOTYPE);
      t.getProperty(3, 3, CONSTRUCTOR);
      sum += t.loadInt(3, 0);
    }
    t.leave();
    return sum;
  }

  @Override
  public JvmBaseline baseline() {
    return run -> {
      int n = run.parameters().integer("n");
      long sum = inBatches(run, n, Closures::steps);
      Sink.value = null;
      return sum;
    };
  }

  private static final class Function {
    final int number;
    @Nullable Prototype prototype;

    Function(int number) {
      this.number = number;
    }
  }

  private record Prototype(Function constructor) {}

  private static long steps(int from, int steps) {
    long sum = 0;
    for (int k = from; k < from + steps; k++) {
      Function function = new Function(k);
      function.prototype = new Prototype(function);
      Sink.value = function;
      Function held = (Function) Objects.requireNonNull(Sink.value);
      sum += Objects.requireNonNull(held.prototype).constructor.number;
    }
    return sum;
  }
}
