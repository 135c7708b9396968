package dev.gleaner.heap;

import java.util.List;
import org.apiguardian.api.API;

/**
 * The leaked elements of a heap: no root leads to them, but they stay until the heap is closed.
 *
 * @param elements the number of leaked elements, strings included
 * @param bytes their bytes, without the blocks that they own
 * @param sample one leaked cycle, a text for each step; the last step leads back to the first
 *     element; empty if nothing leaked
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public record LeakReport(long elements, long bytes, List<String> sample) {
  /** Copies the sample. */
  public LeakReport {
    sample = List.copyOf(sample);
  }

  @Override
  public String toString() {
    return elements == 0
        ? "nothing has leaked"
        : elements
            + " elements of "
            + bytes
            + " bytes have leaked; a loop: "
            + String.join(" -> ", sample);
  }
}
