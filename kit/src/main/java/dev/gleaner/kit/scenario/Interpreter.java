package dev.gleaner.kit.scenario;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.heap.Mutator;
import dev.gleaner.memory.AllocationFailures;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.refusal.HeapUsageException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs a scenario on a heap, through the heap's public interface.
 *
 * <p>The locals of a block are the slots of a frame of the heap, so they are roots as those of any
 * program are. A statement may be interrupted by finalizers, whose blocks run here as well, in
 * frames of their own; {@link ScenarioFinalizers} puts everything back as it was.
 *
 * <pre>
 *   statement fails (HeapException)  -> temporaries wiped -> frames left, flags restored on the way up
 *                                    -> caught by 'expect error', 'expect out-of-memory', or the end
 *   expectation fails                -> the same, caught by nothing but the end
 *     ... in a finalizer             -> kept until the interrupted statement is done, then the same
 * </pre>
 *
 * <p>{@code open} changes the heap under all of this, in the frame that saved the image: so the
 * frames of the two heaps are the same.
 *
 * <p>Frames of {@code nest} are the heap's, not this JVM's: it works its way down and up in loops.
 */
final class Interpreter {
  /** Opens heaps from images. */
  @FunctionalInterface
  interface Opener {
    Heap open(HeapImage image, ImageBindings bindings);
  }

  /**
   * An image that the scenario saved.
   *
   * @param frame the number of the frame that saved it
   * @param line the line that saved it
   */
  private record Saved(HeapImage image, long frame, int line) {}

  private final Scenario.Program program;
  private final Opener opener;
  private final Consumer<String> printer;
  private final Operands operands;
  private final ScenarioFinalizers finalizers;
  private final ExpectationChecks expectations;
  private final Map<String, Saved> images = new HashMap<>();

  /** How many elements are a heap's own that the scenario did not open from an image. */
  private final long own;

  private Heap heap;
  private Mutator t;
  private ElementActions elements;
  private HeapActions memory;
  private int line;

  Interpreter(
      Heap heap,
      Scenario.Program program,
      FinalizationLog log,
      Consumer<String> printer,
      Opener opener) {
    this.heap = heap;
    this.t = heap.mutator();
    this.program = program;
    this.opener = opener;
    this.printer = printer;
    operands = new Operands(heap, program);
    finalizers = new ScenarioFinalizers(t, operands, log, this::runInterrupting);
    BytePattern bytes = new BytePattern(t);
    elements = new ElementActions(t, operands, finalizers, bytes);
    t.enter(program.layout().size());
    makeThreads(program.finalizers(), program.natives());
    expectations = new ExpectationChecks(heap, operands, log, bytes);
    own = heap.statistics().liveElements();
    memory = new HeapActions(heap, operands, expectations, printer);
  }

  /**
   * Has the heap make now the threads that it makes for the first finalizer and the first on-free
   * callback: so that they are none of the elements that the scenario makes, and no requests of its
   * blocks.
   */
  private void makeThreads(boolean forFinalizers, boolean forCallbacks) {
    t.enter(1);
    if (forFinalizers) {
      t.newRecord(0, 0);
      t.setFinalizer(0, "none", (_, _) -> {});
      boolean _ = t.clearFinalizer(0);
    }
    if (forCallbacks) {
      t.newNative(0, "none", (_, _) -> {});
    }
    t.leave();
    if (forFinalizers || forCallbacks) {
      heap.collect();
    }
  }

  /**
   * Runs the scenario.
   *
   * @throws ExpectationFailure at the first expectation that does not hold
   * @throws HeapException if a statement fails that was not expected to
   */
  void run() {
    try {
      run(program.block());
    } catch (RuntimeException e) {
      finalizers.rethrow(); // what a finalizer found comes first
      throw e;
    } finally {
      finalizers.end();
    }
    expectations.end();
  }

  /** The heap that the scenario uses. */
  Heap heap() {
    return heap;
  }

  /** The line that was run last. */
  int line() {
    return line;
  }

  private void runInterrupting(Block block) {
    int interrupted = line;
    try {
      run(block);
    } finally {
      line = interrupted;
    }
  }

  private void run(Block block) {
    for (int i = 0; i < block.steps().size(); i++) {
      Block.Step step = block.steps().get(i);
      line = step.line();
      if (heap.isClosed() && !(step.statement() instanceof Expectation)) {
        throw new HeapClosedException(heap.name());
      }
      try {
        execute(step.statement());
      } finally {
        operands.release();
      }
      finalizers.rethrow();
    }
  }

