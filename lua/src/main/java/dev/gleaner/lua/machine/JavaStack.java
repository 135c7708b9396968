package dev.gleaner.lua.machine;

/**
 * Tests whether the Java stack has room. Each test call has many arguments, so that compiled calls
 * take as much stack as interpreted ones.
 */
final class JavaStack {
  /** The number of calls, of some 500 bytes each: 48 KiB in all. */
  private static final int CALLS = 96;

  private JavaStack() {}

  /** Returns whether there is room for some levels of calls, and for the handling of an error. */
  static boolean hasRoom() {
    try {
      return call(CALLS, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
          == 0;
    } catch (StackOverflowError _) {
      return false;
    }
  }

  @SuppressWarnings("TooManyParameters")
  private static long call(
      int left,
      long v0,
      long v1,
      long v2,
      long v3,
      long v4,
      long v5,
      long v6,
      long v7,
      long v8,
      long v9,
      long v10,
      long v11,
      long v12,
      long v13,
      long v14,
      long v15,
      long v16,
      long v17,
      long v18,
      long v19,
      long v20,
      long v21,
      long v22,
      long v23) {
    return left == 0
        ? v0
        : call(
            left - 1, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17,
            v18, v19, v20, v21, v22, v23, v0);
  }
}
