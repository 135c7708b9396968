package dev.gleaner.lua.compiler;

import dev.gleaner.layout.Values;
import dev.gleaner.lua.compiler.Prototype.Capture;
import dev.gleaner.lua.compiler.Prototype.Variable;
import dev.gleaner.lua.memory.Account;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Compiled functions as bytes, in a format of our own behind the header of Lua 5.4. The reader
 * checks all parts.
 *
 * <pre>
 *   chunk      header, signature, version (1 byte), source, function
 *   function   line, last line, parameters, varargs (1 byte), frame size, then counts, each before
 *              what it counts: words of code, lines, numbers, strings, captures, variables, inner
 *              functions
 *   number     1 and an int, or 2 and a double
 *   string     bytes, after their count
 * </pre>
 */
public final class Dump {
  private static final byte[] SIGNATURE = {'G', 'l', 'u', 'a'};

  /** The header that luac of Lua 5.4 writes, with the bytes that show what its machine is like. */
  private static final byte[] HEADER =
      ByteBuffer.allocate(31)
          .order(ByteOrder.LITTLE_ENDIAN)
          .put(new byte[] {0x1B, 'L', 'u', 'a', 0x54, 0, 0x19, (byte) 0x93, '\r', '\n', 0x1A, '\n'})
          .put(new byte[] {4, Long.BYTES, Double.BYTES})
          .putLong(0x5678)
          .putDouble(370.5)
          .array();

  private static final int VERSION = 1;
  private static final int MOST_NESTED = 200;

  /** The least bytes of a function, a capture and a variable. */
  private static final int LEAST_FUNCTION = 49;

  private static final int LEAST_CAPTURE = 9;
  private static final int LEAST_VARIABLE = 17;

  /** Bytes of the JVM's heap for a capture or a variable without its name, and for a function. */
  private static final int RECORD = 48;

  private static final int FUNCTION = 512;
  private static final int LOCAL = 1;
  private static final int BOXED = 2;
  private static final int CLOSES = 4;
  private static final int INT = 1;
  private static final int DOUBLE = 2;

  private Dump() {}

  // ---- writing ----

  /** {@return the most bytes that a function takes} */
  public static long size(Prototype p) {
    return HEADER.length
        + SIGNATURE.length
        + 1L
        + Integer.BYTES
        + p.source.length()
        + functionSize(p);
  }

  private static long functionSize(Prototype p) {
    long bytes =
        LEAST_FUNCTION
            + p.name.length()
            + 8L * p.code.length
            + (1L + Double.BYTES) * p.numbers.length;
    for (String s : p.strings) {
      bytes += Integer.BYTES + s.length();
    }
    for (Capture c : p.captures) {
      bytes += LEAST_CAPTURE + c.name().length();
    }
    for (Variable v : p.variables) {
      bytes += LEAST_VARIABLE + v.name().length();
    }
    for (Prototype inner : p.inner) {
      bytes += functionSize(inner);
    }
    return bytes;
  }

