package dev.gleaner.heap;

import dev.gleaner.layout.ThreadLayout;

/** Calls the finalizers of a heap, and switches to the threads of finalizers and callbacks. */
final class Callbacks implements ProgramCode {
  private final HeapCore core;
  private final WordAccess r;
  private final Mutator mutator;

  /** Whether finalizers run on the running thread, and not on one of the heap's own. */
  private final boolean inPlace;

  Callbacks(HeapCore core, Mutator mutator) {
    this.core = core;
    this.r = core.registers();
    this.mutator = mutator;
    this.inPlace = core.collector().finalizesInline();
  }

  @Override
  public void enterCallback() {
    mutator.callbacks.enter(Finalizer.FRAME_SLOTS);
  }

  @Override
  public void leaveCallback() {
    mutator.callbacks.leave();
  }

  @Override
  public void enterFinalizer() {
    if (inPlace) {
      mutator.finalizerFrame.enter(Finalizer.FRAME_SLOTS);
    } else {
      mutator.finalizers.enterWithRoom(Finalizer.FRAME_SLOTS);
    }
  }

  @Override
  public void leaveFinalizer() {
    if (inPlace) {
      mutator.finalizerFrame.leave();
    } else {
      mutator.finalizers.leave();
    }
  }

  @Override
  public void leaveAll() {
    long t = r.current;
    while (t != r.main || r.floors.count() > 0) {
      if (mutator.finalizerFrame.runsOn(t)) {
        mutator.finalizerFrame.leave();
        t = r.current;
      } else if (mutator.finalizers.runsOn(t)) {
        mutator.finalizers.leave();
        t = r.current;
      } else if (mutator.callbacks.runsOn(t)) {
        mutator.callbacks.leave();
        t = r.current;
      } else {
        t = core.context().memory().get(t + ThreadLayout.RESUMER);
      }
    }
  }

  @Override
  public void run(Object finalizer, boolean closing) {
    ((Finalizer) finalizer).run(mutator, closing);
  }

  @Override
  public boolean refuses(Object finalizer) {
    return r.ownership.observers.<Boolean, RuntimeException>tell(((Finalizer) finalizer)::refuses);
  }
}
