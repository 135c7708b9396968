package dev.gleaner.table;

import dev.gleaner.layout.Layout;
import dev.gleaner.refusal.HeapUsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The runtime's names for its sorts of elements, such as {@code lua.table}, and for the code of its
 * functions. The header of an element has the number of its sort. Names are needed only to show
 * something.
 */
public final class Sorts {
  private static final int LONGEST = 100;

  private final List<String> names = new ArrayList<>();
  private final int[] ofKinds = new int[Layout.KINDS];
  private @Nullable IntFunction<@Nullable String> codes;

  /**
   * Returns the number of a sort, from 1 on.
   *
   * @param name the name in tools: letters, digits, dots and underscores, beginning with a letter
   * @throws HeapUsageException if {@code name} is no such name, or if there are too many names
   */
  public int number(String name) {
    int at = names.indexOf(name);
    if (at < 0 && (name.length() > LONGEST || !isName(name))) {
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

  /** Whether each part between two dots is a letter, and letters, digits and underscores. */
  private static boolean isName(String name) {
    boolean begins = true;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      boolean inside = letter || (c >= '0' && c <= '9') || c == '_';
      if (begins ? !letter : !inside && c != '.') {
        return false;
      }
      begins = c == '.';
    }
    return !begins;
  }

  /** Returns the number of sorts. */
  public int size() {
    return names.size();
  }

  /** Returns the name of a sort, from 1 on. */
  public String name(int sort) {
    return names.get(sort - 1);
  }

  /** Sets the sort of all elements of a kind ({@link Layout}) that have no own sort. */
  public void setOfKind(int kind, int sort) {
    ofKinds[kind] = sort;
  }

  /** Returns the sort of all elements of a kind that have no own sort; 0 for none. */
  public int ofKind(int kind) {
    return ofKinds[kind];
  }

  /** Returns the sort in a header: the element's own, else the sort of its kind; 0 for none. */
  public int of(long header) {
    int own = Layout.sort(header);
    return own == 0 ? ofKinds[Layout.kind(header)] : own;
  }

  /** Sets the function that returns the name for a code number; null for no names. */
  public void setCodes(@Nullable IntFunction<@Nullable String> codes) {
    this.codes = codes;
  }

  /** Returns the name for a code number, or null; exceptions of the host's code pass through. */
  public @Nullable String codeName(int code) {
    IntFunction<@Nullable String> asked = codes;
    String name = asked == null || code < 0 ? null : asked.apply(code);
    return name == null || name.length() <= LONGEST
        ? name
        : Objects.requireNonNull(name).substring(0, LONGEST);
  }
}
