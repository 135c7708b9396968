package dev.gleaner.it;

import static dev.gleaner.it.LittleStack.Use.use;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Weakness;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Uses a heap for the first time in this JVM where little of the Java stack is left. What links
 * code then, such as a lambda, needs much more of the stack than later. Arguments: a collector, and
 * the KiB that are left. Prints which uses broke the heap.
 */
final class LittleStack {
  private static final int STACK = 512 << 10;

  /** More levels than the stack has. */
  private static final int MOST = 1 << 30;

  private final HeapFactory heaps;
  private int deepest;
  private @Nullable String told;

  /** What is done with a heap whose frame has an object that holds others. */
  record Use(String name, BiConsumer<Heap, Mutator> work) {
    static Use use(String name, BiConsumer<Heap, Mutator> work) {
      return new Use(name, work);
    }
  }

  private static final List<Use> USES =
      List.of(
          use("leave", (h, t) -> t.leave()),
          use("enter", (h, t) -> t.enter(3000)),
          use("object", (h, t) -> t.newObject(2)),
          use("string", (h, t) -> t.newString(2, "abc")),
          use("drop", (h, t) -> t.setUndefined(0)),
          use("finalizer", (h, t) -> t.setFinalizer(0, "f", (m, closing) -> {})),
          use("collect", (h, t) -> h.collect()),
          use("store", (h, t) -> t.putIndex(0, 2, 3)),
          use("global", (h, t) -> t.setGlobal(h.newGlobal(), 0)),
          use("thread", (h, t) -> t.newThread(2)),
          use("push", LittleStack::push),
          use("resume", LittleStack::resume),
          use("records", LittleStack::makeRecords),
          use("return", (h, t) -> t.leave(0, 0)),
          use("tail call", (h, t) -> t.tailCall(40, 0, 2)),
          use("wipe", (h, t) -> t.wipe(0)),
          use("weak", (h, t) -> t.setWeakness(0, Weakness.KEYS)),
          use("prototype", (h, t) -> t.setPrototype(0, 1)),
          use("delete", (h, t) -> t.setArrayLength(0, 1)));

  private LittleStack(String collector) {
    heaps = Installed.factory(collector, "");
  }

  public static void main(String[] arguments) throws InterruptedException {
    LittleStack stack = new LittleStack(arguments[0]);
    stack.onThread(stack::measure);
    int left = (Integer.parseInt(arguments[1]) << 10) / (STACK / stack.deepest);
    for (Use use : USES) {
      stack.onThread(() -> stack.tryOut(use, stack.deepest - left));
      if (stack.told != null) {
        System.out.println(use.name() + ": " + stack.told);
      }
    }
  }

  private static void push(Heap heap, Mutator t) {
    t.newThread(2);
    t.push(2, 0);
  }

  private static void resume(Heap heap, Mutator t) {
    push(heap, t);
    t.resume(2, 3, 0, 1);
    t.suspend();
  }

  /** More than a small region of frames holds, so that it grows or moves. */
  private static void makeRecords(Heap heap, Mutator t) {
    for (int i = 0; i < 20_000; i++) {
      t.newRecord(2, 3);
      t.store(2, 0, 3);
      t.copy(3, 2);
    }
  }

  private void onThread(Runnable work) throws InterruptedException {
    told = null;
    Thread thread = new Thread(null, work, "little stack", STACK);
    thread.start();
    thread.join();
  }

  private void measure() {
    try {
      dig(Integer.MAX_VALUE, () -> {});
    } catch (StackOverflowError _) {
      // as many levels as there are
    }
  }

  private int dig(int levels, Runnable work) {
    if (levels > MOST) {
      deepest = Integer.MAX_VALUE - levels;
    }
    if (levels == 0) {
      work.run();
      return 0;
    }
    return dig(levels - 1, work) + 1;
  }

  private void tryOut(Use use, int levels) {
    Heap heap = heaps.open();
    Mutator t = heap.mutator();
    t.enter(4);
    t.enter(4);
    t.newObject(0);
    t.newObject(1);
    t.newString(2, "x");
    t.putIndex(0, 0, 1);
    t.putIndex(0, 1, 2);
    try {
      int _ = dig(levels, () -> use.work().accept(heap, t));
    } catch (StackOverflowError _) {
      // the use is refused
    }
    try {
      int _ = t.frameDepth();
      List<String> wrong = heap.inspect().verify();
      told = wrong.isEmpty() ? null : wrong.toString();
    } catch (RuntimeException e) {
      told = e.toString();
    }
    heap.close();
  }
}
