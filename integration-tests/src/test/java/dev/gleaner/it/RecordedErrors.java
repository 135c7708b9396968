package dev.gleaner.it;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.it.errors.ErrorPoint;
import dev.gleaner.memory.AllocationFunctionsFactory;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Has an error come at the points of recorded operations, and looks for the trace when the heap is
 * closed: there is one if nothing was thrown. Runs among instrumented classes.
 */
public final class RecordedErrors implements Function<String, List<String>> {
  private static final int MOST = 150;
  private static final List<Consumer<Heap>> OPERATIONS =
      List.of(
          heap -> heap.mutator().setInt(0, 5),
          heap -> heap.mutator().newString(1, "text"),
          heap -> heap.mutator().newString(1, new byte[] {'a', 'b'}, 0, 2),
          heap -> heap.mutator().setBoolean(2, true),
          heap -> heap.mutator().newRecord(0, 2),
          heap -> heap.makeBuiltins(() -> heap.mutator().newRecord(0, 1)),
          Heap::newGlobal,
          heap -> heap.plainMemory().alloc(100));

  @Override
  public List<String> apply(String folder) {
    List<String> wrong = new ArrayList<>();
    HeapFactory factory =
        Installed.factory("marksweep", "trace.file = \"" + Path.of(folder, "trace") + "\"");
    for (int i = 0; i < OPERATIONS.size(); i++) {
      boolean _ = errs(factory, OPERATIONS.get(i), Integer.MAX_VALUE); // classes are loaded
      boolean thrown = true;
      for (int point = 0; thrown && point < MOST; point++) {
        deleteTraces(folder);
        thrown = errs(factory, OPERATIONS.get(i), point);
        if (thrown == deleteTraces(folder)) {
          wrong.add("operation %d, point %d: thrown %s".formatted(i, point, thrown));
        }
      }
    }
    return wrong;
  }

  /** Answers whether there was one. */
  private static boolean deleteTraces(String folder) {
    boolean any = false;
    for (File file : Objects.requireNonNull(new File(folder).listFiles())) {
      any |= file.delete();
    }
    return any;
  }

  private static boolean errs(HeapFactory factory, Consumer<Heap> operation, int point) {
    try (Heap heap = factory.open("recorded", (AllocationFunctionsFactory) null)) {
      Mutator t = heap.mutator();
      t.enter(3);
      return ErrorPoint.with(
          point,
          true,
          () -> {
            try {
              operation.accept(heap);
              return false;
            } catch (Error e) {
              return true;
            }
          });
    }
  }
}
