package dev.gleaner.lab.workload;

import com.typesafe.config.Config;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program that is run under every collector, with the same work and the same checksum each time.
 *
 * <p>A workload leaves every frame that it entered and closes every global reference that it made
 * before it returns, so that what is left in the heap afterwards is what the collector did not
 * find.
 */
public interface Workload {
  /** Where the generator of random numbers starts, in every workload. */
  int SEED = 42;

  /** Returns the name that selects this workload, as in {@code gcbench}. */
  String name();

  /** Returns one line that says what the workload does. */
  String summary();

  /**
   * Returns every parameter with the value that it has when none is given, in the order in which
   * they are shown. A parameter whose default is a whole number takes whole numbers only.
   */
  Map<String, String> defaults();

  /** Returns the values allowed for those parameters that take one of a few words. */
  default Map<String, List<String>> choices() {
    return Map.of();
  }

  /**
   * Returns the bytes to which the heap is limited when nobody set a limit, or 0 for the general
   * default.
   *
   * @throws IllegalArgumentException if the workload cannot run with these parameters
   */
  default long heapMemory(Parameters parameters) {
    return 0;
  }

  /**
   * Returns settings that hold where nobody set others, in HOCON.
   *
   * @throws IllegalArgumentException if the workload cannot run with these parameters
   */
  default String settings(Parameters parameters, String collector) {
    return "";
  }

  /**
   * Returns this workload under the settings in force, for one that has some of its own beside
   * those of its heap.
   *
   * @param plugins class loaders that lead to more collectors
   */
  default Workload under(Config settings, List<ClassLoader> plugins) {
    return this;
  }

  /**
   * Returns the bytes of the JVM's own heap that the workload works with, or 0 if those are few.
   */
  default long jvmMemory(Parameters parameters) {
    return 0;
  }

  /**
   * Runs once and returns the checksum.
   *
   * @throws dev.gleaner.refusal.HeapExhaustedException if the heap's limit is too small for the
   *     work
   */
  long run(Run run);

  /** Returns the same work on plain Java objects, or null where it has no counterpart there. */
  default @Nullable JvmBaseline baseline() {
    return null;
  }
}
