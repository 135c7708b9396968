package dev.gleaner.lab;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code gleaner lua}, where they are as nearly always. They mean what they mean
 * to picocli, which takes as long to start as all else of a short script. All other arguments are
 * left to picocli, wrong ones too.
 *
 * @param statements those of {@code -e}
 * @param arguments the script and its own
 */
record PlainLua(
    @Nullable String collector,
    @Nullable String maxMemory,
    boolean sandbox,
    List<String> statements,
    List<String> arguments) {

  /** Reads the arguments of the program; null if picocli must. */
  static @Nullable PlainLua of(String... all) {
    if (all.length < 2 || !all[0].equals("lua")) {
      return null;
    }
    String collector = null;
    String maxMemory = null;
    boolean sandbox = false;
    List<String> statements = new ArrayList<>();
    int at = 1;
    while (at < all.length && all[at].startsWith("-")) {
      String option = all[at++];
      if (option.equals("--sandbox") && !sandbox) {
        sandbox = true;
        continue;
      }
      if (at == all.length || !isPlain(all[at]) || all[at].startsWith("-")) {
        return null;
      }
      String value = all[at++];
      if (option.equals("-e")) {
        statements.add(value);
      } else if (option.equals("--collector") && collector == null) {
        collector = value;
      } else if (option.equals("--max-memory") && maxMemory == null) {
        maxMemory = value;
      } else {
        return null;
      }
    }
    List<String> rest = Arrays.asList(all).subList(at, all.length);
    boolean nothing = rest.isEmpty() && statements.isEmpty();
    return nothing || !rest.stream().allMatch(PlainLua::isPlain)
        ? null
        : new PlainLua(collector, maxMemory, sandbox, statements, List.copyOf(rest));
  }

  /** Whether it means itself: picocli reads files of arguments, and ends options by two lines. */
  private static boolean isPlain(String argument) {
    return !argument.isEmpty() && !argument.startsWith("@") && !argument.equals("--");
  }
}