  private void execute(Statement statement) {
    switch (statement) {
      case Statement.OnElements action -> elements.execute(action);
      case Statement.OnHeap action -> memory.execute(action);
      case Statement.Control control -> execute(control);
      case Expectation.Simple expectation -> expectations.check(expectation, line);
      case Expectation.OutOfMemory expected -> expectOutOfMemory(expected);
      case Expectation.Fails expected -> expectError(expected);
    }
  }

  private void execute(Statement.Control statement) {
    switch (statement) {
      case Statement.Frame frame -> frame(frame);
      case Statement.Nest nest -> nest(nest);
      case Statement.Resume resume -> resume(resume);
      case Statement.Tail tail ->
          t.compact(tail.kept().stream().mapToInt(Place.Local::slot).toArray());
      case Statement.Repeat repeat -> {
        for (long i = 0; i < repeat.times(); i++) {
          run(repeat.block());
        }
      }
      case Statement.Walk walk -> walk(walk);
      case Statement.When when -> {
        if (finalizers.isClosing() == when.closing()) {
          run(when.block());
        }
      }
      case Statement.BaseFlags flags -> {
        int before = heap.setBaseFlags(heap.baseFlags() | flags.flags());
        try {
          run(flags.block());
        } finally {
          if (!heap.isClosed()) {
            int _ = heap.setBaseFlags(before);
          }
        }
      }
      case Statement.FailAllocations fail -> failAllocations(fail);
      case Statement.Throw thrown -> throw new ThrownByScenario(thrown.text());
      case Statement.Save save -> save(save);
      case Statement.Open open -> open(open.image());
    }
  }

  // ---- frames ----

  private void frame(Statement.Frame frame) {
    List<Place.Local> results = frame.results();
    int first = results.size() == 1 ? results.getFirst().slot() : operands.temps(results.size());
    Operands.Position caller = operands.position();
    t.enter(frame.body().layout().size());
    boolean left = false;
    try {
      Block.Return returned = run(frame.body());
      if (returned != null) {
        leaveWith(returned, first, results.size());
        left = true;
      }
    } finally {
      operands.goBackTo(caller);
      leave(left ? 0 : 1);
    }
    for (int i = 0; results.size() > 1 && i < results.size(); i++) {
      t.copy(results.get(i).slot(), first + i);
    }
  }

  /** Runs what a frame has, and what it calls in its place; answers what is to be returned. */
  private Block.@Nullable Return run(Statement.Body called) {
    Statement.Body body = called;
    operands.goTo(body.layout());
    run(body.block());
    for (Statement.TailCall tail = body.tail(); tail != null; tail = body.tail()) {
      line = tail.line();
      int first = operands.temps(tail.moved().size());
      for (int i = 0; i < tail.moved().size(); i++) {
        t.copy(first + i, tail.moved().get(i).slot());
      }
      body = tail.body();
      int slots = (int) Math.min(Integer.MAX_VALUE, tail.slots());
      t.tailCall(Math.max(slots, body.layout().size()), first, tail.moved().size());
      operands.goTo(body.layout());
      run(body.block());
    }
    return body.returned();
  }

  private void leaveWith(Block.Return returned, int d, int wanted) {
    line = returned.line();
    List<Value> values = returned.values();
    if (values.size() == 1 && wanted == 1) {
      t.leave(operands.slot(values.getFirst()), d);
      return;
    }
    int first = operands.temps(values.size());
    for (int i = 0; i < values.size(); i++) {
      t.copy(first + i, operands.slot(values.get(i)));
    }
    int _ = t.leave(first, values.size(), d, wanted);
  }

  private void leave(long frames) {
    for (long i = 0; i < frames && !heap.isClosed(); i++) {
      t.leave();
    }
  }

  private void nest(Statement.Nest nest) {
    Operands.Position caller = operands.position();
    long entered = 0;
    try {
      while (entered < nest.depth()) {
        t.enter(nest.layout().size());
        entered++;
        operands.goTo(nest.layout());
        run(nest.down());
      }
      t.setNull(entered == 0 ? nest.result().slot() : nest.inner().slot());
      while (entered > 0) {
        run(nest.up());
        leaveWith(nest.returned(), entered == 1 ? nest.result().slot() : nest.inner().slot(), 1);
        entered--;
        operands.goTo(nest.layout());
      }
    } finally {
      operands.goBackTo(caller);
      leave(entered);
    }
  }

  /** In a frame of the block's own: what was pushed stays where it can be popped. */
  private void resume(Statement.Resume resume) {
    int thread = operands.slot(resume.thread());
    Operands.Position resumer = operands.position();
    int _ = t.resumeInto(thread, 0, 0, 0, 0);
    try {
      t.enter(resume.layout().size());
      try {
        operands.goTo(resume.layout());
        run(resume.block());
      } finally {
        operands.goBackTo(resumer);
        leave(1);
      }
    } finally {
      if (!heap.isClosed()) {
        int _ = t.suspend(0, 0, 0, 0);
      }
    }
  }

