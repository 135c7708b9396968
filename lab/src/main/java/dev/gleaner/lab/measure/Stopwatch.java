package dev.gleaner.lab.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;

/** Wall and CPU time of a run: the CPU time is that of all threads of this JVM. */
final class Stopwatch {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final long cpuStart = SYSTEM.getProcessCpuTime();
  private final long start = System.nanoTime();
  private long nanos;
  private long cpuNanos;
  private long processCpuNanos;

  /** Ends the measurement. */
  void stop() {
    nanos = System.nanoTime() - start;
    processCpuNanos = SYSTEM.getProcessCpuTime();
    cpuNanos = processCpuNanos - cpuStart;
  }

  void putInto(Map<Figure, Double> figures) {
    figures.put(Figure.SECONDS, nanos / 1e9);
    figures.put(Figure.CPU_SECONDS, cpuNanos / 1e9);
    figures.put(Figure.PROCESS_CPU_SECONDS, processCpuNanos / 1e9);
  }
}
