package dev.gleaner.lua.memory;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/** The live objects of this JVM's heap, by class, and their bytes. */
public final class JavaHeap {
  private JavaHeap() {}

  /** {@return the bytes of all that is reachable} */
  public static long live() {
    return histogram().values().stream().mapToLong(Long::longValue).sum();
  }

  /** {@return the reachable bytes by the name of a class, as the JVM's histogram has them} */
  public static Map<String, Long> histogram() {
    Map<String, Long> bytes = new HashMap<>();
    for (String line : text().split("\n", -1)) {
      String[] words = line.trim().split("\\s+", -1);
      if (words.length >= 4 && words[0].endsWith(":")) {
        bytes.merge(words[3], Long.valueOf(words[2]), Long::sum);
      }
    }
    return bytes;
  }

  private static String text() {
    try {
      return (String)
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  "gcClassHistogram",
                  new Object[] {new String[0]},
                  new String[] {String[].class.getName()});
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  /** {@return the classes that grew most, the largest first, such as "int[] 4,096"} */
  public static String growth(Map<String, Long> before, Map<String, Long> after, int classes) {
    TreeMap<Long, List<String>> grown = new TreeMap<>();
    after.forEach((name, bytes) -> {
      long more = bytes - before.getOrDefault(name, 0L);
      if (more > 0) {
        grown.computeIfAbsent(more, _ -> new ArrayList<>()).add(name);
      }
    });
    StringBuilder text = new StringBuilder();
    int n = 0;
    for (var entry : grown.descendingMap().entrySet()) {
      for (String name : entry.getValue()) {
        if (n++ < classes) {
          text.append("%s%s %,d".formatted(n == 1 ? "" : ", ", name, entry.getKey()));
        }
      }
    }
    return text.toString();
  }

  /** {@return the bytes that a collection leaves; see {@link #lines} for the JVM} */
  public static long used() {
    System.gc();
    // Not what is in use now: that has all of a thread's buffer for allocation.
    return ManagementFactory.getPlatformMXBeans(GarbageCollectorMXBean.class).stream()
        .filter(bean -> bean.getName().contains("MarkSweep"))
        .mapToLong(bean -> bytes(bean.getLastGcInfo()))
        .sum();
  }

  private static long bytes(GcInfo info) {
    return Stream.of("Eden Space", "Survivor Space", "Tenured Gen")
        .mapToLong(pool -> Objects.requireNonNull(info.getMemoryUsageAfterGc().get(pool)).getUsed())
        .sum();
  }

  /** The most that was live at a time: a thread collects again and again until the end. */
  public static final class Peak {
    private final Thread thread = new Thread(this::sample);
    private volatile boolean over;
    private long most;

    /** Begins. */
    public Peak() {
      thread.start();
    }

    private void sample() {
      do {
        most = Math.max(most, used());
      } while (!over);
    }

    /** {@return the most bytes of Java's heap} */
    public long end() {
      over = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return most;
    }
  }

  /**
   * Runs a program in a JVM that compacts all of its heap in each collection.
   *
   * @param options of the JVM, such as {@code -Xmx256m}, by spaces
   * @return the words between tabs of each line that the program prints
   */
  public static List<String[]> lines(String options, Class<?> program, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:MarkSweepAlwaysCompactCount=1",
                "-XX:MarkSweepDeadRatio=0",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path")));
    command.addAll(List.of(options.split(" ", -1)));
    command.add(program.getName());
    command.addAll(List.of(arguments));
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(printed).isZero();
      return printed.lines().map(line -> line.split("\t", -1)).toList();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
