package dev.gleaner.kit.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Reads a scenario: one statement a line, recursive in the blocks.
 *
 * <pre>
 *   Source -> Line (tokens by Lexer) -> Parser -> Statement
 *                                        | no block:     SimpleStatements
 *                                        | operands:     OperandParser
 *                                        | expectations: ExpectationParser
 *                                        | names:        Scope, one for each frame
 * </pre>
 *
 * <p>A table from a statement's first word to the method that reads the rest is both the grammar
 * and the list in the message for a word that is not in it. Names are resolved at once: what runs
 * knows slots and indices only.
 *
 * <p>The first thing that is wrong ends the reading with a {@link ScenarioSyntaxException}.
 */
final class Parser {
  private static final int DEEPEST = 200;

  private final Source source;
  private final OperandParser operands = new OperandParser();
  private final ExpectationParser expectations = new ExpectationParser(this, operands);
  private final SimpleStatements simple = new SimpleStatements(this, operands);
  private final Map<String, Supplier<Statement>> forms = new LinkedHashMap<>();
  private Scope scope = new Scope();
  private Line line;
  private Token keyword;

  /** The names of images that some line saves. */
  private final Set<String> images = new TreeSet<>();

  /** Where images are opened. */
  private final List<Opens> opens = new ArrayList<>();

  private int depth;
  private boolean finalizers;
  private boolean natives;

  private record Opens(Line line, Token name) {}

  Parser(Source source) {
    this.source = source;
    this.keyword = new Token(Token.Type.END, "", "", 1);
    this.line = new Line(source.file(), 0, List.of(keyword));
    forms.putAll(simple.forms());
    forms.put("resume", this::resume);
    forms.put("finalizer", this::finalizer);
    forms.put("throw", this::thrown);
    forms.put("when", this::when);
    forms.put("frame", this::frame);
    forms.put("tail", this::tail);
    forms.put("nest", this::nest);
    forms.put(
        "repeat", () -> new Statement.Repeat(number("how many times to run the block"), block()));
    forms.put("walk", this::walk);
    forms.put("base-flags", this::baseFlags);
    forms.put("fail-allocations", this::failAllocations);
    forms.put("save", this::save);
    forms.put("open", this::openImage);
    forms.put("expect", expectations::expectation);
  }

  // ---- the file ----

  Scenario scenario() {
    Header.Reader header = new Header.Reader(source);
    boolean more = nextLine();
    while (more && header.accept(line)) {
      more = nextLine();
    }
    List<Block.Step> steps = new ArrayList<>();
    for (; more; more = nextLine()) {
      steps.add(step());
    }
    scope.end();
    checkImages();
    Scenario.Program program =
        new Scenario.Program(
            new Block(steps),
            scope.layout(),
            operands.globals(),
            operands.weaks(),
            finalizers,
            natives,
            expectations.isTorturable());
    return new Scenario(source.file(), header.header(), program);
  }

  private boolean nextLine() {
    Line next = source.nextLine();
    if (next == null) {
      return false;
    }
    line = next;
    return true;
  }

  /** The line that is being read. */
  Line line() {
    return line;
  }

  /** The scope of the innermost frame. */
  Scope scope() {
    return scope;
  }

  private Block.Step step() {
    int number = line.number();
    Token word = line.peek();
    Supplier<Statement> form = word.type() == Token.Type.WORD ? forms.get(word.text()) : null;
    if (form == null) {
      throw noStatement(word);
    }
    scope.beginStatement();
    keyword = line.take();
    Statement statement = form.get();
    natives |= statement instanceof Statement.MakeNative;
    line.requireEnd();
    return new Block.Step(number, statement);
  }

  private ScenarioSyntaxException noStatement(Token word) {
    return switch (word.text()) {
      case "requires", "config", "parameter" ->
          line.unexpected(word, "a statement: '" + word.text() + "' stands before the first one");
      case "return" ->
          line.unexpected(word, "a statement: 'return' ends a block of 'frame NAME' or 'nest'");
      case "tail-call" -> line.unexpected(word, "a statement: 'tail-call' ends a block of 'frame'");
      case "deeper" ->
          line.unexpected(word, "a statement: 'deeper' stands once in a block of 'nest'");
      default -> line.unexpected(word, depth == 0 ? "one of " : "'}' or one of ", forms.keySet());
    };
  }

