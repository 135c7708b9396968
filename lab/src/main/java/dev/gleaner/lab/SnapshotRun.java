package dev.gleaner.lab;

import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.UnmeasuredRun;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.trace.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Runs a workload up to the moment of its snapshot, and no further. */
final class SnapshotRun extends UnmeasuredRun {
  private final Path file;
  private final long at;

  private SnapshotRun(HeapFactory factory, Parameters parameters, Path file, long at) {
    super(factory, parameters);
    this.file = file;
    this.at = at;
  }

  /** What was written. */
  record Taken(HeapStatistics statistics, long fileBytes) {}

  /** Ends the workload: the snapshot is taken. */
  private static final class Done extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final transient Taken taken;

    Done(Taken taken) {
      super(null, null, false, false);
      this.taken = taken;
    }
  }

  /**
   * Runs a workload and writes the snapshot.
   *
   * @param at elements to be allocated before, or -1 to wait for the end
   * @throws RequestException if the workload makes fewer, or works with no heap of its own
   * @throws UncheckedIOException if the file cannot be written
   */
  static Taken take(
      Workload workload, HeapFactory factory, Parameters parameters, Path file, long at) {
    try (SnapshotRun run = new SnapshotRun(factory, parameters, file, at)) {
      long _ = workload.run(run);
      throw run.tooLate(workload.name());
    } catch (Done done) {
      return done.taken;
    }
  }

  private RequestException tooLate(String workload) {
    Heap heap = opened();
    if (heap == null) {
      return new RequestException(workload + " opens heaps of its own, and leaves none to show");
    }
    return new RequestException(
        "--at %d: %s allocates only %d elements"
            .formatted(at, workload, heap.statistics().allocatedElements()));
  }

  private void write(Heap open) {
    try (WholeFile whole = new WholeFile(file)) {
      open.inspect().writeSnapshot(whole.out());
      whole.complete();
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    throw new Done(new Taken(open.statistics(), file.toFile().length()));
  }

  @Override
  public void progress(double fraction) {
    Heap heap = opened();
    if (heap != null && at >= 0 && heap.statistics().allocatedElements() >= at) {
      write(heap);
    }
  }

  @Override
  public void beforeDropping() {
    Heap heap = opened();
    if (heap != null && (at < 0 || heap.statistics().allocatedElements() >= at)) {
      write(heap);
    }
  }
}
