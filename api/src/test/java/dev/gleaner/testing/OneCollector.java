package dev.gleaner.testing;

import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.opentest4j.TestAbortedException;

/**
 * For {@code ./gleaner test --collector NAME}: skips the tests whose display names have the name of
 * another collector, and not this one. {@code gleaner.test.others} has the other names, as a
 * regular expression.
 *
 * <p>JUnit finds this extension only where detection is switched on, as that command does.
 */
public final class OneCollector implements ExecutionCondition, InvocationInterceptor {
  private static final String NAME = System.getProperty("gleaner.test.collector", "");
  private static final Pattern OTHERS = word(System.getProperty("gleaner.test.others", "(?!)"));
  private static final Pattern OWN = word(Pattern.quote(NAME));

  private static Pattern word(String names) {
    return Pattern.compile("(?<![\\w])(?:" + names + ")(?![\\w])");
  }

  private static boolean isOther(ExtensionContext context) {
    String name = context.getDisplayName();
    return (OTHERS.matcher(name).find() && !OWN.matcher(name).find())
        || context.getParent().filter(OneCollector::isOther).isPresent();
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return isOther(context)
        ? ConditionEvaluationResult.disabled("not under " + NAME)
        : ConditionEvaluationResult.enabled("");
  }

  @Override
  public void interceptDynamicTest(
      Invocation<Void> invocation, DynamicTestInvocationContext test, ExtensionContext context)
      throws Throwable {
    if (isOther(context)) {
      invocation.skip();
      throw new TestAbortedException("not under " + NAME);
    }
    invocation.proceed();
  }
}
