package dev.gleaner.heap;

import dev.gleaner.spi.HeapContext;

/** Faults that are recorded: all by their declarations, see {@link RecordingMutator}. */
abstract non-sealed class RecordingFaults extends HeapFaults {
  final Recorder recorder;

  RecordingFaults(Mutator mutator, HeapContext context, Recorder recorder) {
    super(mutator, context);
    this.recorder = recorder;
  }
}
