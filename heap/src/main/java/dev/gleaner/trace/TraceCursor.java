package dev.gleaner.trace;

import java.util.Arrays;
import org.apiguardian.api.API;

/**
 * A place in a trace, from which operations and their operands are read in order. What cannot be
 * read is a {@link TraceException}.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class TraceCursor {
  private final TraceFile file;
  private final TraceBlock block;

  /** What is read: the block, or the word of an operation that is not written there. */
  private byte[] bytes;

  private int at = TraceFormat.HEAD;
  private int end;
  private final byte[] word = new byte[4];
  private boolean inWord;

  /** Where the block goes on after the expected operations. */
  private int resume;

  /** Expected operations that are still to come. */
  private int repeats;

  private final boolean raw;
  private int[] expected = {};
  private int context;

  /** Bodies inside of each other, in which nothing is expected. */
  private int depth;

  /** Where the operation began that was read last. */
  private int start;

  private int textStart;
  private int textEnd;

  /**
   * Makes a cursor at the start of a block.
   *
   * @param raw whether expected operations are not resolved, but stay {@link TraceOp#REPEAT}
   */
  TraceCursor(TraceFile file, TraceBlock block, boolean raw) {
    this.file = file;
    this.block = block;
    this.bytes = block.bytes;
    this.end = block.end();
    this.raw = raw;
  }

  /**
   * Goes to a place, an operation's, in the block that begins there.
   *
   * @param blockAt the block's place in the file, in bytes
   * @param place in the block, in bytes
   */
  public void goTo(long blockAt, int place) {
    if (block.at != blockAt) {
      file.read(blockAt, block);
    }
    begin(TraceFormat.HEAD + place);
  }

  private void begin(int place) {
    inWord = false;
    bytes = block.bytes;
    end = block.end();
    at = place;
    start = place;
    repeats = 0;
    depth = 0;
  }

  /** {@return the block's place in the file} */
  public long block() {
    return block.at;
  }

  /** {@return the place in the block of the operation that was read last} */
  public int place() {
    return start - TraceFormat.HEAD;
  }

  /** {@return the place in the file of the operation that was read last} */
  public long offset() {
    return block.at + start;
  }

  /** {@return the recorded hash of what was read in this block} */
  public long reads() {
    return block.reads;
  }

  /** {@return whether the block has another operation} */
  public boolean hasMore() {
    return repeats > 0 || (inWord ? resume < block.end() : at < end);
  }

  /**
   * Goes to the next block; false at the end of the operations.
   *
   * @return whether there is one
   */
  public boolean nextBlock() {
    int open = depth;
    file.read(block.next, block);
    begin(TraceFormat.HEAD);
    depth = open;
    Arrays.fill(expected, 0);
    context = 0;
    return block.sort == TraceFormat.OPERATIONS_BLOCK;
  }

  /**
   * Reads an operation's code; its operands are to be read next.
   *
   * @return a code of a {@link TraceOp}
   */
  public int op() {
    if (repeats > 0) {
      return repeated();
    }
    if (inWord) {
      inWord = false;
      bytes = block.bytes;
      at = resume;
      end = block.end();
    }
    start = at;
    if (at >= end) {
      throw overrun();
    }
    int op = bytes[at++] & 0xFF;
    if (raw) {
      return op;
    }
    if (depth > 0) {
      depth += op == TraceOp.BODY ? 1 : op == TraceOp.BODY_END ? -1 : 0;
    } else if (op == TraceOp.REPEAT) {
      return beginRepeats();
    } else if (op == TraceOp.BODY) {
      depth = 1;
    } else {
      learn(op);
    }
    return op;
  }

  /** Remembers the operation whose code was read as the one to be expected. */
  private void learn(int op) {
    int operands = file.table.shortOperands(op);
    if (operands < 0 || operands > end - at) {
      return;
    }
    int w = op;
    for (int i = 0; i < operands; i++) {
      byte b = bytes[at + i];
      if (b < 0) {
        return;
      }
      w |= b << (8 + 8 * i);
    }
    if (expected.length == 0) {
      expected = new int[TraceFormat.CONTEXTS];
    }
    expected[context] = w;
    context = TraceFormat.context(context, w);
  }

  private int beginRepeats() {
    repeats = n();
    if (repeats <= 0 || repeats > file.total(TraceFormat.OPERATIONS) || expected.length == 0) {
      throw wrong("no such number of expected operations: " + repeats);
    }
    resume = at;
    bytes = word;
    inWord = true;
    return repeated();
  }

  private int repeated() {
    int w = expected[context];
    if (w == 0) {
      throw wrong("an operation that nothing leads one to expect");
    }
    repeats--;
    context = TraceFormat.context(context, w);
    TraceFormat.INT.set(word, 0, w);
    at = 1;
    end = 4;
    return w & 0xFF;
  }

  /**
   * Reads an operand of 32 bits.
   *
   * @return the operand, without sign
   */
  public int n() {
    int p = at;
    if (p < end) {
      byte b = bytes[p];
      if (b >= 0) {
        at = p + 1;
        return b;
      }
    }
    return (int) longer(35);
  }

  /**
   * Reads a signed operand of 32 bits.
   *
   * @return the operand
   */
  public int i() {
    int v = n();
    return v >>> 1 ^ -(v & 1);
  }

  /**
   * Reads an operand of 64 bits.
   *
   * @return the operand, without sign
   */
  public long l() {
    int p = at;
    if (p < end && bytes[p] >= 0) {
      at = p + 1;
      return bytes[p];
    }
    return longer(70);
  }

  private long longer(int most) {
    long v = 0;
    for (int shift = 0; shift < most; shift += 7) {
      if (at >= end) {
        throw overrun();
      }
      byte b = bytes[at++];
      v |= (b & 0x7FL) << shift;
      if (b >= 0) {
        return v;
      }
    }
    throw wrong("a number that is too long");
  }

  /**
   * Reads a signed operand of 64 bits.
   *
   * @return the operand
   */
  public long j() {
    long v = l();
    return v >>> 1 ^ -(v & 1);
  }

  /**
   * Reads a double.
   *
   * @return the operand
   */
  public double d() {
    if (end - at < 8) {
      throw overrun();
    }
    long bits = (long) TraceFormat.LONG.get(bytes, at);
    at += 8;
    return Double.longBitsToDouble(bits);
  }

  /**
   * Reads the length of a list each of whose parts takes so many bytes at least.
   *
   * @param bytesEach the least that each part takes
   * @return the length, which the rest of the block has room for
   */
  public int count(int bytesEach) {
    int n = n();
    if (n < 0 || n > (end - at) / bytesEach) {
      throw overrun();
    }
    return n;
  }

  /**
   * Reads a list.
   *
   * @return its parts
   */
  public int[] k() {
    int[] list = new int[count(1)];
    for (int i = 0; i < list.length; i++) {
      list[i] = n();
    }
    return list;
  }

  /**
   * Reads past a text and returns its length; it is in {@link #bytes}.
   *
   * @return bytes of UTF-8
   */
  public int textLength() {
    int length = count(1);
    textStart = at;
    textEnd = at + length;
    at = textEnd;
    return length;
  }

  /**
   * Returns where the text begins that was read last.
   *
   * @return an index in {@link #bytes}
   */
  public int textStart() {
    return textStart;
  }

  /** {@return the array with the text, until the cursor goes to another block} */
  @SuppressWarnings("EI_EXPOSE_REP")
  public byte[] bytes() {
    return bytes;
  }

  /**
   * Reads a text; unpaired surrogates come as they were.
   *
   * @return the text
   */
  public String t() {
    int _ = textLength();
    StringBuilder text = new StringBuilder(textEnd - textStart);
    for (int p = textStart; p < textEnd; ) {
      p = character(p, text);
    }
    return text.toString();
  }

  private int character(int p, StringBuilder text) {
    int b = bytes[p];
    if (b >= 0) {
      text.append((char) b);
      return p + 1;
    }
    int more = (b & 0xE0) == 0xC0 ? 1 : (b & 0xF0) == 0xE0 ? 2 : 3;
    int c = b & 0x3F >> more;
    for (int q = p + 1; q <= p + more; q++) {
      if (q >= textEnd || (bytes[q] & 0xC0) != 0x80) {
        throw wrong("a text that is no UTF-8");
      }
      c = c << 6 | (bytes[q] & 0x3F);
    }
    if (!Character.isValidCodePoint(c)) {
      throw wrong("a text that is no UTF-8");
    }
    text.appendCodePoint(c);
    return p + 1 + more;
  }

  /**
   * Reads past the operands of an operation.
   *
   * @param op the operation's code
   */
  public void skip(int op) {
    TraceOp known = file.table.of(op);
    if (known == null) {
      throw unknown(op);
    }
    String operands = known.letters();
    for (int i = 0; i < operands.length(); i++) {
      switch (operands.charAt(i)) {
        case 'd' -> {
          double _ = d();
        }
        case 't' -> {
          int _ = textLength();
        }
        case 'k' -> {
          for (int n = count(1); n > 0; n--) {
            int _ = n();
          }
        }
        default -> {
          long _ = longer(70);
        }
      }
    }
  }

  void expectEnd() {
    if (at < end) {
      throw file.wrong(block.at + at, "more fields than were announced");
    }
  }

  /**
   * An operation that there is not.
   *
   * @param op the code that was read
   * @return an exception that says so, to be thrown
   */
  public TraceException unknown(int op) {
    return wrong("no operation has the code " + op);
  }

  /**
   * What is wrong with the operation that was read last.
   *
   * @param what in words
   * @return an exception with the place, to be thrown
   */
  public TraceException wrong(String what) {
    return file.wrong(offset(), what);
  }

  private TraceException overrun() {
    return wrong("an operation goes beyond the end of its block");
  }
}
