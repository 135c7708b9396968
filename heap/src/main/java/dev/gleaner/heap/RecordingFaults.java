package dev.gleaner.heap;

/** Faults with a trace. All methods are generated: see {@link RecordingMutator}. */
abstract non-sealed class RecordingFaults extends HeapFaults {
  final Recorder recorder;

  RecordingFaults(HeapCore core, Recorder recorder) {
    super(core);
    this.recorder = recorder;
  }
}
