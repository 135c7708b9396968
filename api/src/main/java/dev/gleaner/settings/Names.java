package dev.gleaner.settings;

import java.util.Collection;
import java.util.Locale;
import java.util.TreeSet;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/** Lists of names in messages, and the one among them that was probably meant. */
@API(status = API.Status.INTERNAL)
public final class Names {

  private Names() {}

  /**
   * {@return {@code a, b, c (b?)}: the names in order, and the nearest to a word if any is near}
   *
   * @param word what was written
   * @param names what could have been meant
   */
  public static String among(String word, Collection<String> names) {
    String nearest = nearest(word, names);
    return String.join(", ", new TreeSet<>(names)) + (nearest == null ? "" : " (" + nearest + "?)");
  }

  /**
   * {@return the name nearest to {@code word}, null if none is near: one edit for a short word, one
   * in three letters}
   *
   * @param word as it was written
   * @param names those that there are
   */
  public static @Nullable String nearest(String word, Collection<String> names) {
    String nearest = null;
    int least = Math.max(1, (word.length() + 1) / 3) + 1;
    for (String name : new TreeSet<>(names)) {
      int distance = distance(word.toLowerCase(Locale.ROOT), name);
      if (distance < least) {
        least = distance;
        nearest = name;
      }
    }
    return nearest;
  }

  /**
   * Counts the letters to insert, delete, replace or swap with their neighbour (optimal string
   * alignment).
   */
  private static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      d[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      d[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replaced, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
