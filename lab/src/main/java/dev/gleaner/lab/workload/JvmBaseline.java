package dev.gleaner.lab.workload;

/** A workload on plain Java objects under the JVM's own collector: same work, same checksum. */
@FunctionalInterface
public interface JvmBaseline {
  /**
   * Runs once and returns the checksum; {@link Run#openHeap} and {@link Run#factory} are not for
   * use here.
   */
  long run(Run run);
}
