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
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestTag;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
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
    launcher.execute(plan, listener);
    return report(plan, listener.getSummary(), out);
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

  private static int report(TestPlan plan, TestExecutionSummary summary, PrintStream out) {
    List<TestExecutionSummary.Failure> failures = summary.getFailures();
    for (TestExecutionSummary.Failure failure :
        failures.subList(0, Math.min(FAILURES, failures.size()))) {
      String name =
          plan.getParent(failure.getTestIdentifier())
                  .map(p -> p.getDisplayName() + " > ")
                  .orElse("")
              + failure.getTestIdentifier().getDisplayName();
      StringWriter trace = new StringWriter();
      failure.getException().printStackTrace(new PrintWriter(trace));
      out.println("FAILED " + name);
      out.println(
          trace
              .toString()
              .lines()
              .filter(l -> !l.matches("\\s+at (org\\.junit\\.|java\\.base/).*"))
              .limit(LINES)
              .map(l -> "  " + l)
              .collect(Collectors.joining(System.lineSeparator())));
    }
    if (failures.size() > FAILURES) {
      out.println("… and " + (failures.size() - FAILURES) + " more");
    }
    long skipped = summary.getTestsSkippedCount() + summary.getTestsAbortedCount();
    out.printf(
        Locale.ROOT,
        "%d passed, %d failed, %d skipped, in %.1f s%n",
        summary.getTestsSucceededCount(),
        failures.size(),
        skipped,
        (summary.getTimeFinished() - summary.getTimeStarted()) / 1000.0);
    return failures.isEmpty() ? 0 : 1;
  }
}
