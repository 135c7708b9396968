package dev.gleaner.space;

/**
 * Cell sizes in words: every word up to 32, then eight steps a doubling up to 1024 words; larger
 * requests take whole pages.
 *
 * <pre>
 *   class   1 …  32 | 33 … 40           | …  | 65 … 72
 *   words   1 …  32 | 36, 40, 44 … 64   | …  | 576, 640 … 1024
 * </pre>
 */
public final class SizeClasses {
  public static final int EXACT = 32;
  public static final int LARGEST_WORDS = 1024;
  public static final int COUNT = EXACT + 8 * 5 + 1;

  private SizeClasses() {}

  /** The class of a request of 1 to {@link #LARGEST_WORDS} words. */
  public static int of(long words) {
    int w = (int) words;
    if (w <= EXACT) {
      return w;
    }
    int octave = 31 - Integer.numberOfLeadingZeros(w - 1); // 5 for 33..64
    int step = (w - 1 - (1 << octave)) >>> (octave - 3);
    return EXACT + 1 + (octave - 5) * 8 + step;
  }

  /** The cell's words of a class. */
  public static int words(int sizeClass) {
    if (sizeClass <= EXACT) {
      return sizeClass;
    }
    int octave = 5 + (sizeClass - EXACT - 1) / 8;
    int step = (sizeClass - EXACT - 1) % 8;
    return (1 << octave) + ((step + 1) << (octave - 3));
  }
}
