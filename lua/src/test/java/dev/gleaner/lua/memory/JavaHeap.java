package dev.gleaner.lua.memory;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.ObjectName;

/** The live objects of this JVM's heap, by class. */
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
}