  private void walk(Statement.Walk walk) {
    int held = walk.held().slot();
    int key = walk.key().slot();
    int value = walk.value().slot();
    long seen = 0;
    try {
      operands.load(held, walk.object());
      operands.release();
      for (long at = t.nextProperty(held, 0, key, value);
          at >= 0;
          at = t.nextProperty(held, at, key, value)) {
        seen++;
        run(walk.block());
      }
    } finally {
      if (!heap.isClosed()) {
        t.setUndefined(held);
      }
    }
    expectations.walked(seen);
  }

  // ---- images ----

  private void save(Statement.Save save) {
    Saved before = images.get(save.image());
    if (before != null && before.line != save.line()) {
      throw new HeapUsageException(
          "image " + save.image() + " was saved by line " + before.line + " already");
    }
    HeapImage image = heap.image(finalizers.new Bindings(operands.globals()));
    images.put(save.image(), new Saved(image, operands.frame(), save.line()));
  }

  /**
   * Goes on in another heap. Its frames are those of the image, so they fit what runs here only if
   * the frame that saved the image is the one that opens it.
   */
  private void open(String name) {
    Saved saved = images.get(name);
    if (saved == null) {
      throw new HeapUsageException("no image " + name + " was saved");
    }
    if (saved.frame != operands.frame()) {
      throw new HeapUsageException("image " + name + " was saved in another frame");
    }
    ScenarioFinalizers.Bindings bindings = finalizers.new Bindings(Map.of());
    Heap opened = opener.open(saved.image, bindings);
    Heap left = heap;
    goOnIn(opened, bindings.opened());
    finalizers.leave(left);
  }

  private void goOnIn(Heap opened, Map<String, GlobalRef> globals) {
    int flags = heap.baseFlags();
    AllocationFailures failures = heap.faults().allocationFailures();
    heap = opened;
    t = opened.mutator();
    BytePattern bytes = new BytePattern(t);
    operands.goOnIn(opened, globals);
    finalizers.goOnIn(t);
    elements = new ElementActions(t, operands, finalizers, bytes);
    memory = new HeapActions(opened, operands, expectations, printer);
    int _ = opened.setBaseFlags(flags);
    expectations.goOnIn(opened, bytes, own + holdThreads());
    restore(failures);
  }

  /**
   * Has an opened heap make the threads of {@link #makeThreads}. No collection is asked for, which
   * would decide of what was rescued: so what asked for the threads is kept. Returns how many
   * elements these are.
   */
  private int holdThreads() {
    t.enter(1);
    int held = 0;
    if (program.finalizers()) {
      t.newRecord(0, 0);
      t.setFinalizer(0, "none", (_, _) -> {});
      boolean _ = t.clearFinalizer(0);
      t.setGlobal(heap.newGlobal(), 0);
      held++;
    }
    if (program.natives()) {
      t.newNative(0, "none", (_, _) -> {});
      t.setGlobal(heap.newGlobal(), 0);
      held++;
    }
    t.leave();
    return held;
  }

  // ---- blocks under conditions ----

  private void failAllocations(Statement.FailAllocations fail) {
    AllocationFailures before = heap.faults().allocationFailures();
    heap.faults().failAllocations(fail.after(), fail.times());
    try {
      run(fail.block());
    } finally {
      if (!heap.isClosed()) {
        restore(before);
      }
    }
  }

  private void restore(@Nullable AllocationFailures before) {
    if (before == null) {
      heap.faults().clearFailAllocations();
    } else {
      heap.faults().failAllocations(before.after(), before.times());
    }
  }

  private void expectOutOfMemory(Expectation.OutOfMemory expected) {
    int own = line;
    HeapException error = errorOf(expected.block());
    if (!(error instanceof HeapExhaustedException)) {
      throw new ExpectationFailure(own, "out-of-memory", found(error));
    }
  }

  private void expectError(Expectation.Fails expected) {
    int own = line;
    HeapException error = errorOf(expected.block());
    if (error == null || !String.valueOf(error.getMessage()).contains(expected.text())) {
      throw new ExpectationFailure(own, "error " + Texts.quoted(expected.text()), found(error));
    }
  }

  private @Nullable HeapException errorOf(Block block) {
    try {
      run(block);
      return null;
    } catch (HeapException e) {
      finalizers.rethrow();
      return e;
    }
  }

  private static String found(@Nullable HeapException error) {
    return error == null ? "no error" : Texts.message(error);
  }
}
