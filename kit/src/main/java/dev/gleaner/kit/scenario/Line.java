package dev.gleaner.kit.scenario;

import dev.gleaner.settings.Names;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A line of a scenario, read token by token. */
final class Line {
  private final String file;
  private final int number;
  private final List<Token> tokens;
  private int at;

  Line(String file, int number, List<Token> tokens) {
    this.file = file;
    this.number = number;
    this.tokens = tokens;
  }

  String file() {
    return file;
  }

  int number() {
    return number;
  }

  Token peek() {
    return tokens.get(at);
  }

  Token peekSecond() {
    return tokens.get(Math.min(at + 1, tokens.size() - 1));
  }

  /** Takes the next token; the end stays. */
  Token take() {
    Token token = tokens.get(at);
    at = Math.min(at + 1, tokens.size() - 1);
    return token;
  }

  boolean atEnd() {
    return peek().type() == Token.Type.END;
  }

  /** Takes a word if it stands here. */
  boolean acceptWord(String word) {
    return accept(peek().isWord(word));
  }

  /** Takes a symbol if it stands here. */
  boolean acceptSymbol(String symbol) {
    return accept(peek().isSymbol(symbol));
  }

  private boolean accept(boolean matches) {
    if (matches) {
      take();
    }
    return matches;
  }

  void requireWord(String word) {
    if (!acceptWord(word)) {
      throw unexpected("'" + word + "'");
    }
  }

  void requireSymbol(String symbol) {
    if (!acceptSymbol(symbol)) {
      throw unexpected("'" + symbol + "'");
    }
  }

  /** Takes a token of that type. */
  Token require(Token.Type type, String expected) {
    if (peek().type() != type) {
      throw unexpected(expected);
    }
    return take();
  }

  void requireEnd() {
    if (!atEnd()) {
      throw unexpected("the end of the line");
    }
  }

  ScenarioSyntaxException unexpected(String expected) {
    return unexpected(peek(), expected);
  }

  ScenarioSyntaxException unexpected(Token token, String expected) {
    return new ScenarioSyntaxException(file, number, token.column(), token.read(), expected);
  }

  /** Expects one of several words; names the nearest if there is one. */
  ScenarioSyntaxException unexpected(Token token, String expected, Collection<String> words) {
    String nearest = nearest(token.text(), words);
    return unexpected(
        token,
        expected + String.join(", ", words) + (nearest == null ? "" : " (" + nearest + "?)"));
  }

  private static @Nullable String nearest(String word, Collection<String> words) {
    return word.isEmpty() ? null : Names.nearest(word, words);
  }
}
