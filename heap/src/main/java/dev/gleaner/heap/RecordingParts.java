package dev.gleaner.heap;

import dev.gleaner.parts.HeapParts;
import dev.gleaner.spi.Collector;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;

/** Makes the parts of a heap with a trace. */
final class RecordingParts extends Heap.Parts {
  private static final MethodHandle MUTATOR =
      constructor(RecordingMutator.class, HeapParts.class, Collector.class, HeapCore.Maker.class);
  private static final MethodHandle PLAIN_MEMORY =
      constructor(RecordingPlainMemory.class, HeapCore.class);
  private static final MethodHandle FAULTS = constructor(RecordingFaults.class, HeapCore.class);

  private final Recorder recorder;

  RecordingParts(Recorder recorder) {
    this.recorder = recorder;
  }

  private static MethodHandle constructor(Class<?> type, Class<?>... parameters) {
    return RecordingCode.constructor(
        type, MethodType.methodType(void.class, parameters).appendParameterTypes(Recorder.class));
  }

  @Override
  Mutator mutator(HeapParts context, Collector collector, HeapCore.Maker maker) {
    try {
      return (RecordingMutator) MUTATOR.invokeExact(context, collector, maker, recorder);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  @Override
  PlainMemory plainMemory(HeapCore core) {
    try {
      return (RecordingPlainMemory) PLAIN_MEMORY.invokeExact(core, recorder);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }

  @Override
  HeapFaults faults(HeapCore core) {
    try {
      return (RecordingFaults) FAULTS.invokeExact(core, recorder);
    } catch (Throwable e) {
      throw Inlining.rethrown(e);
    }
  }
}
