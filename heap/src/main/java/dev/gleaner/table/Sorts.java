package dev.gleaner.table;

import dev.gleaner.layout.Layout;
import dev.gleaner.refusal.HeapUsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names that a runtime gives to its sorts of elements, such as {@code lua.table}, and to the
 * code of its functions. An element has the number of its sort in its header; names are asked for
 * when something is shown.
 */
public final class Sorts {
  private static final int LONGEST = 100;
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z][A-Za-z0-9_]*(\\.[A-Za-z][A-Za-z0-9_]*)*");

  private final List<String> names = new ArrayList<>();
  private final int[] ofKinds = new int[Layout.KINDS];
  private @Nullable IntFunction<@Nullable String> codes;

  /**
   * The number of a sort, from 1 on.
   *
   * @param name what tools show: letters, digits, dots and underscores, beginning with a letter
   * @throws HeapUsageException if it is no such name, or one more than there can be
   */
  public int number(String name) {
    int at = names.indexOf(name);
    if (at < 0 && (name.length() > LONGEST || !NAME.matcher(name).matches())) {
      throw new HeapUsageException(
          "no name of a sort: \"%s\"; a name such as lua.table, of %d characters at most"
              .formatted(name, LONGEST));
    }
    if (at < 0 && names.size() == Layout.MOST_SORTS) {
      throw new HeapUsageException(
          "no room for a sort %s: there are %d already, %s".formatted(name, names.size(), names));
    }
    if (at < 0) {
      names.add(name);
    }
    return at < 0 ? names.size() : at + 1;
  }

  /** How many sorts there are. */
  public int size() {
    return names.size();
  }

  /** The name of a sort, from 1 on. */
  public String name(int sort) {
    return names.get(sort - 1);
  }

  /** Gives a sort to the elements of a kind, a number of {@link Layout}, that have none. */
  public void setOfKind(int kind, int sort) {
    ofKinds[kind] = sort;
  }

  /** The sort of an element by its header: its own, else that of its kind; 0 for none. */
  public int of(long header) {
    int own = Layout.sort(header);
    return own == 0 ? ofKinds[Layout.kind(header)] : own;
  }

  /** Names who knows the names of code by its number; null for nobody. */
  public void setCodes(@Nullable IntFunction<@Nullable String> codes) {
    this.codes = codes;
  }

  /** The name of what a function does, or null; may throw what the host's code throws. */
  public @Nullable String codeName(int code) {
    IntFunction<@Nullable String> asked = codes;
    String name = asked == null || code < 0 ? null : asked.apply(code);
    return name == null || name.length() <= LONGEST
        ? name
        : Objects.requireNonNull(name).substring(0, LONGEST);
  }
}
