package dev.gleaner.heap;

import java.util.List;
import org.apiguardian.api.API;

/**
 * What has leaked: elements that no root leads to, and that stay until the heap is closed.
 *
 * @param elements how many, strings included
 * @param bytes of these elements, without what they own besides
 * @param sample one loop of them, a text a step, the last step back to the element that the first
 *     step leaves; empty if nothing leaked
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
