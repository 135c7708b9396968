package dev.gleaner.testing;

/**
 * The two tiers of tests. The short tier runs in each build: each rule, under each collector, with
 * few seeds. The exhaustive tier, {@code -Pexhaustive}, runs what the short one leaves out.
 *
 * <p>A test with the tag {@code exhaustive} runs in the exhaustive tier alone. A test with the tag
 * {@code seeds} runs in both, and asks this class for its share.
 */
public final class Tier {
  private static final boolean EXHAUSTIVE = Boolean.getBoolean("gleaner.test.exhaustive");

  private Tier() {}

  /** True in the exhaustive tier. */
  public static boolean exhaustive() {
    return EXHAUSTIVE;
  }

  /** The value of a system property; without it, few in the short tier and many in the other. */
  public static int number(String property, int few, int many) {
    return Integer.getInteger(property, EXHAUSTIVE ? many : few);
  }

  /** Few in the short tier, and many in the other. */
  public static int number(int few, int many) {
    return EXHAUSTIVE ? many : few;
  }

  /**
   * Whether a case of a product runs: in the short tier each item with one of the variants, in
   * turn; in the exhaustive tier with the others.
   */
  public static boolean has(int item, int variant, int variants) {
    return (item % variants == variant) != EXHAUSTIVE;
  }
}
