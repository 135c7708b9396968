package dev.gleaner.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Classes of one package that need each other, however far round, form a knot: none can be read
 * alone. The test counts classes with those nested in them.
 */
class KnotsTest {
  private static final int MOST = 5;

  @Test
  void noKnotIsLarge() {
    Map<String, Set<String>> uses = uses();
    Map<String, Set<String>> knots = new TreeMap<>();
    for (String each : uses.keySet()) {
      Set<String> knot = new TreeSet<>(reached(uses, each));
      knot.removeIf(other -> !reached(uses, other).contains(each));
      knots.merge(packageOf(each), knot, (a, b) -> a.size() < b.size() ? b : a);
    }
    assertThat(knots).hasSizeGreaterThan(30);
    assertThat(knots.values()).allSatisfy(knot -> assertThat(knot).hasSizeLessThanOrEqualTo(MOST));
  }

  /** The classes of its own package that each class needs. */
  private static Map<String, Set<String>> uses() {
    Map<String, Set<String>> uses = new HashMap<>();
    for (JavaClass c : MainClasses.ALL) {
      Set<String> used = uses.computeIfAbsent(top(c), key -> new HashSet<>());
      c.getDirectDependenciesFromSelf().stream()
          .map(d -> d.getTargetClass().getBaseComponentType())
          .filter(other -> other.getPackageName().equals(c.getPackageName()))
          .map(KnotsTest::top)
          .forEach(used::add);
    }
    return uses;
  }

  private static String top(JavaClass c) {
    return c.getName().replaceAll("\\$.*", "");
  }

  private static String packageOf(String name) {
    return name.substring(0, name.lastIndexOf('.'));
  }

  private static Set<String> reached(Map<String, Set<String>> uses, String from) {
    Set<String> reached = new HashSet<>();
    Deque<String> left = new ArrayDeque<>(Set.of(from));
    while (!left.isEmpty()) {
      for (String next : uses.getOrDefault(left.remove(), Set.of())) {
        if (reached.add(next)) {
          left.add(next);
        }
      }
    }
    return reached;
  }
}
