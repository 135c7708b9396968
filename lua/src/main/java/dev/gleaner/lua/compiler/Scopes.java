package dev.gleaner.lua.compiler;

import dev.gleaner.lua.compiler.Syntax.Expression;
import dev.gleaner.lua.compiler.Syntax.Function;
import dev.gleaner.lua.compiler.Syntax.Goto;
import dev.gleaner.lua.compiler.Syntax.Label;
import dev.gleaner.lua.compiler.Syntax.Local;
import dev.gleaner.lua.compiler.Syntax.LocalExpression;
import dev.gleaner.lua.compiler.Syntax.Upvalue;
import dev.gleaner.lua.compiler.Syntax.UpvalueExpression;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The scopes of a function during parsing: active locals, blocks, labels and gotos. Each name
 * refers to its current local, so a look-up takes the same time for any number of locals. Gotos and
 * locals have numbers that show which came first.
 */
final class Scopes {
  private static final int MOST_LOCALS = 200;
  private static final int MOST_UPVALUES = 255;

  /** Bytes of an upvalue with its variable, of a goto, and of a label, with index entries. */
  private static final int UPVALUE = 256;

  private static final int GOTO = 160;
  private static final int LABEL = 192;

  final @Nullable Scopes outer;
  final Function function;
  private final Lexer lexer;
  private final Meter meter;
  private final List<Local> active = new ArrayList<>();
  private final Map<String, Label> labels = new HashMap<>();
  private final Map<String, List<Goto>> pending = new HashMap<>();
  private @Nullable Block block;
  private int declared;
  private int gotos;

  Scopes(@Nullable Scopes outer, Function function, Lexer lexer, Meter meter) {
    this.outer = outer;
    this.function = function;
    this.lexer = lexer;
    this.meter = meter;
  }

  /** An open block. */
  private static final class Block {
    final @Nullable Block outer;
    final int locals;
    final int gotos;
    final @Nullable Label end;
    final List<Label> labels = new ArrayList<>(0);

    Block(@Nullable Block outer, int locals, int gotos, @Nullable Label end) {
      this.outer = outer;
      this.locals = locals;
      this.gotos = gotos;
      this.end = end;
    }
  }

  private Block current() {
    Block b = block;
    if (b == null) {
      throw new IllegalStateException("no block");
    }
    return b;
  }

  // ---- blocks ----

  /** Opens a block. A break in a loop leads to the end of the loop. */
  void open(@Nullable Label end) {
    block = new Block(block, active.size(), gotos, end);
  }

  void close() {
    Block b = current();
    if (b.outer == null) {
      pending.values().stream()
          .map(List::getFirst)
          .min(Comparator.comparingInt(g -> g.number))
          .ifPresent(g -> {
            throw noLabel(g);
          });
    }
    for (Label label : b.labels) {
      labels.remove(label.name);
    }
    while (active.size() > b.locals) {
      Local local = active.removeLast();
      local.binding.local = local.shadowed;
      local.shadowed = null;
      local.scopes = null;
    }
    block = b.outer;
  }

  private SyntaxException noLabel(Goto g) {
    return lexer.semanticError(
        g.name.equals("break")
            ? "break outside loop at line " + g.line
            : "no visible label '" + g.name + "' for <goto> at line " + g.line);
  }

  // ---- gotos ----

  private Goto newGoto(String name, int line) {
    meter.node(GOTO);
    return new Goto(name, line, gotos++, declared);
  }

  Goto addBreak(int line) {
    Goto g = newGoto("break", line);
    for (Block b = block; b != null; b = b.outer) {
      if (b.end != null) {
        g.target = b.end;
        return g;
      }
    }
    throw noLabel(g);
  }

  Goto addGoto(String name, int line) {
    Goto g = newGoto(name, line);
    g.target = labels.get(name);
    if (g.target == null) {
      pending.computeIfAbsent(name, n -> new ArrayList<>(1)).add(g);
    }
    return g;
  }

  /** Adds a label. A label at the end of a block is outside of the scope of the block's locals. */
  Label addLabel(String name, int line, boolean last) {
    meter.node(LABEL);
    Block here = current();
    Label label = new Label(name, line, last ? here.locals : active.size());
    label.endLine = lexer.lastLine;
    here.labels.add(label);
    labels.put(name, label);
    List<Goto> waiting = pending.get(name);
    if (waiting != null) {
      int from = waiting.size();
      while (from > 0 && waiting.get(from - 1).number >= here.gotos) {
        from--;
      }
      List<Goto> reached = waiting.subList(from, waiting.size());
      reached.forEach(g -> reach(g, label));
      reached.clear();
      if (from == 0) {
        pending.remove(name);
      }
    }
    return label;
  }

  private void reach(Goto g, Label label) {
    if (label.locals > 0 && active.get(label.locals - 1).number >= g.declared) {
      int first = label.locals - 1;
      while (first > 0 && active.get(first - 1).number >= g.declared) {
        first--;
      }
      throw lexer.semanticError(
          "<goto %s> at line %s jumps into the scope of local '%s'"
              .formatted(g.name, g.line, active.get(first).name));
    }
    g.target = label;
  }

  void checkNewLabel(String name) {
    Label label = labels.get(name);
    if (label != null) {
      throw lexer.semanticError("label '" + name + "' already defined on line " + label.line);
    }
  }

  // ---- names ----

  void declare(Local local) {
    if (active.size() >= MOST_LOCALS) {
      throw tooMany("local variables", MOST_LOCALS);
    }
    local.scopes = this;
    local.number = declared++;
    local.shadowed = local.binding.local;
    local.binding.local = local;
    active.add(local);
  }

  int activeCount() {
    return active.size();
  }

  void checkLocals(int more) {
    if (active.size() + more > MOST_LOCALS) {
      throw tooMany("local variables", MOST_LOCALS);
    }
  }

  private SyntaxException tooMany(String what, int limit) {
    String where = function.line == 0 ? "main function" : "function at line " + function.line;
    return lexer.error("too many " + what + " (limit is " + limit + ") in " + where);
  }

  /** Returns the local, upvalue or constant of a name; null if there is none. */
  @Nullable Expression find(Name name) {
    Local local = name.local;
    if (local == null || local.constant != null) {
      return local == null ? null : local.constant;
    }
    if (local.scopes == this) {
      meter.node(Meter.NODE);
      return new LocalExpression(local);
    }
    return upvalue(local);
  }

  private UpvalueExpression upvalue(Local local) {
    UpvalueExpression known = function.upvalue.get(local);
    if (known != null) {
      return known;
    }
    if (outer == null) {
      throw new IllegalStateException("a variable of no function");
    }
    if (local.scopes == outer) {
      local.captured = true;
      local.assigned |= lexer.reflects && local.attribute != Local.CLOSE;
      return add(new Upvalue(local, true, 0));
    }
    return add(new Upvalue(local, false, outer.upvalue(local).index()));
  }

  UpvalueExpression add(Upvalue upvalue) {
    int index = function.upvalues.size();
    if (index >= MOST_UPVALUES) {
      throw tooMany("upvalues", MOST_UPVALUES);
    }
    meter.charge(UPVALUE);
    function.upvalues.add(upvalue);
    UpvalueExpression e = new UpvalueExpression(index, upvalue.origin());
    function.upvalue.put(upvalue.origin(), e);
    return e;
  }
}
