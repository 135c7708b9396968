package dev.gleaner.text;

/**
 * Numbers as text, written into an array of bytes.
 *
 * <p>A double is written as {@link Double#toString(double)} has it: the shortest decimal that reads
 * back as the same double, always with a point, so that it is not taken for an integer. The builder
 * is kept, so nothing is allocated.
 */
public final class DecimalWriter {
  /** The most bytes that a number takes. */
  public static final int MOST = 32;

  private final StringBuilder text = new StringBuilder(MOST);

  /** Writes an integer; answers how many bytes it takes. */
  public int write(long value, byte[] to, int at) {
    text.setLength(0);
    text.append(value);
    return take(to, at);
  }

  /** Writes a double; answers how many bytes it takes. */
  public int write(double value, byte[] to, int at) {
    text.setLength(0);
    text.append(value);
    return take(to, at);
  }

  private int take(byte[] to, int at) {
    int n = text.length();
    for (int i = 0; i < n; i++) {
      to[at + i] = (byte) text.charAt(i);
    }
    return n;
  }
}
