package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Compiler;
import dev.gleaner.lua.compiler.Dump;
import dev.gleaner.lua.compiler.Prototype;
import dev.gleaner.lua.compiler.SyntaxException;
import dev.gleaner.lua.memory.Account;
import org.jspecify.annotations.Nullable;

/** Reads chunks of bounded length from the heap, and compiles them. */
public final class Chunks {
  /** The most bytes of a source. */
  public static final int MOST = Compiler.MOST_TEXT;

  /** The first byte of a binary chunk. */
  static final byte ESCAPE = 0x1B;

  private Chunks() {}

  /** Returns the bytes of a string, and charges them. */
  static byte[] bytes(Arguments a, int slot, Account.Loan loan) {
    Mutator t = a.mutator();
    int length = t.stringBytes(slot);
    if (length > MOST) {
      throw a.error("chunk too large");
    }
    a.work(length >>> 4);
    loan.add(Account.array(length, 1));
    byte[] bytes = new byte[length];
    t.readString(slot, 0, bytes, 0, length);
    return bytes;
  }

  /**
   * Calls a function for piece after piece. Returns all bytes, and charges them. Returns null if
   * the function fails; the error is the current one then.
   */
  static byte @Nullable [] pieces(Machine m, Arguments a, int function, Account.Loan loan) {
    int size = a.mutator().frameSize();
    try {
      return read(m, a, function, loan);
    } catch (LuaError e) {
      a.mutator().resizeFrame(size);
      m.calls().protection().raise(e);
      return null;
    }
  }

  private static byte[] read(Machine m, Arguments a, int function, Account.Loan loan) {
    Mutator t = a.mutator();
    SourceBuffer all = new SourceBuffer(a, loan);
    int x = a.scratch(1);
    while (true) {
      t.copy(x, function);
      int _ = m.call(x, 0, 1);
      if (t.get(x) == Values.UNDEFINED) {
        break;
      }
      if (!m.toText(x)) {
        throw a.error("reader function must return a string");
      }
      int length = t.stringBytes(x);
      if (length == 0) {
        break;
      }
      a.work(length >>> 4);
      int from = all.grow(length);
      t.readString(x, 0, all.array(), from, length);
    }
    return all.whole();
  }

  /**
   * Adds string.dump if the sandbox grants files.
   *
   * @param machine the machine of the library
   * @param library the library of strings
   */
  public static void addDump(Machine machine, Registration library) {
    if (machine.sandbox().files()) {
      Registration _ = library.add("dump", a -> dump(machine, a));
    }
  }

  /** The function string.dump. */
  private static int dump(Machine m, Arguments a) {
    if (a.count() == 0 || !m.isFunction(1)) {
      throw a.typeError(1, "function");
    }
    Code code = m.state().codes.of(a.mutator(), 1);
    if (code == null) {
      throw a.error("unable to dump given function");
    }
    boolean strip = !a.isNoneOrNil(2) && a.mutator().get(2) != Values.FALSE;
    try (Account.Loan loan = m.account().borrow()) {
      long most = Dump.size(code.prototype);
      a.work(most >>> 3);
      loan.add(4 * most);
      byte[] bytes = Dump.write(code.prototype, strip);
      a.mutator().newString(1, bytes, 0, bytes.length);
    }
    return a.one(1);
  }

  /**
   * Leaves a function, or nil and a message, as results.
   *
   * @param loan has paid for the text; all of the loan is given back on success
   */
  static int load(
      Machine m,
      Arguments a,
      byte[] text,
      String source,
      String mode,
      int environment,
      Account.Loan loan) {
    loan.add(Account.text(0) + source.length());
    int x = a.scratch(2);
    boolean binary = text.length > 0 && text[0] == ESCAPE;
    String message;
    if (binary && !m.sandbox().files()) {
      message = "attempt to load a binary chunk (mode is 't')";
    } else if (binary && mode.indexOf('b') < 0) {
      message = "attempt to load a binary chunk (mode is '" + mode + "')";
    } else if (binary) {
      try {
        Prototype main = Dump.read(text, source, loan, a::work);
        loan.close();
        m.load(x, main, environment);
        return a.one(x);
      } catch (SyntaxException e) {
        message = String.valueOf(e.getMessage());
      }
    } else if (mode.indexOf('t') < 0) {
      message = "attempt to load a text chunk (mode is '" + mode + "')";
    } else {
      try {
        Prototype main = Compiler.compile(text, source, loan, a::work);
        loan.close(); // the function's unit has a charge of its own
        m.load(x, main, environment);
        return a.one(x);
      } catch (SyntaxException e) {
        message = String.valueOf(e.getMessage());
      } catch (StackOverflowError _) {
        message = "stack overflow";
      }
    }
    a.mutator().set(x, Values.UNDEFINED);
    m.setString(x + 1, message);
    return a.results(x, 2);
  }
}
