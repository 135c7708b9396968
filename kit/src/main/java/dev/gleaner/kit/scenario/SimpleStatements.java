package dev.gleaner.kit.scenario;

import dev.gleaner.layout.Weakness;
import dev.gleaner.spi.CollectFlags;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Reads the statements that have no block and stand anywhere. */
final class SimpleStatements {
  private static final Map<String, Integer> FLAGS = new LinkedHashMap<>();
  private static final Map<String, Integer> WEAKNESSES = new LinkedHashMap<>();

  static {
    FLAGS.put("emergency", CollectFlags.EMERGENCY);
    FLAGS.put("no-finalizers", CollectFlags.NO_FINALIZERS);
    FLAGS.put("no-object-compaction", CollectFlags.NO_OBJECT_COMPACTION);
    FLAGS.put("no-string-table-resize", CollectFlags.NO_STRING_TABLE_RESIZE);
    WEAKNESSES.put("none", Weakness.NONE);
    WEAKNESSES.put("keys", Weakness.KEYS);
    WEAKNESSES.put("values", Weakness.VALUES);
    WEAKNESSES.put("both", Weakness.BOTH);
  }

  private final Parser parser;
  private final OperandParser operands;
  private final Map<String, Supplier<Statement>> forms = new LinkedHashMap<>();

  SimpleStatements(Parser parser, OperandParser operands) {
    this.parser = parser;
    this.operands = operands;
    elements();
    heap();
  }

  /** From a statement's first word to what reads the rest. */
  Map<String, Supplier<Statement>> forms() {
    return forms;
  }

  private Line line() {
    return parser.line();
  }

  private Scope scope() {
    return parser.scope();
  }

  private void elements() {
    forms.put(
        "record", () -> new Statement.MakeRecord(target(), index("a number of reference slots")));
    forms.put("object", () -> new Statement.MakeObject(target(), isWeak() ? weakness() : 0));
    forms.put("weakness", () -> new Statement.SetWeakness(place(), weakness()));
    forms.put("string", () -> new Statement.MakeString(target(), text("a text")));
    forms.put("bytes", () -> new Statement.MakeBytes(target(), OperandParser.bytes(line())));
    forms.put("concat", this::concat);
    forms.put(
        "substring",
        () ->
            new Statement.Substring(
                target(), value(), index("the first byte"), index("the byte behind the last one")));
    forms.put(
        "buffer", () -> new Statement.MakeBuffer(target(), bytes(), line().acceptWord("dynamic")));
    forms.put("thread", () -> new Statement.MakeThread(target()));
    forms.put("native", () -> new Statement.MakeNative(target(), OperandParser.label(line())));
    forms.put("weak", () -> new Statement.MakeWeak(operands.weak(line()), value()));
    forms.put("set", () -> new Statement.Set(target(), value()));
    forms.put("add", this::add);
    forms.put("delete", () -> operands.property(line(), scope()));
    forms.put("drop", this::drop);
    forms.put("length", () -> new Statement.Length(place(), index("a length")));
    forms.put("resize", () -> new Statement.Resize(place(), bytes()));
    forms.put("fill", () -> new Statement.Fill(place(), number("the number of a pattern")));
    forms.put(
        "hash", () -> new Statement.Hash(OperandParser.assignedLocal(line(), scope()), place()));
    forms.put("push", () -> new Statement.Push(place(), value()));
    forms.put("pop", this::pop);
    forms.put("unfinalizer", () -> new Statement.ClearFinalizer(place()));
  }

  private void heap() {
    forms.put("collect", this::collect);
    forms.put(
        "step",
        () -> new Statement.Increments(line().atEnd() ? 1 : index("a number of increments")));
    forms.put("alloc", () -> new Statement.Alloc(made(), bytes(), false));
    forms.put("realloc", () -> new Statement.Realloc(local(), bytes(), false));
    forms.put("free", () -> new Statement.Free(local(), false));
    forms.put("raw-alloc", () -> new Statement.Alloc(made(), bytes(), true));
    forms.put("raw-realloc", () -> new Statement.Realloc(local(), bytes(), true));
    forms.put("raw-free", () -> new Statement.Free(local(), true));
    forms.put("close", Statement.Close::new);
    forms.put("print", () -> new Statement.Print(operands.values(line(), scope())));
    forms.put("mark", this::mark);
  }

  private boolean isWeak() {
    return line().acceptWord("weak");
  }

  private int weakness() {
    Integer weakness = WEAKNESSES.get(line().peek().text());
    if (weakness == null) {
      throw line().unexpected(line().peek(), "what is weak: ", WEAKNESSES.keySet());
    }
    line().take();
    return weakness;
  }

  private Statement collect() {
    if (line().acceptWord("minor")) {
      return new Statement.CollectMinor();
    }
    return new Statement.Collect(flags("minor, or a flag: "));
  }

  /** At least one flag. */
  int someFlags() {
    if (line().peek().isSymbol("{")) {
      throw line().unexpected(line().peek(), "a flag: ", FLAGS.keySet());
    }
    return flags("'{' or a flag: ");
  }

  private int flags(String expected) {
    int flags = 0;
    while (!line().atEnd() && !line().peek().isSymbol("{")) {
      Integer flag = FLAGS.get(line().peek().text());
      if (flag == null) {
        throw line().unexpected(line().peek(), expected, FLAGS.keySet());
      }
      line().take();
      flags |= flag;
    }
    return flags;
  }

  private Statement mark() {
    line().requireWord("used");
    return new Statement.MarkUsed();
  }

  // ---- elements ----

  private Statement add() {
    Place place = place();
    scope().useTemps(place.temps()); // once to read, once to store
    return new Statement.Add(place, OperandParser.signed(line(), "a whole number"));
  }

  private Statement concat() {
    Place place = target();
    List<Value> pieces = operands.values(line(), scope());
    scope().useTemps(1 + pieces.size()); // side by side, and the result
    return new Statement.Concat(place, pieces);
  }

  private Statement drop() {
    List<Name> names = new ArrayList<>();
    do {
      names.add(operands.anyName(line(), scope()));
    } while (!line().atEnd());
    scope().useTemps(1);
    return new Statement.Drop(names);
  }

  private Statement pop() {
    scope().useTemps(1);
    return new Statement.Pop(place());
  }

  // ---- operands ----

  private Place target() {
    return operands.target(line(), scope());
  }

  private Place place() {
    return operands.place(line(), scope());
  }

  private Value value() {
    return operands.value(line(), scope());
  }

  private Place.Local made() {
    return OperandParser.assignedLocal(line(), scope());
  }

  private Place.Local local() {
    return OperandParser.local(line(), scope());
  }

  private String text(String expected) {
    return OperandParser.text(line(), expected);
  }

  private long number(String expected) {
    return OperandParser.number(line(), expected);
  }

  private int index(String expected) {
    return OperandParser.index(line(), expected);
  }

  private long bytes() {
    return OperandParser.number(line(), "a number of bytes");
  }
}
