package dev.gleaner.lab.workload;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Words the message for a name that is not known: what was asked, what there is, and the nearest.
 */
public final class UnknownName {
  private UnknownName() {}

  /**
   * Returns {@code where"name": no such what; there are a, b, c (b?)}.
   *
   * @param where what the name belongs to, up to the name itself; may be empty
   */
  public static String message(String where, String name, String what, Collection<String> known) {
    String nearest = nearest(name, known);
    return "%s\"%s\": no such %s; there %s %s%s"
        .formatted(
            where,
            name,
            what,
            known.size() == 1 ? "is only" : "are",
            String.join(", ", known),
            nearest == null ? "" : " (" + nearest + "?)");
  }

  /** Returns the known name with the fewest edits to this one, or null when none is near. */
  public static @Nullable String nearest(String name, Collection<String> known) {
    String best = null;
    int least = Math.max(2, name.length() / 2) + 1;
    for (String candidate : known) {
      int distance = candidate.startsWith(name) && !name.isEmpty() ? 1 : edits(name, candidate);
      if (distance < least) {
        least = distance;
        best = candidate;
      }
    }
    return best;
  }

  private static int edits(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substitution = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substitution, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
