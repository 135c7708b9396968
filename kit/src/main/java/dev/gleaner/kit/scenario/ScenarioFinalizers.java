package dev.gleaner.kit.scenario;

import dev.gleaner.heap.Finalizer;
import dev.gleaner.heap.Mutator;
import dev.gleaner.refusal.HeapException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The scenario's finalizers, as the heap calls them: at any allocation, in the middle of a
 * statement.
 *
 * <p>The heap swallows what a finalizer throws. That is right for its errors, but a failed
 * expectation ends the scenario: it is kept here, and {@link #rethrow} brings it up once the
 * statement that led to the finalizer is done. Until then no other finalizer does anything.
 */
final class ScenarioFinalizers {
  private final Mutator t;
  private final Operands operands;
  private final FinalizationLog log;
  private final Consumer<Block> body;
  private Statement.@Nullable SetFinalizer running;
  private @Nullable RuntimeException failure;
  private boolean closing;
  private boolean over;

  ScenarioFinalizers(Mutator t, Operands operands, FinalizationLog log, Consumer<Block> body) {
    this.t = t;
    this.operands = operands;
    this.log = log;
    this.body = body;
  }

  /** Whether the finalizer that is running runs because the heap closes. */
  boolean isClosing() {
    return closing;
  }

  /** Ends the scenario: what the heap calls from now on is none of its business. */
  void end() {
    over = true;
  }

  void rethrow() {
    if (failure != null) {
      throw failure;
    }
  }

  void set(int slot, Statement.SetFinalizer finalizer) {
    t.setFinalizer(slot, finalizer.label(), (_, isClosing) -> run(finalizer, isClosing));
  }

  void setAgain(int slot) {
    Statement.SetFinalizer finalizer = running;
    if (finalizer == null) {
      throw new IllegalStateException("no finalizer is running");
    }
    set(slot, finalizer);
  }

  /** The on-free callback of natives. */
  void freed(Object label, boolean isClosing) {
    if (!over) {
      log.add(label + (isClosing ? "!" : ""));
    }
  }

  private void run(Statement.SetFinalizer finalizer, boolean isClosing) {
    if (over || failure != null) {
      return;
    }
    log.add(finalizer.label() + (isClosing ? "!" : ""));
    if (finalizer.block().isEmpty()) {
      return;
    }
    Operands.Position interrupted = operands.position();
    running = finalizer;
    closing = isClosing;
    try {
      // The heap's own frame cannot be refused; most blocks need no more.
      if (finalizer.layout().size() > Finalizer.FRAME_SLOTS) {
        t.enter(finalizer.layout().size(), 0, 1);
      }
      operands.goTo(finalizer.layout());
      body.accept(finalizer.block());
    } catch (HeapException e) {
      throw e;
    } catch (RuntimeException | AssertionError e) {
      failure = e instanceof RuntimeException r ? r : new IllegalStateException(e);
    } finally {
      running = null;
      closing = false;
      operands.goBackTo(interrupted);
    }
  }
}
