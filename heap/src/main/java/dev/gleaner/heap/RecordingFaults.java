package dev.gleaner.heap;

import dev.gleaner.parts.HeapParts;

/** Faults with a trace. All methods are generated: see {@link RecordingMutator}. */
abstract non-sealed class RecordingFaults extends HeapFaults {
  final Recorder recorder;

  RecordingFaults(Mutator mutator, HeapParts context, Recorder recorder) {
    super(mutator, context);
    this.recorder = recorder;
  }
}
