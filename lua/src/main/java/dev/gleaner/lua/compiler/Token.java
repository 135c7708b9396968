package dev.gleaner.lua.compiler;

import java.util.HashMap;
import java.util.Map;

/** The kinds of tokens. A character that is a token is its own kind. */
final class Token {
  static final int AND = 257;
  static final int BREAK = 258;
  static final int DO = 259;
  static final int ELSE = 260;
  static final int ELSEIF = 261;
  static final int END = 262;
  static final int FALSE = 263;
  static final int FOR = 264;
  static final int FUNCTION = 265;
  static final int GOTO = 266;
  static final int IF = 267;
  static final int IN = 268;
  static final int LOCAL = 269;
  static final int NIL = 270;
  static final int NOT = 271;
  static final int OR = 272;
  static final int REPEAT = 273;
  static final int RETURN = 274;
  static final int THEN = 275;
  static final int TRUE = 276;
  static final int UNTIL = 277;
  static final int WHILE = 278;
  static final int IDIV = 279;
  static final int CONCAT = 280;
  static final int DOTS = 281;
  static final int EQ = 282;
  static final int GE = 283;
  static final int LE = 284;
  static final int NE = 285;
  static final int SHL = 286;
  static final int SHR = 287;
  static final int DOUBLE_COLON = 288;
  static final int EOF = 289;
  static final int FLOAT = 290;
  static final int INTEGER = 291;
  static final int NAME = 292;
  static final int STRING = 293;

  private static final String[] NAMES = {
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while", "//", "..",
    "...", "==", ">=", "<=", "~=", "<<", ">>", "::", "<eof>", "<number>", "<integer>", "<name>",
    "<string>"
  };

  static final Map<String, Integer> RESERVED = reserved();

  private Token() {}

  private static Map<String, Integer> reserved() {
    Map<String, Integer> words = new HashMap<>();
    for (int kind = AND; kind <= WHILE; kind++) {
      words.put(NAMES[kind - AND], kind);
    }
    return Map.copyOf(words);
  }

  /** Returns the name of a kind in messages. */
  static String describe(int kind) {
    if (kind < AND) {
      return kind >= ' ' && kind < 127 ? "'" + (char) kind + "'" : "'<\\" + kind + ">'";
    }
    String name = NAMES[kind - AND];
    return kind < EOF ? "'" + name + "'" : name;
  }
}
