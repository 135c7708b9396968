package dev.gleaner.kit.scenario;

import dev.gleaner.kit.scenario.Expectation.Comparison;
import dev.gleaner.kit.scenario.Expectation.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Reads what follows {@code expect}. */
final class ExpectationParser {
  private final Parser parser;
  private final OperandParser operands;
  private final Map<String, Supplier<Expectation>> forms = new LinkedHashMap<>();
  private boolean torturable = true;

  ExpectationParser(Parser parser, OperandParser operands) {
    this.parser = parser;
    this.operands = operands;
    forms.put("finalized", () -> new Expectation.Finalized(patterns()));
    for (Figure figure : Figure.values()) {
      forms.put(figure.toString(), () -> count(figure));
    }
    forms.put("strings", () -> new Expectation.Strings(texts(), true));
    forms.put("no-strings", () -> new Expectation.Strings(texts(), false));
    forms.put("cleared", () -> new Expectation.Weakly(operands.weak(line()), true));
    forms.put("held", () -> new Expectation.Weakly(operands.weak(line()), false));
    forms.put("hash", this::sameHash);
    forms.put("filled", this::filled);
    forms.put(
        "walked",
        () -> new Expectation.Walked(OperandParser.number(line(), "a number of entries")));
    forms.put("entries", () -> size("entries"));
    forms.put("length", () -> size("length"));
    forms.put("intact", Expectation.Intact::new);
    forms.put("out-of-memory", () -> new Expectation.OutOfMemory(parser.block()));
    forms.put("error", this::fails);
  }

  /** Whether collections at every allocation leave all expectations as they are. */
  boolean isTorturable() {
    return torturable;
  }

  private Line line() {
    return parser.line();
  }

  Expectation expectation() {
    Token word = line().peek();
    Supplier<Expectation> form = word.type() == Token.Type.WORD ? forms.get(word.text()) : null;
    if (form != null && !isLocal(word)) {
      line().take();
      return form.get();
    }
    return same(word);
  }

  /** Whether a word that has a meaning of its own is a local here: {@code expect hash == h}. */
  private boolean isLocal(Token word) {
    for (Figure figure : Figure.values()) {
      if (word.isWord(figure.toString()) && figure != Figure.PEAK) { // a local's name before
        return false;
      }
    }
    Token next = line().peekSecond();
    return isPartOrComparison(next) && !(word.isWord("finalized") && next.isSymbol("["));
  }

  private static boolean isPartOrComparison(Token token) {
    return token.type() == Token.Type.SYMBOL
        && List.of(".", "[", "==", "!=").contains(token.text());
  }

  private Expectation same(Token first) {
    boolean isValue =
        switch (first.type()) {
          case GLOBAL, WEAK, NUMBER, TEXT -> true;
          case WORD -> isPartOrComparison(line().peekSecond());
          case SYMBOL -> first.isSymbol("-");
          case UNKNOWN, END -> false;
        };
    if (!isValue) {
      List<String> known = new ArrayList<>(forms.keySet());
      known.addAll(List.of("VALUE == VALUE", "VALUE != VALUE"));
      throw line().unexpected(first, "one of ", known);
    }
    Value left = operands.value(line(), parser.scope());
    boolean same = sameness();
    return new Expectation.Same(left, operands.value(line(), parser.scope()), same);
  }

  private boolean sameness() {
    if (line().acceptSymbol("==")) {
      return true;
    }
    if (line().acceptSymbol("!=")) {
      return false;
    }
    throw line().unexpected("'==' or '!='");
  }

  private Expectation sameHash() {
    Place place = operands.place(line(), parser.scope());
    parser.scope().useTemps(1);
    boolean same = sameness();
    return new Expectation.SameHash(place, operands.value(line(), parser.scope()), same);
  }

  private Expectation filled() {
    Place place = operands.place(line(), parser.scope());
    return new Expectation.Filled(place, OperandParser.number(line(), "the number of the pattern"));
  }

  private Expectation fails() {
    String text = OperandParser.text(line(), "a text, a part of the error's message");
    return new Expectation.Fails(text, parser.block());
  }

  private List<String> texts() {
    parser.scope().useTemps(1);
    List<String> texts = new ArrayList<>();
    do {
      texts.add(OperandParser.text(line(), "a text"));
    } while (!line().atEnd());
    return texts;
  }

  private Expectation size(String size) {
    Place object = operands.place(line(), parser.scope());
    Comparison comparison = anyComparison();
    return new Expectation.Size(size, object, comparison, OperandParser.number(line(), "a number"));
  }

  private Comparison anyComparison() {
    for (Comparison comparison : Comparison.values()) {
      if (line().acceptSymbol(comparison.toString())) {
        return comparison;
      }
    }
    throw line().unexpected("'==', '<=' or '>='");
  }

  // ---- figures ----

  private Expectation count(Figure named) {
    boolean minor = named == Figure.COLLECTIONS && line().acceptWord("minor");
    Figure figure = minor ? Figure.MINOR_COLLECTIONS : named;
    torturable &= !figure.changesUnderTorture();
    Comparison comparison = comparison(figure);
    String expected = "a number" + (figure.isBytes() ? ", or mark" : "");
    if (!figure.isBytes() || !line().acceptWord("mark")) {
      long number = OperandParser.number(line(), expected);
      return new Expectation.Count(figure, comparison, false, number);
    }
    long number = 0;
    if (line().acceptSymbol("+")) {
      number = OperandParser.number(line(), "a number");
    } else if (!line().atEnd()) {
      if (!line().peek().isSymbol("-")) {
        throw line().unexpected("'+' or '-'");
      }
      number = OperandParser.signed(line(), "a number");
    }
    return new Expectation.Count(figure, comparison, true, number);
  }

  private Comparison comparison(Figure figure) {
    if (line().acceptSymbol("<=")) {
      return Comparison.AT_MOST;
    }
    if (line().acceptSymbol(">=")) {
      return Comparison.AT_LEAST;
    }
    switch (figure) {
      case USED, PEAK -> throw line().unexpected("'<=' or '>='");
      case ALIVE -> {
        if (line().peek().type() != Token.Type.NUMBER) {
          throw line().unexpected("a number, '<=' or '>='");
        }
      }
      default -> {
        return anyComparison();
      }
    }
    return Comparison.EQUAL;
  }

  // ---- patterns ----

  private List<Pattern> patterns() {
    List<Pattern> patterns = new ArrayList<>();
    while (!line().atEnd()) {
      if (line().acceptSymbol("{")) {
        patterns.add(new Pattern.All(labels("}")));
      } else if (line().acceptSymbol("[")) {
        patterns.add(new Pattern.One(labels("]")));
      } else {
        patterns.add(label("a label, '{', '[' or the end of the line"));
      }
    }
    return patterns;
  }

  private List<Pattern.Label> labels(String close) {
    List<Pattern.Label> labels = new ArrayList<>();
    do {
      labels.add(label(labels.isEmpty() ? "a label" : "a label or '" + close + "'"));
    } while (!line().acceptSymbol(close));
    return labels;
  }

  private Pattern.Label label(String expected) {
    String label = OperandParser.label(line(), expected);
    if (line().acceptSymbol("!")) {
      label += "!";
    }
    int times = line().acceptSymbol("*") ? OperandParser.index(line(), "how many times") : 1;
    return new Pattern.Label(label, times);
  }
}
