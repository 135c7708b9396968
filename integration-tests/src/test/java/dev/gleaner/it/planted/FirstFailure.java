package dev.gleaner.it.planted;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.it.GivenBackPages;
import dev.gleaner.kit.Conformance;
import dev.gleaner.kit.Rule;
import dev.gleaner.kit.Verdict;
import dev.gleaner.kit.collector.KitCollectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs the kit until a rule fails; loaded together with the classes that have a bug.
 *
 * <p>Answers the rule's name, a line end and the message; an empty text if all rules hold.
 */
public final class FirstFailure implements BiFunction<String, String, String> {
  /** Not of the kit: it needs a system with other pages. */
  private static final String PAGES = "memory goes back in pages of 64 KiB";

  /** What a change says that broke its class: nothing is found then, or lost. */
  private static final Pattern BROKEN =
      Pattern.compile(
          "(?:Verify|NoSuchMethod|NoSuchField|IncompatibleClassChange|AbstractMethod|IllegalAccess"
              + "|ClassFormat|NoClassDefFound|Linkage)Error");

  /** Is made by reflection. */
  public FirstFailure() {}

  /**
   * Checks one rule, or all.
   *
   * @param name of the rule, or empty
   */
  @Override
  public String apply(String collector, String name) {
    Conformance kit =
        new Conformance(collector, ConfigFactory.empty(), List.of(KitCollectors.loader()));
    List<Rule> rules = new ArrayList<>(kit.rules());
    rules.addAll(kit.tortureRules());
    rules.add(
        new Rule(
            PAGES,
            "",
            () -> {
              String wrong = GivenBackPages.check(collector, 64 << 10, GivenBackPages.ENOUGH);
              return wrong == null
                  ? new Verdict(PAGES, Verdict.Status.PASSED, "")
                  : new Verdict(PAGES, Verdict.Status.FAILED, wrong);
            }));
    return rules.stream()
        .filter(rule -> name.isEmpty() || rule.name().equals(name))
        .map(FirstFailure::failure)
        .flatMap(Optional::stream)
        .findFirst()
        .orElse("");
  }

  private static Optional<String> failure(Rule rule) {
    @Nullable String message;
    try {
      Verdict verdict = rule.check().get();
      message = verdict.status() == Verdict.Status.FAILED ? verdict.message() : null;
    } catch (RuntimeException | AssertionError | LinkageError e) {
      message = e.toString();
    }
    if (message != null && BROKEN.matcher(message).find()) {
      throw new IllegalStateException("no planted bug, but a broken class: " + message);
    }
    return Optional.ofNullable(message).map(text -> rule.name() + "\n" + text);
  }
}
