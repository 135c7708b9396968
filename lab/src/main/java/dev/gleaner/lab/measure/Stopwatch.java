package dev.gleaner.lab.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;

/**
 * Wall and CPU time of a run: the CPU time is that of all threads of this JVM.
 *
 * <p>It stands still while a heap is opened and its meters are bound: most of that is the loading
 * of classes by what measures.
 */
final class Stopwatch {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private long nanos;
  private long cpuNanos;
  private long startNanos;
  private long startCpuNanos;

  /** Goes on from what was measured before. */
  void start() {
    startCpuNanos = SYSTEM.getProcessCpuTime();
    startNanos = System.nanoTime();
  }

  /** Stands still. */
  void stop() {
    nanos += System.nanoTime() - startNanos;
    cpuNanos += SYSTEM.getProcessCpuTime() - startCpuNanos;
  }

  void putInto(Map<Figure, Double> figures) {
    figures.put(Figure.SECONDS, nanos / 1e9);
    figures.put(Figure.CPU_SECONDS, cpuNanos / 1e9);
    figures.put(Figure.PROCESS_CPU_SECONDS, SYSTEM.getProcessCpuTime() / 1e9);
  }
}
