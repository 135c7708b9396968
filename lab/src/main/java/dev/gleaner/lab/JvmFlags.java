package dev.gleaner.lab;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a worker's JVM, fixed so that runs can be compared. They are shown with the
 * settings.
 *
 * <p>Under a collector of Gleaner's the JVM's own heap is small, and holds little: elements are
 * outside of it. The baseline gets what the same program gets elsewhere in comparisons, a heap of 4
 * GiB that does not grow, or less where the machine does not have it; or the limit that was asked
 * for, or that it is held to.
 */
final class JvmFlags {
  private static final long SMALL = 128L << 20;
  private static final long SMALL_LIMIT = 1L << 30;
  private static final long BASELINE = 4L << 30;

  /**
   * A program may be compiled before the operations that it calls were counted; by default they are
   * not inlined then, and never will be. And a method with many operations would keep all their
   * rare paths (docs/runtime.md, "Options of the JVM").
   */
  private static final List<String> INLINING =
      List.of(
          "-XX:+UnlockDiagnosticVMOptions",
          "-XX:MinInlineFrequencyRatio=0",
          "-XX:PerMethodTrapLimit=1000000");

  private JvmFlags() {}

  /**
   * Returns the options under a collector.
   *
   * @param needed bytes that the workload itself keeps in the JVM's heap
   * @param startup those of the {@link StartupCache}
   */
  static List<String> forCollector(long needed, List<String> startup) {
    List<String> flags = common(startup);
    flags.add("-Xms" + mebibytes(SMALL) + "m");
    flags.add("-Xmx" + mebibytes(Math.max(SMALL_LIMIT, needed)) + "m");
    flags.add("--enable-native-access=ALL-UNNAMED");
    flags.addAll(INLINING);
    return flags;
  }

  /**
   * Returns the options for plain Java objects.
   *
   * @param limit bytes, or null if none was asked for
   * @param startup those of the {@link StartupCache}
   */
  static List<String> forBaseline(@Nullable Long limit, List<String> startup) {
    long bytes = limit == null ? Math.min(BASELINE, machineMemory() * 3 / 4) : limit;
    List<String> flags = common(startup);
    flags.add("-Xms" + mebibytes(bytes) + "m");
    flags.add("-Xmx" + mebibytes(bytes) + "m");
    return flags;
  }

  /** Returns the option that makes the JVM log its collections; it is no matter of comparison. */
  static String gcLog(Path file) {
    return "-Xlog:gc:file=" + file + ":timenanos:filecount=0";
  }

  static long machineMemory() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
  }

  private static List<String> common(List<String> startup) {
    List<String> flags = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData"));
    flags.addAll(startup);
    return flags;
  }

  /** Returns bytes in whole MiB, as a JVM's options have them. */
  static long mebibytes(long bytes) {
    return Math.max(2, (bytes + (1 << 20) - 1) >> 20);
  }
}
