package dev.gleaner.heap;

import dev.gleaner.parts.HeapParts;

/** Faults that are recorded: all by their declarations, see {@link RecordingMutator}. */
abstract non-sealed class RecordingFaults extends HeapFaults {
  final Recorder recorder;

  RecordingFaults(Mutator mutator, HeapParts context, Recorder recorder) {
    super(mutator, context);
    this.recorder = recorder;
  }
}
