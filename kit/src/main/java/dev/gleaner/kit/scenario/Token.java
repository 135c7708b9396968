package dev.gleaner.kit.scenario;

/**
 * A token of a line.
 *
 * @param text a word, a name without its sign, a number's digits, a string's value, or the symbol
 * @param read what stands in the file, for messages
 * @param column from 1 on
 */
record Token(Type type, String text, String read, int column) {
  enum Type {
    /** Letters, digits, underscores, and hyphens before a letter. */
    WORD,
    /** {@code @name}. */
    GLOBAL,
    /** {@code ~name}. */
    WEAK,
    NUMBER,
    TEXT,
    SYMBOL,
    /** What nothing starts with. */
    UNKNOWN,
    /** The end of the line. */
    END
  }

  boolean is(Type wanted, String word) {
    return type == wanted && text.equals(word);
  }

  boolean isSymbol(String symbol) {
    return is(Type.SYMBOL, symbol);
  }

  boolean isWord(String word) {
    return is(Type.WORD, word);
  }
}
