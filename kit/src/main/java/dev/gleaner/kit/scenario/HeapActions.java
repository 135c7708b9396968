package dev.gleaner.kit.scenario;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapUsageException;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Executes the statements about the heap as a whole.
 *
 * <p>A plain block is a number in a local: where it lies. Null is no block.
 */
final class HeapActions {
  private final Heap heap;
  private final Mutator t;
  private final Operands operands;
  private final ExpectationChecks expectations;
  private final Consumer<String> printer;

  HeapActions(
      Heap heap, Operands operands, ExpectationChecks expectations, Consumer<String> printer) {
    this.heap = heap;
    this.t = heap.mutator();
    this.operands = operands;
    this.expectations = expectations;
    this.printer = printer;
  }

  void execute(Statement.OnHeap statement) {
    switch (statement) {
      case Statement.Collect collect -> heap.collect(collect.flags());
      case Statement.CollectMinor _ -> heap.collectMinor();
      case Statement.Increments increments -> {
        boolean _ = heap.step(increments.n());
      }
      case Statement.Alloc alloc ->
          setBlock(
              alloc.block(),
              alloc.raw()
                  ? heap.plainMemory().allocRaw(alloc.bytes())
                  : heap.plainMemory().alloc(alloc.bytes()));
      case Statement.Realloc realloc -> {
        long block = block(realloc.block());
        setBlock(
            realloc.block(),
            realloc.raw()
                ? heap.plainMemory().reallocRaw(block, realloc.bytes())
                : heap.plainMemory().realloc(block, realloc.bytes()));
      }
      case Statement.Free free -> {
        long block = block(free.block());
        if (free.raw()) {
          heap.plainMemory().freeRaw(block);
        } else {
          heap.plainMemory().free(block);
        }
        setBlock(free.block(), 0);
      }
      case Statement.Close _ -> heap.close();
      case Statement.Print print ->
          printer.accept(
              print.values().stream().map(operands::print).collect(Collectors.joining(" ")));
      case Statement.MarkUsed _ -> expectations.markUsed();
    }
  }

  private long block(Place.Local local) {
    int s = local.slot();
    if (t.isNull(s)) {
      return 0;
    }
    if (!operands.isNumber(s)) {
      throw new HeapUsageException("not a block: " + operands.describe(local));
    }
    return (long) operands.number(s);
  }

  private void setBlock(Place.Local local, long block) {
    if (block == 0) {
      t.setNull(local.slot());
    } else {
      t.setDouble(local.slot(), (double) block);
    }
  }
}
