package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What the first heap of a JVM costs, counted in classes that are read from jars or made: their
 * number does not depend on the machine, and the time follows from it.
 */
class FirstHeapTest {
  /** Where classes belong, and the most of them: a tenth more than there are. */
  private static final Map<String, Integer> MOST = new LinkedHashMap<>();

  static {
    MOST.put("com.google.", 0); // Guice is for collectors whose parts are injected
    MOST.put("com.typesafe.config.", 160);
    MOST.put("dev.gleaner.", 240);
    MOST.put("jdk.internal.foreign.abi.", 1); // calls of the system are for larger heaps
    MOST.put("jdk.internal.foreign.", 40);
    MOST.put("jdk.internal.logger.", 0); // for what there is to say
    MOST.put("java.util.regex.", 0);
    MOST.put("java.math.", 0);
    MOST.put("java.lang.invoke.", 60);
    MOST.put("", 120);
  }

  @Test
  void loadsFewClasses() throws Exception {
    ForkedJvm.Result result =
        ForkedJvm.run(List.of(ForkedJvm.NATIVE_ACCESS, "-Xlog:class+load:stdout"), FirstHeap.class);
    assertThat(result.exit()).as(() -> String.join("\n", result.err())).isZero();
    Map<String, Integer> loaded = new LinkedHashMap<>();
    MOST.keySet().forEach(part -> loaded.put(part, 0));
    for (String line : result.out()) {
      int name = line.indexOf("] ") < 0 ? -1 : line.lastIndexOf("] ") + 2;
      if (name > 0 && line.contains("source: ") && !line.contains("shared objects file")) {
        String part =
            MOST.keySet().stream()
                .filter(each -> line.startsWith(each, name))
                .findFirst()
                .orElseThrow();
        loaded.merge(part, 1, Integer::sum);
      }
    }
    assertThat(loaded.get("dev.gleaner.")).as("the log is read").isGreaterThan(100);
    MOST.forEach((part, most) ->
        assertThat(loaded.get(part)).as(() -> part + " of " + loaded).isLessThanOrEqualTo(most));
  }
}
