package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.memory.Account;
import dev.gleaner.refusal.HeapExhaustedException;
import org.jspecify.annotations.Nullable;

/** The stack of a script as text. */
public final class Tracebacks {
  private static final int FIRST = 10;
  private static final int LAST = 11;
  private static final String ROOT = "message handler";

  private final State s;
  private final Strings strings;
  private final Levels levels;
  private final Messages messages;
  private final Tables tables;
  private final GlobalRef loaded;
  private final Mutator t;
  private final int handler;
  private String last = "";
  private @Nullable GlobalRef function;

  /**
   * Makes the tracebacks of a machine.
   *
   * @param loaded holds package.loaded
   */
  Tracebacks(Parts parts, GlobalRef loaded) {
    this.s = parts.state;
    this.strings = parts.strings;
    this.levels = parts.levels;
    this.messages = parts.messages;
    this.tables = parts.tables;
    this.loaded = loaded;
    this.t = s.t;
    this.handler = parts.builtins.add(this::handle, "message handler", 0);
    this.function = s.roots.restored(ROOT);
  }

  /** {@return the last text of the message handler} Forgets the text. */
  String takeLast() {
    String text = last;
    last = "";
    return text;
  }

  /** Loads a function that keeps the text of the stack. */
  void loadHandler(int d) {
    if (function == null) {
      t.newFunction(d, 0, 0);
      t.setFunctionCode(d, handler);
      GlobalRef made = s.roots.make(ROOT);
      t.setGlobal(made, d);
      function = made;
    }
    t.getGlobal(d, function);
  }

  private int handle(Arguments a) {
    last = text(1);
    return a.one(1);
  }

  /** Returns the stack from a level of the heap on: 1 is the caller of the running function. */
  String text(int from) {
    StringBuilder text = new StringBuilder("stack traceback:");
    int depth = t.frameDepth() - 2; // without the frames at the bottom
    int shown = levels.count(from, depth);
    int size = t.frameSize();
    try (Account.Loan loan = s.account.borrow()) {
      append(text, from, depth, shown, loan);
    } catch (HeapExhaustedException _) {
      t.resizeFrame(size);
      text.append("\n\t...\t(no memory for more)");
    }
    return text.toString();
  }

  private void append(StringBuilder text, int from, int depth, int shown, Account.Loan loan) {
    int n = 0;
    for (int level = from; level <= depth; level = levels.next(level)) {
      if (shown > FIRST + LAST && n == FIRST) {
        int skipped = shown - FIRST - LAST;
        text.append("\n\t...\t(skipping ").append(skipped - 1).append(" levels)");
        level = levels.find(level, skipped - 1);
        n += skipped;
      } else {
        append(text, level);
        n++;
        loan.add(Math.max(0, Account.text(text.length()) - loan.bytes()));
      }
    }
  }

  private void append(StringBuilder text, int level) {
    levels.charge(level);
    int x = s.scratch(1);
    t.peek(x, level, 0);
    int number = t.functionCode(x);
    Code code = number < 0 ? null : s.codes.compiled[number];
    boolean tail = false;
    if (code != null) {
      t.peek(x, level, code.pcSlot);
      long saved = t.get(x);
      tail = Return.isTail(Return.of(saved));
      int at = Return.pc(saved) - 1;
      boolean stripped = Messages.line(code, at) <= 0;
      text.append("\n\t");
      text.append(stripped ? code.prototype.chunk + ":" : Messages.position(code, at));
      text.append(" in ");
      text.append(function(code, level, tail));
    } else {
      text.append("\n\t[C]: in ").append(number < 0 ? "?" : function(null, level, false));
    }
    if (tail) {
      text.append("\n\t(...tail calls...)");
    }
    t.resizeFrame(x);
  }

  private String function(@Nullable Code code, int level, boolean tail) {
    String global = globalName(level);
    if (!global.isEmpty()) {
      return "function '" + global + "'";
    }
    String called = tail ? "" : messages.called(level);
    if (!called.isEmpty()) {
      return called;
    }
    if (code == null) {
      return "?";
    }
    if (code.prototype.line == 0) {
      return "main chunk";
    }
    return "function <" + code.prototype.chunk + ":" + code.prototype.line + ">";
  }

  /** Returns a function's name in a loaded library, as "string.rep"; empty if there is none. */
  private String globalName(int level) {
    int x = s.scratch(7);
    String name = "";
    t.peek(x, level, 0);
    t.getGlobal(x + 1, loaded);
    while (name.isEmpty() && tables.next(x + 2, x + 1, x + 2, 2)) {
      s.limits.work(1);
      if (tables.isTable(x + 3) && Types.isString(t, x + 2)) {
        t.set(x + 4, 0);
        while (tables.next(x + 4, x + 3, x + 4, 2)) {
          s.limits.work(1);
          if (t.same(x, x + 5) && Types.isString(t, x + 4)) {
            String library = strings.get(x + 2);
            String field = strings.get(x + 4);
            name = library.equals("_G") ? field : library + "." + field;
            break;
          }
        }
      }
    }
    t.resizeFrame(x);
    return name;
  }
}
