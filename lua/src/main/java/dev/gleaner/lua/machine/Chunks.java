package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Dump;
import dev.gleaner.lua.compiler.SyntaxException;
import java.io.ByteArrayOutputStream;

/** Reads chunks out of the heap, and compiles them; sources are bounded. */
public final class Chunks {
  /** The most bytes of a source. */
  public static final int MOST = 16 << 20;

  private static final byte ESCAPE = 0x1B;

  private Chunks() {}

  static byte[] bytes(Arguments a, int slot) {
    Mutator t = a.mutator();
    int length = t.stringBytes(slot);
    check(a, length);
    byte[] bytes = new byte[length];
    t.readString(slot, 0, bytes, 0, length);
    return bytes;
  }

  private static void check(Arguments a, long length) {
    if (length > MOST) {
      throw a.error("chunk too large");
    }
    a.work(length >>> 2);
  }

  /** Calls a function for piece after piece. */
  static byte[] pieces(Arguments a, int function) {
    Mutator t = a.mutator();
    Machine m = a.machine();
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    int x = a.scratch(1);
    while (true) {
      t.copy(x, function);
      int _ = m.call(x, 0, 1);
      if (t.get(x) == Values.UNDEFINED) {
        break;
      }
      if (!m.isString(x)) {
        throw new LuaError("reader function must return a string");
      }
      byte[] piece = bytes(a, x);
      if (piece.length == 0) {
        break;
      }
      check(a, (long) all.size() + piece.length);
      all.write(piece, 0, piece.length);
    }
    return all.toByteArray();
  }

  /** The function string.dump. */
  static int dump(Arguments a) {
    Machine m = a.machine();
    if (a.count() == 0 || !m.isFunction(1)) {
      throw a.typeError(1, "function");
    }
    Code code = m.state().codes.of(a.mutator(), 1);
    if (code == null) {
      throw a.error("unable to dump given function");
    }
    boolean strip = !a.isNoneOrNil(2) && a.mutator().get(2) != Values.FALSE;
    byte[] bytes = Dump.write(code.prototype, strip);
    a.work(bytes.length >>> 3);
    a.mutator().newString(1, bytes, 0, bytes.length);
    return a.one(1);
  }

  /** A function, or nil and a message. */
  static int load(Arguments a, byte[] text, String source, String mode, int environment) {
    Machine m = a.machine();
    int x = a.scratch(2);
    boolean binary = text.length > 0 && text[0] == ESCAPE;
    String message;
    if (binary && !m.sandbox().files()) {
      message = "attempt to load a binary chunk (mode is 't')";
    } else if (binary && mode.indexOf('b') < 0) {
      message = "attempt to load a binary chunk (mode is '" + mode + "')";
    } else if (binary) {
      try {
        m.load(x, Dump.read(text, source, a::work), environment);
        return a.one(x);
      } catch (SyntaxException e) {
        message = String.valueOf(e.getMessage());
      }
    } else if (mode.indexOf('t') < 0) {
      message = "attempt to load a text chunk (mode is '" + mode + "')";
    } else {
      try {
        m.load(x, text, source, environment);
        return a.one(x);
      } catch (SyntaxException e) {
        message = String.valueOf(e.getMessage());
      }
    }
    a.mutator().set(x, Values.UNDEFINED);
    m.setString(x + 1, message);
    return a.results(x, 2);
  }
}