  // ---- blocks ----

  private void open() {
    line.requireSymbol("{");
    line.requireEnd();
    if (++depth > DEEPEST) {
      throw line.unexpected("blocks at most " + DEEPEST + " deep");
    }
  }

  private void nextLineOfBlock() {
    if (!nextLine()) {
      throw source.unexpectedEnd("a statement or '}'");
    }
  }

  private void close() {
    line.requireSymbol("}");
    line.requireEnd();
    depth--;
  }

  /** Reads the block that begins at the end of this line. */
  Block block() {
    open();
    List<Block.Step> steps = new ArrayList<>();
    for (nextLineOfBlock(); !line.peek().isSymbol("}"); nextLineOfBlock()) {
      steps.add(step());
    }
    close();
    return new Block(steps);
  }

  /** Reads statements up to a line that begins with one of these words. */
  private Block blockUpTo(String... words) {
    List<Block.Step> steps = new ArrayList<>();
    while (true) {
      nextLineOfBlock();
      for (String word : words) {
        if (line.peek().isWord(word)) {
          return new Block(steps);
        }
      }
      if (line.peek().isSymbol("}")) {
        throw line.unexpected("a statement or 'return VALUE'");
      }
      steps.add(step());
    }
  }

  private Block.Return returned(boolean one) {
    line.requireWord("return");
    scope.beginStatement();
    List<Value> values = new ArrayList<>();
    while (one ? values.isEmpty() : !line.atEnd()) {
      values.add(operands.value(line, scope));
    }
    scope.useTemps(values.size());
    Block.Return returned = new Block.Return(line.number(), values);
    line.requireEnd();
    nextLineOfBlock();
    close();
    return returned;
  }

  private void enter(Scope.Kind kind) {
    scope = new Scope(kind, scope);
  }

  private FrameLayout leave() {
    FrameLayout layout = scope.layout();
    scope = Objects.requireNonNull(scope.outer());
    return layout;
  }

  // ---- frames ----

  private Statement frame() {
    List<Place.Local> results = new ArrayList<>();
    while (!line.peek().isSymbol("{")) {
      results.add(made());
    }
    scope.useTemps(results.size());
    enter(Scope.Kind.FRAME);
    return new Statement.Frame(results, body(!results.isEmpty()));
  }

  /** Reads what runs in a frame, up to a 'return' or a tail call if it ends with one. */
  private Statement.Body body(boolean returns) {
    open();
    List<Block.Step> steps = new ArrayList<>();
    while (true) {
      nextLineOfBlock();
      if (returns && line.peek().isWord("return")) {
        Block.Return returned = returned(false);
        return new Statement.Body(leave(), new Block(steps), returned, null);
      }
      if (line.peek().isWord("tail-call")) {
        return tailCall(steps, returns);
      }
      if (line.peek().isSymbol("}")) {
        if (returns) {
          throw line.unexpected("a statement or 'return VALUE'");
        }
        close();
        return new Statement.Body(leave(), new Block(steps), null, null);
      }
      steps.add(step());
    }
  }

  private Statement.Body tailCall(List<Block.Step> steps, boolean returns) {
    int number = line.number();
    line.requireWord("tail-call");
    scope.beginStatement();
    long slots = number("a number of slots");
    List<Place.Local> moved = new ArrayList<>();
    if (line.acceptWord("with")) {
      while (!line.peek().isSymbol("{")) {
        moved.add(OperandParser.local(line, scope));
      }
    } else if (!line.peek().isSymbol("{")) {
      throw line.unexpected("'with' or '{'");
    }
    scope.useTemps(moved.size());
    FrameLayout layout = leave();
    enter(Scope.Kind.FRAME);
    for (Place.Local local : moved) {
      Place.Local _ = scope.assign(local.name());
    }
    Statement.TailCall tail = new Statement.TailCall(number, slots, moved, body(returns));
    nextLineOfBlock();
    close();
    return new Statement.Body(layout, new Block(steps), null, tail);
  }

