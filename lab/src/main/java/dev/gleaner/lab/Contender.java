package dev.gleaner.lab;

import org.jspecify.annotations.Nullable;

/**
 * What is compared: a collector, or plain Java objects under the JVM's own collector.
 *
 * @param name the collector's name, or {@link WorkerRequest#JVM}, with the limit if it is held
 * @param version of the plug-in, or of Java
 * @param held bytes that the JVM is held to; null if it is not
 */
record Contender(String name, String version, @Nullable Long held) {
  /** Makes one that is held to nothing. */
  Contender(String name, String version) {
    this(name, version, null);
  }

  /** Returns the baseline. */
  static Contender jvm() {
    return new Contender(WorkerRequest.JVM, Runtime.version().toString());
  }

  /** Returns the baseline with no more memory than so much, in whole MiB. */
  static Contender jvmHeldTo(long bytes) {
    long mebibytes = JvmFlags.mebibytes(bytes);
    return new Contender(
        WorkerRequest.JVM + " " + mebibytes + "m", Runtime.version().toString(), mebibytes << 20);
  }

  boolean isJvm() {
    return name.equals(WorkerRequest.JVM) || held != null;
  }

  /** Returns what a worker knows it by. */
  String workerName() {
    return isJvm() ? WorkerRequest.JVM : name;
  }
}
