package dev.gleaner.lua.compiler;

/** The names of chunks in messages. */
public final class ChunkNames {
  private static final int MOST = 59;
  private static final String ELLIPSIS = "...";

  private ChunkNames() {}

  /**
   * {@return the name of a chunk in messages, of at most 59 characters}
   *
   * @param source "@file", "=name", or the text of the chunk
   */
  public static String display(String source) {
    if (source.startsWith("=")) {
      return source.substring(1, Math.min(source.length(), MOST + 1));
    }
    if (source.startsWith("@")) {
      int length = source.length() - 1;
      return length <= MOST
          ? source.substring(1)
          : ELLIPSIS + source.substring(source.length() - (MOST - ELLIPSIS.length()));
    }
    int newline = source.indexOf('\n');
    String first = newline < 0 ? source : source.substring(0, newline);
    int room = MOST - "[string \"".length() - ELLIPSIS.length() - "\"]".length();
    boolean whole = newline < 0 && first.length() < room;
    return "[string \""
        + (whole ? first : first.substring(0, Math.min(first.length(), room)) + ELLIPSIS)
        + "\"]";
  }
}