  private Statement nest() {
    long frames = number("a number of frames");
    Place.Local result = made();
    open();
    enter(Scope.Kind.FRAME);
    Place.Local inner = scope.assign("inner");
    Block down = new Block(List.of());
    Block up = blockUpTo("deeper", "return");
    if (line.acceptWord("deeper")) {
      line.requireEnd();
      down = up;
      up = blockUpTo("return");
    }
    Block.Return returned = returned(true);
    return new Statement.Nest(frames, result, leave(), inner, down, up, returned);
  }

  private Statement walk() {
    return new Statement.Walk(place(), made(), made(), scope.hidden(), block());
  }

  private Statement tail() {
    if (!scope.isFrame()) {
      throw line.unexpected(keyword, "a statement: 'tail' stands inside a frame");
    }
    List<Place.Local> kept = new ArrayList<>();
    while (!line.atEnd()) {
      kept.add(OperandParser.local(line, scope));
    }
    return new Statement.Tail(kept);
  }

  private Statement resume() {
    Place thread = place();
    enter(Scope.Kind.FRAME);
    Block block = block();
    return new Statement.Resume(thread, leave(), block);
  }

  // ---- finalizers ----

  private Statement finalizer() {
    Place place = place();
    Token word = line.peek();
    finalizers = true;
    if (line.acceptWord("again")) {
      if (!scope.isInFinalizer()) {
        throw line.unexpected(word, "a label: 'again' stands inside a finalizer's block");
      }
      return new Statement.SetFinalizerAgain(place);
    }
    String label =
        OperandParser.label(
            line, scope.isInFinalizer() ? "a label, or again" : OperandParser.A_LABEL);
    enter(Scope.Kind.FINALIZER);
    scope.assign("self");
    Block block = line.atEnd() ? new Block(List.of()) : block();
    return new Statement.SetFinalizer(place, label, leave(), block);
  }

  private Statement thrown() {
    if (!scope.isInFinalizer()) {
      throw line.unexpected(keyword, "a statement: 'throw' stands inside a finalizer's block");
    }
    return new Statement.Throw(OperandParser.text(line, "a text, the error's message"));
  }

  private Statement when() {
    boolean closing = !line.acceptWord("not");
    if (!line.acceptWord("closing")) {
      throw line.unexpected(closing ? "'closing' or 'not closing'" : "'closing'");
    }
    return new Statement.When(closing, block());
  }

  // ---- the heap ----

  private Statement baseFlags() {
    return new Statement.BaseFlags(simple.someFlags(), block());
  }

  private Statement failAllocations() {
    line.requireWord("after");
    long after = number("how many requests are granted");
    long times = Long.MAX_VALUE;
    if (line.acceptWord("for")) {
      times = number("how many requests are refused");
    } else if (!line.peek().isSymbol("{")) {
      throw line.unexpected("'for' or '{'");
    }
    return new Statement.FailAllocations(after, times, block());
  }

  private Statement save() {
    requireNoFinalizer();
    String name = OperandParser.name(line).text();
    images.add(name);
    return new Statement.Save(name, line.number());
  }

  private Statement openImage() {
    requireNoFinalizer();
    Token name = OperandParser.name(line);
    opens.add(new Opens(line, name));
    return new Statement.Open(name.text());
  }

  /** Refuses names of images that no line saves. */
  private void checkImages() {
    for (Opens opens : opens) {
      if (!images.contains(opens.name.text())) {
        String expected = "an image that some line saves; there ";
        throw images.isEmpty()
            ? opens.line.unexpected(opens.name, expected + "is none")
            : opens.line.unexpected(
                opens.name, expected + (images.size() == 1 ? "is only " : "are "), images);
      }
    }
  }

  private void requireNoFinalizer() {
    if (scope.isInFinalizer()) {
      throw line.unexpected(
          keyword, "a statement: '" + keyword.text() + "' stands outside of finalizers");
    }
  }

  // ---- operands ----

  private Place place() {
    return operands.place(line, scope);
  }

  private Place.Local made() {
    return OperandParser.assignedLocal(line, scope);
  }

  private long number(String expected) {
    return OperandParser.number(line, expected);
  }
}
