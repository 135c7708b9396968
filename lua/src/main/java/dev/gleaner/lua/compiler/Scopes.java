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
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The scopes of a function while it is parsed: its active locals, its blocks, and its gotos. */
final class Scopes {
  private static final int MOST_LOCALS = 200;
  private static final int MOST_UPVALUES = 255;

  final @Nullable Scopes outer;
  final Function function;
  private final Lexer lexer;
  private final List<Local> active = new ArrayList<>();
  private @Nullable Block block;

  Scopes(@Nullable Scopes outer, Function function, Lexer lexer) {
    this.outer = outer;
    this.function = function;
    this.lexer = lexer;
  }

  /** A block that is open. */
  private static final class Block {
    final @Nullable Block outer;
    final int locals;
    final @Nullable Label end;
    final List<Label> labels = new ArrayList<>();
    final List<Goto> gotos = new ArrayList<>();

    Block(@Nullable Block outer, int locals, @Nullable Label end) {
      this.outer = outer;
      this.locals = locals;
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

  /** Opens a block; a cycle has an end that breaks lead to. */
  void open(@Nullable Label end) {
    block = new Block(block, active.size(), end);
  }

  void close() {
    Block b = current();
    Block outer = b.outer;
    for (Goto g : b.gotos) {
      if (outer == null) {
        throw noLabel(g);
      }
      g.visible = Math.min(g.visible, b.locals);
      outer.gotos.add(g);
    }
    while (active.size() > b.locals) {
      active.remove(active.size() - 1);
    }
    block = outer;
  }

  private SyntaxException noLabel(Goto g) {
    return lexer.semanticError(
        g.name.equals("break")
            ? "break outside loop at line " + g.line
            : "no visible label '" + g.name + "' for <goto> at line " + g.line);
  }

  // ---- gotos ----

  Goto addBreak(int line) {
    Goto g = new Goto("break", line, active.size());
    for (Block b = block; b != null; b = b.outer) {
      if (b.end != null) {
        g.target = b.end;
        return g;
      }
    }
    throw noLabel(g);
  }

  Goto addGoto(String name, int line) {
    Goto g = new Goto(name, line, active.size());
    for (Block b = block; b != null; b = b.outer) {
      for (Label label : b.labels) {
        if (label.name.equals(name)) {
          g.target = label;
          return g;
        }
      }
    }
    current().gotos.add(g);
    return g;
  }

  /** Adds a label; the last statement of a block is out of the scope of its locals. */
  Label addLabel(String name, int line, boolean last) {
    Block here = current();
    Label label = new Label(name, line, last ? here.locals : active.size());
    here.labels.add(label);
    here.gotos.removeIf(g -> {
      if (!g.name.equals(name)) {
        return false;
      }
      int visible = g.visible;
      if (visible < label.locals) {
        throw lexer.semanticError(
            "<goto "
                + name
                + "> at line "
                + g.line
                + " jumps into the scope of local '"
                + active.get(visible).name
                + "'");
      }
      g.target = label;
      return true;
    });
    return label;
  }

  void checkNewLabel(String name) {
    for (Block b = block; b != null; b = b.outer) {
      for (Label label : b.labels) {
        if (label.name.equals(name)) {
          throw lexer.semanticError("label '" + name + "' already defined on line " + label.line);
        }
      }
    }
  }

  // ---- names ----

  void declare(Local local) {
    if (active.size() >= MOST_LOCALS) {
      throw tooMany("local variables", MOST_LOCALS);
    }
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

  /** A local or upvalue; null if there is none with the name. */
  @Nullable Expression find(String name) {
    Local local = local(name);
    if (local != null) {
      return local.constant != null ? local.constant : new LocalExpression(local);
    }
    for (Scopes s = outer; s != null; s = s.outer) {
      Local further = s.local(name);
      if (further != null && further.constant != null) {
        return further.constant;
      }
      if (further != null) {
        break;
      }
    }
    int i = upvalue(name);
    return i < 0 ? null : new UpvalueExpression(i, function.upvalues.get(i).origin());
  }

  private @Nullable Local local(String name) {
    for (int i = active.size() - 1; i >= 0; i--) {
      if (active.get(i).name.equals(name)) {
        return active.get(i);
      }
    }
    return null;
  }

  private int upvalue(String name) {
    for (int i = 0; i < function.upvalues.size(); i++) {
      if (function.upvalues.get(i).origin().name.equals(name)) {
        return i;
      }
    }
    if (outer == null) {
      return -1;
    }
    Local local = outer.local(name);
    if (local != null) {
      local.captured = true;
      return add(new Upvalue(local, true, 0));
    }
    int i = outer.upvalue(name);
    return i < 0 ? -1 : add(new Upvalue(outer.function.upvalues.get(i).origin(), false, i));
  }

  private int add(Upvalue upvalue) {
    if (function.upvalues.size() >= MOST_UPVALUES) {
      throw tooMany("upvalues", MOST_UPVALUES);
    }
    function.upvalues.add(upvalue);
    return function.upvalues.size() - 1;
  }
}