  /**
   * {@return a function as bytes}
   *
   * @param p the function
   * @param strip whether to leave out lines and names
   */
  public static byte[] write(Prototype p, boolean strip) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.write(HEADER);
      out.write(SIGNATURE);
      out.writeByte(VERSION);
      text(out, strip ? "=?" : p.source);
      function(out, p, strip);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void text(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static void ints(DataOutputStream out, int[] values) throws IOException {
    out.writeInt(values.length);
    for (int v : values) {
      out.writeInt(v);
    }
  }

  private static void function(DataOutputStream out, Prototype p, boolean strip)
      throws IOException {
    text(out, strip ? "" : p.name);
    out.writeInt(p.line);
    out.writeInt(p.lastLine);
    out.writeInt(p.parameters);
    out.writeBoolean(p.varargs);
    out.writeInt(p.frameSize);
    ints(out, p.code);
    ints(out, strip ? new int[0] : p.lines);
    out.writeInt(p.numbers.length);
    for (long n : p.numbers) {
      if (Values.isInt(n)) {
        out.writeByte(INT);
        out.writeInt(Values.toInt(n));
      } else {
        out.writeByte(DOUBLE);
        out.writeDouble(Values.toDouble(n));
      }
    }
    out.writeInt(p.strings.length);
    for (String s : p.strings) {
      text(out, s);
    }
    out.writeInt(p.captures.length);
    for (Capture c : p.captures) {
      text(out, strip ? "" : c.name());
      out.writeByte((c.local() ? LOCAL : 0) | (c.boxed() ? BOXED : 0));
      out.writeInt(c.index());
    }
    Variable[] kept =
        Arrays.stream(p.variables).filter(v -> !strip || v.closes()).toArray(Variable[]::new);
    out.writeInt(kept.length);
    for (Variable v : kept) {
      text(out, strip ? "?" : v.name());
      out.writeByte((v.boxed() ? BOXED : 0) | (v.closes() ? CLOSES : 0));
      out.writeInt(v.register());
      out.writeInt(v.from());
      out.writeInt(v.to());
    }
    out.writeInt(p.inner.length);
    for (Prototype inner : p.inner) {
      function(out, inner, strip);
    }
  }

  // ---- reading ----

  /**
   * {@return the function of some bytes, after a check of all parts}
   *
   * @param bytes the result of {@link #write}, or any other bytes
   * @param name the name of the chunk, for messages
   * @param loan pays for memory on the JVM's heap, with the result, but without the bytes and the
   *     name
   * @param work gets the steps of the work
   * @throws SyntaxException if the bytes are no function
   */
  public static Prototype read(byte[] bytes, String name, Account.Loan loan, LongConsumer work) {
    String shown =
        name.startsWith("@") || name.startsWith("=")
            ? name.substring(1)
            : name.startsWith("\u001b") ? "binary string" : name;
    try {
      return new Reader(ByteBuffer.wrap(bytes), loan, work).chunk();
    } catch (BufferUnderflowException _) {
      throw new SyntaxException(shown + ": bad binary format (truncated chunk)");
    } catch (Verifier.Refusal e) {
      throw new SyntaxException(shown + ": bad binary format (" + e.getMessage() + ")");
    }
  }

  /** Reads one function. */
  private static final class Reader {
    private final ByteBuffer in;
    private final Account.Loan loan;
    private final LongConsumer work;
    private final Map<String, String> texts = new HashMap<>();
    private String source = "";
    private String chunk = "";

    Reader(ByteBuffer in, Account.Loan loan, LongConsumer work) {
      this.in = in;
      this.loan = loan;
      this.work = work;
    }

    Prototype chunk() {
      expect(HEADER, "not a binary chunk");
      expect(SIGNATURE, "made by another compiler");
      if (in.get() != VERSION) {
        throw new Verifier.Refusal("version mismatch");
      }
      source = text();
      chunk = ChunkNames.display(source);
      Prototype p = function(0);
      Verifier.check(p, loan, work);
      return p;
    }

    private void expect(byte[] bytes, String otherwise) {
      for (byte b : bytes) {
        if (in.get() != b) {
          throw new Verifier.Refusal(otherwise);
        }
      }
    }

    /** Reads a count. Each part takes at least some bytes of input, and some in memory. */
    private int count(int least, int memory) {
      int n = in.getInt();
      if (n < 0 || (long) n * least > in.remaining()) {
        throw new BufferUnderflowException();
      }
      work.accept(n >>> 3);
      loan.add(Account.array(n, memory));
      return n;
    }

    /** Reads a text. Equal texts are one, as in a chunk that was compiled. */
    private String text() {
      byte[] bytes = new byte[count(1, 2)];
      loan.add(Account.text(0) + Account.ENTRY);
      in.get(bytes);
      String read = new String(bytes, StandardCharsets.ISO_8859_1);
      String known = texts.putIfAbsent(read, read);
      return known == null ? read : known;
    }

    private int[] ints() {
      int[] values = new int[count(4, Integer.BYTES)];
      for (int i = 0; i < values.length; i++) {
        values[i] = in.getInt();
      }
      return values;
    }

    private boolean flag() {
      return in.get() != 0;
    }

    private Prototype function(int depth) {
      if (depth > MOST_NESTED) {
        throw new Verifier.Refusal("functions too deep in each other");
      }
      String name = text();
      int line = in.getInt();
      int lastLine = in.getInt();
      int parameters = in.getInt();
      boolean varargs = flag();
      int frameSize = in.getInt();
      int[] code = ints();
      int[] lines = ints();
      if (lines.length == 0) {
        loan.add(Account.array(code.length, Integer.BYTES));
        lines = new int[code.length];
        Arrays.fill(lines, -1);
      } else if (lines.length != code.length) {
        throw new Verifier.Refusal("lines for other code");
      }
      long[] numbers = new long[count(5, Long.BYTES)];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] =
            switch (in.get()) {
              case INT -> Values.ofInt(in.getInt());
              case DOUBLE -> Values.ofDouble(in.getDouble());
              default -> throw new Verifier.Refusal("unknown constant");
            };
      }
      String[] strings = new String[count(4, Long.BYTES)];
      for (int i = 0; i < strings.length; i++) {
        strings[i] = text();
      }
      Capture[] captures = new Capture[count(LEAST_CAPTURE, RECORD)];
      for (int i = 0; i < captures.length; i++) {
        String captured = text();
        int flags = in.get();
        captures[i] =
            new Capture(captured, (flags & LOCAL) != 0, in.getInt(), (flags & BOXED) != 0);
      }
      Variable[] variables = new Variable[count(LEAST_VARIABLE, RECORD)];
      for (int i = 0; i < variables.length; i++) {
        String local = text();
        int flags = in.get();
        variables[i] =
            new Variable(
                local,
                in.getInt(),
                in.getInt(),
                in.getInt(),
                (flags & BOXED) != 0,
                (flags & CLOSES) != 0);
      }
      Prototype[] inner = new Prototype[count(46, FUNCTION)];
      for (int i = 0; i < inner.length; i++) {
        inner[i] = function(depth + 1);
      }
      return new Prototype(
          source,
          chunk,
          name,
          line,
          lastLine,
          parameters,
          varargs,
          frameSize,
          code,
          lines,
          numbers,
          strings,
          inner,
          captures,
          variables);
    }
  }
}
