package dev.gleaner.heap;

import dev.gleaner.parts.HeapParts;
import dev.gleaner.spi.Collector;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/** Makes the parts of a heap with a trace. */
final class RecordingParts extends Heap.Parts {
  private static final MethodHandle MUTATOR =
      RecordingCode.constructor(
          RecordingMutator.class,
          MethodType.methodType(
              void.class,
              Heap.class,
              HeapParts.class,
              Collector.class,
              Driver.class,
              Recorder.class));

  private static final MethodHandle PLAIN_MEMORY =
      RecordingCode.constructor(
          RecordingPlainMemory.class,
          MethodType.methodType(
              void.class, Mutator.class, HeapParts.class, Driver.class, Recorder.class));

  private static final MethodHandle FAULTS =
      RecordingCode.constructor(
          RecordingFaults.class,
          MethodType.methodType(void.class, Mutator.class, HeapParts.class, Recorder.class));

  private final Recorder recorder;

  RecordingParts(Recorder recorder) {
    this.recorder = recorder;
  }

  @Override
  Mutator mutator(Heap heap, HeapParts context, Collector collector, Driver driver) {
    try {
      return (RecordingMutator) MUTATOR.invokeExact(heap, context, collector, driver, recorder);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  @Override
  PlainMemory plainMemory(Mutator mutator, HeapParts context, Driver driver) {
    try {
      return (RecordingPlainMemory) PLAIN_MEMORY.invokeExact(mutator, context, driver, recorder);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  @Override
  HeapFaults faults(Mutator mutator, HeapParts context) {
    try {
      return (RecordingFaults) FAULTS.invokeExact(mutator, context, recorder);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }
}
