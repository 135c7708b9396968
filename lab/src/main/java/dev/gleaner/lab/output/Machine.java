package dev.gleaner.lab.output;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The machine that the figures belong to.
 *
 * @param cpu the processor's model; its architecture where the model cannot be read
 * @param cores processors that the JVM may use
 * @param memoryBytes memory of the machine, or of the container
 * @param os name and version
 * @param jvm name and version
 */
public record Machine(String cpu, int cores, long memoryBytes, String os, String jvm) {

  /** Describes this one. */
  public static Machine current() {
    String os = System.getProperty("os.name") + " " + System.getProperty("os.version");
    String jvm = System.getProperty("java.vm.name") + " " + Runtime.version();
    return new Machine(
        model(),
        Runtime.getRuntime().availableProcessors(),
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize(),
        os,
        jvm);
  }

  /** Returns it in lines of at most so many characters. */
  public List<String> lines(int width) {
    return Words.wrapped(text(), width);
  }

  /** Returns it in one line. */
  public String text() {
    return "%s, %d %s, %s, %s, %s"
        .formatted(
            cpu, cores, cores == 1 ? "core" : "cores", Units.bytes((double) memoryBytes), os, jvm);
  }

  private static String model() {
    String architecture = System.getProperty("os.arch");
    try {
      Path linux = Path.of("/proc/cpuinfo");
      if (Files.isReadable(linux)) {
        for (String line : Files.readAllLines(linux)) {
          if (line.startsWith("model name")) {
            return line.substring(line.indexOf(':') + 1).strip();
          }
        }
      }
      if (System.getProperty("os.name").startsWith("Mac")) {
        Process sysctl =
            new ProcessBuilder(List.of("sysctl", "-n", "machdep.cpu.brand_string")).start();
        return new String(sysctl.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      }
    } catch (IOException e) {
      return architecture;
    }
    return architecture;
  }
}
