package dev.gleaner.lab;

/**
 * What is compared: a collector, or plain Java objects under the JVM's own collector.
 *
 * @param name the collector's name, or {@link WorkerRequest#JVM}
 * @param version of the plug-in, or of Java
 */
record Contender(String name, String version) {
  /** Returns the baseline. */
  static Contender jvm() {
    return new Contender(WorkerRequest.JVM, Runtime.version().toString());
  }

  boolean isJvm() {
    return name.equals(WorkerRequest.JVM);
  }
}
