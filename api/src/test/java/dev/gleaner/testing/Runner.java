package dev.gleaner.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.TestTag;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs classes and methods of tests for {@code ./gleaner test}. Arguments: the file for what the
 * tests print, then {@code CLASS[#METHOD]...}.
 */
final class Runner {
  private static final int FAILURES = 10;
  private static final int LINES = 20;

  private Runner() {}

  public static void main(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    int status;
    try (PrintStream file =
        new PrintStream(Files.newOutputStream(Path.of(arguments[0])), true, UTF_8)) {
      System.setOut(file);
      System.setErr(file);
      status = run(List.of(arguments).subList(1, arguments.length), out, err);
    } catch (Throwable e) {
      e.printStackTrace(err);
      status = 2;
    }
    // Tests may leave threads behind.
    System.exit(status);
  }

  private static int run(List<String> tests, PrintStream out, PrintStream err) throws Exception {
    List<DiscoverySelector> selectors = new ArrayList<>();
    for (String test : tests) {
      int hash = test.indexOf('#');
      Class<?> type = Class.forName(hash < 0 ? test : test.substring(0, hash));
      if (hash < 0) {
        selectors.add(selectClass(type));
        continue;
      }
      List<DiscoverySelector> methods = methods(type, test.substring(hash + 1));
      if (methods.isEmpty()) {
        err.println(
            "gleaner test: "
                + type.getSimpleName()
                + " has no method '"
                + test.substring(hash + 1)
                + "'; it has "
                + String.join(", ", names(type)));
        return 2;
      }
      selectors.addAll(methods);
    }
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectors)
            .filters((PostDiscoveryFilter) t -> tier(t.getTags()))
            .build();
    var launcher = LauncherFactory.create();
    TestPlan plan = launcher.discover(request);
    if (!plan.containsTests()) {
      err.println(
          Tier.exhaustive()
              ? "gleaner test: no such test is in the exhaustive tier; leave --exhaustive out"
              : "gleaner test: all such tests are in the exhaustive tier: add --exhaustive");
      return 2;
    }
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    Skipped skipped = new Skipped();
    launcher.execute(plan, listener, skipped);
    return report(plan, listener.getSummary(), skipped.reasons, out);
  }

  /** What was skipped or given up, with the reason: tests, and classes with all their tests. */
  private static final class Skipped implements TestExecutionListener {
    final Map<TestIdentifier, String> reasons = new LinkedHashMap<>();

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
      reasons.put(test, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getStatus() == Status.ABORTED) {
        reasons.put(test, result.getThrowable().map(Throwable::getMessage).orElse("no reason"));
      }
    }
  }

  private static FilterResult tier(Set<TestTag> tags) {
    boolean exhaustive = tags.contains(TestTag.create("exhaustive"));
    boolean seeds = tags.contains(TestTag.create("seeds"));
    return FilterResult.includedIf(Tier.exhaustive() ? exhaustive || seeds : !exhaustive);
  }

  private static List<DiscoverySelector> methods(Class<?> type, String name) {
    List<DiscoverySelector> found = new ArrayList<>();
    for (Class<?> c = type; c != null; c = c.getSuperclass()) {
      for (Method method : c.getDeclaredMethods()) {
        if (method.getName().equals(name) && !method.isSynthetic()) {
          found.add(selectMethod(type, method));
        }
      }
    }
    for (Class<?> inner : type.getDeclaredClasses()) {
      if (inner.isAnnotationPresent(Nested.class)) {
        found.addAll(methods(inner, name));
      }
    }
    return found;
  }

  private static Set<String> names(Class<?> type) {
    Set<String> names = new TreeSet<>();
    for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
      for (Method method : c.getDeclaredMethods()) {
        if (List.of(method.getAnnotations()).stream()
            .anyMatch(a -> a.annotationType().getSimpleName().matches(".*Test|TestFactory"))) {
          names.add(method.getName());
        }
      }
    }
    return names;
  }

  private static int report(
      TestPlan plan,
      TestExecutionSummary summary,
      Map<TestIdentifier, String> reasons,
      PrintStream out) {
    List<String> failed = new ArrayList<>();
    for (TestExecutionSummary.Failure failure : summary.getFailures()) {
      StringWriter trace = new StringWriter();
      failure.getException().printStackTrace(new PrintWriter(trace));
      failed.add(
          Stream.concat(
                  Stream.of("FAILED " + name(plan, failure.getTestIdentifier())),
                  trace
                      .toString()
                      .lines()
                      .filter(l -> !l.matches("\\s+at (org\\.junit\\.|java\\.base/).*"))
                      .limit(LINES)
                      .map(l -> "  " + l))
              .collect(Collectors.joining(System.lineSeparator())));
    }
    print(failed, out);
    boolean none = summary.getTestsSucceededCount() + failed.size() == 0;
    // Single tests are skipped by the hundred, where a collector lacks what they need.
    print(
        reasons.entrySet().stream()
            .filter(e -> none || e.getKey().isContainer())
            .map(e -> "SKIPPED " + name(plan, e.getKey()) + ": " + e.getValue())
            .toList(),
        out);
    out.printf(
        Locale.ROOT,
        "%d passed, %d failed, %d skipped, in %.1f s%n",
        summary.getTestsSucceededCount(),
        failed.size(),
        reasons.keySet().stream().mapToInt(t -> tests(plan, t)).sum(),
        (summary.getTimeFinished() - summary.getTimeStarted()) / 1000.0);
    if (none) {
      out.println("gleaner test: no test ran");
      return 1;
    }
    return failed.isEmpty() ? 0 : 1;
  }

  private static void print(List<String> lines, PrintStream out) {
    lines.stream().limit(FAILURES).forEach(out::println);
    if (lines.size() > FAILURES) {
      out.println("… and " + (lines.size() - FAILURES) + " more");
    }
  }

  private static String name(TestPlan plan, TestIdentifier test) {
    return plan.getParent(test)
            .filter(p -> p.getParentId().isPresent())
            .map(p -> p.getDisplayName() + " > ")
            .orElse("")
        + test.getDisplayName();
  }

  /** A class that is skipped counts for its tests, as far as they are known. */
  private static int tests(TestPlan plan, TestIdentifier test) {
    long inside = plan.getDescendants(test).stream().filter(TestIdentifier::isTest).count();
    return (int) Math.max(1, inside);
  }
}
