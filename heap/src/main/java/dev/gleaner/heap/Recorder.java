package dev.gleaner.heap;

import dev.gleaner.layout.Kind;
import dev.gleaner.refusal.HeapClosedException;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.text.Utf8;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceOp;
import dev.gleaner.trace.TraceSink;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Encodes the operations of a program on a heap.
 *
 * <p>The recorder writes an operation after its end, when the outcome is known. So the operations
 * of finalizers and callbacks inside of the operation come before it, in brackets:
 *
 * <pre>
 *   new-record 1 2
 *   BODY finalizer 17, run 0
 *     get-global 1 3
 *     store 1 0 0
 *   BODY-END
 *   new-record 1 2          the operation whose collection called the finalizer
 * </pre>
 *
 * <p>Programs repeat themselves. If an operation is the same as the operation that last followed
 * the three operations before it, only a count grows. This takes less time than writing the
 * operation (a finite context, as in the VPC compressors of Burtscher).
 *
 * <p>A body without operations is left out, as the first operation opens the bracket. Before a
 * bracket opens, and when a block is full, {@code limit} sends every operation through {@link
 * #makeRoom}. So the fast path has only one comparison.
 */
final class Recorder {
  static final int FINALIZER = 0;
  static final int CALLBACK = 1;

  private static final int BLOCK = 64 << 10;

  /** The most bytes of an operation without a text. */
  private static final int SLACK = 64;

  private static final int MOST_HITS = 1 << 24;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final TraceSink sink;
  private byte[] block = new byte[BLOCK + SLACK];
  private int at = TraceFormat.HEAD;

  /** The operation that followed each context last, without operations of finalizers. */
  private final int[] expected = new int[TraceFormat.CONTEXTS];

  private int context;

  /** The number of expected operations since the last written operation. */
  private int hits;

  private int limit = BLOCK;
  private int bodiesInBlock;
  private long reads;
  private long checksum;
  private long operations;
  private long bodies;
  private long finalizerOrder;
  private long finalizers;
  private long callbacks;
  private long globals;
  private long weaks;
  private long blocks;

  /** Maps the place of a plain block to its number. */
  private final Map<Long, Long> blockNumbers = new HashMap<>();

  /** The running bodies, three words each; bodies from {@code opened} on are not written yet. */
  private long[] stack = new long[12];

  private int depth;
  private int opened;

  /** Whether an Error has left an operation, which is then incomplete or missing in the trace. */
  boolean missed;

  Recorder(TraceSink sink) {
    this.sink = sink;
  }

  /** Notes what the heap holds before the first operation. */
  void image(HeapImage image) {
    sink.image(image.content());
  }

  // ---- operations ----

  void op(int op) {
    word(op, 1);
  }

  void op(int op, int a) {
    if ((a & ~0x7F) == 0) {
      word(op | a << 8, 2);
    } else {
      int p = room();
      block[p] = (byte) op;
      at = put(p + 1, a);
    }
  }

  void op(int op, int a, int b) {
    if (((a | b) & ~0x7F) == 0) {
      word(op | a << 8 | b << 16, 3);
    } else {
      int p = room();
      block[p] = (byte) op;
      at = put(put(p + 1, a), b);
    }
  }

  void op(int op, int a, int b, int c) {
    if (((a | b | c) & ~0x7F) == 0) {
      word(op | a << 8 | b << 16 | c << 24, 4);
    } else {
      int p = room();
      block[p] = (byte) op;
      at = put(put(put(p + 1, a), b), c);
    }
  }

  /** Writes an operation that fits a word, unless it is the expected operation. */
  private void word(int word, int length) {
    if (depth > 0) {
      int p = room();
      INT.set(block, p, word);
      at = p + length;
    } else if (expected[context] == word && hits < MOST_HITS) {
      context = TraceFormat.context(context, word);
      hits++;
    } else {
      int p = room(); // a new block has a new context
      INT.set(block, p, word);
      at = p + length;
      expected[context] = word;
      context = TraceFormat.context(context, word);
    }
  }

  /** Begins an operation. The caller adds the operands one by one. */
  Recorder code(int op) {
    int p = room();
    block[p] = (byte) op;
    at = p + 1;
    return this;
  }

  /** Begins an operation whose texts and lists take at most the given bytes. */
  Recorder code(int op, long bytes) {
    int p = room(bytes);
    block[p] = (byte) op;
    at = p + 1;
    return this;
  }

  Recorder n(int v) {
    at = put(at, v);
    return this;
  }

  Recorder i(int v) {
    at = put(at, zigzag(v));
    return this;
  }

  Recorder l(long v) {
    at = putLong(at, v);
    return this;
  }

  Recorder j(long v) {
    at = putLong(at, zigzag(v));
    return this;
  }

  Recorder d(double v) {
    LONG.set(block, at, Double.doubleToRawLongBits(v));
    at += 8;
    return this;
  }

  Recorder k(int[] list) {
    int p = put(at, list.length);
    for (int n : list) {
      p = put(p, n);
    }
    at = p;
    return this;
  }

  Recorder t(String text) {
    at = putText(at, text);
    return this;
  }

  Recorder t(byte[] utf8, int offset, int length) {
    int p = put(at, length);
    System.arraycopy(utf8, offset, block, p, length);
    at = p + length;
    return this;
  }

  /** Returns the most bytes that a list may take. */
  static long most(int[] list) {
    return 5L * list.length;
  }

  /** Returns the most bytes that a text may take: three for each character. */
  static long most(String text) {
    return 3L * text.length();
  }

  /**
   * Notes a value that the program has read, but not a finalizer: that depends on the collector.
   */
  void read(long value) {
    if (depth == 0) {
      reads = TraceFormat.hash(reads, value);
    }
  }

  /**
   * Notes that the next operation was refused. The trace has refused operations, as they may have
   * collected.
   *
   * @return false if the heap is closed: then the caller must record nothing
   */
  boolean refused(HeapException e) {
    if (e instanceof HeapClosedException) {
      return false;
    }
    boolean exhausted = e instanceof HeapExhaustedException;
    op(exhausted ? TraceOp.FAILED_EXHAUSTED : TraceOp.FAILED_USAGE);
    operations--; // the note and the next operation count as one
    return true;
  }

  static int zigzag(int v) {
    return v << 1 ^ v >> 31;
  }

  private static long zigzag(long v) {
    return v << 1 ^ v >> 63;
  }

  // ---- encoding ----

  private int put(int p, int v) {
    byte[] b = block;
    int q = p;
    int rest = v;
    while ((rest & ~0x7F) != 0) {
      b[q++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    b[q++] = (byte) rest;
    return q;
  }

  private int putLong(int p, long v) {
    byte[] b = block;
    int q = p;
    long rest = v;
    while ((rest & ~0x7FL) != 0) {
      b[q++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    b[q++] = (byte) rest;
    return q;
  }

  /** Writes a text, and then its length in front of it. */
  private int putText(int p, String text) {
    int n = text.length();
    byte[] b = block;
    int q = put(p, n);
    int i = 0;
    for (; i < n && text.charAt(i) < 0x80; i++) {
      b[q + i] = (byte) text.charAt(i);
    }
    if (i == n) {
      return q + n;
    }
    byte[] utf8 = new byte[3 * n];
    for (int j = 0; j < i; j++) {
      utf8[j] = b[q + j];
    }
    int length = Utf8.encode(text, i, utf8);
    q = put(p, length);
    System.arraycopy(utf8, 0, b, q, length);
    return q + length;
  }

  // ---- blocks ----

  /** Returns the place of the next operation. */
  private int room() {
    operations++;
    if (hits > 0) {
      writeHits();
    }
    if (at > limit) {
      makeRoom(0);
    }
    return at;
  }

  private void writeHits() {
    block[at] = TraceOp.REPEAT;
    at = put(at + 1, hits);
    operations += hits;
    hits = 0;
  }

  /** Returns the place of the next operation, with room for the given bytes besides. */
  private int room(long bytes) {
    operations++;
    if (hits > 0) {
      writeHits();
    }
    if (at > limit || at + bytes > BLOCK) {
      makeRoom(bytes);
    }
    return at;
  }

  private void makeRoom(long bytes) {
    if (opened < depth) {
      openBodies();
    }
    if (at + bytes > BLOCK) {
      flush();
      long needed = at + bytes + SLACK;
      if (needed > block.length) {
        block = Arrays.copyOf(block, Math.toIntExact(needed));
      }
    }
  }

  private void flush() {
    if (at > TraceFormat.HEAD) {
      sink.block(block, at, bodiesInBlock, reads);
      checksum = TraceFormat.hash(checksum, reads);
      reads = 0;
      bodiesInBlock = 0;
      at = TraceFormat.HEAD;
      Arrays.fill(expected, 0);
      context = 0;
      if (block.length > BLOCK + SLACK) {
        block = new byte[BLOCK + SLACK];
      }
    }
  }

  // ---- bodies ----

  /** Notes that a finalizer or callback begins. */
  void begin(int sort, long number, long run) {
    if (3 * depth == stack.length) {
      stack = Arrays.copyOf(stack, stack.length * 2);
    }
    stack[3 * depth] = sort;
    stack[3 * depth + 1] = number;
    stack[3 * depth + 2] = run;
    depth++;
    limit = -1;
    if (sort == FINALIZER) {
      finalizerOrder = TraceFormat.hash(finalizerOrder, number);
    }
  }

  /** Notes that the finalizer or callback ends. */
  void end(boolean thrown) {
    if (thrown && opened < depth) {
      openBodies();
    }
    if (opened == depth) {
      op(TraceOp.BODY_END, thrown ? 1 : 0);
      operations--; // a bracket is no operation
      opened--;
    }
    depth--;
    limit = opened < depth ? -1 : BLOCK;
  }

  private void openBodies() {
    if (hits > 0) {
      writeHits();
    }
    limit = BLOCK;
    for (; opened < depth; opened++) {
      if (at > BLOCK) {
        flush();
      }
      block[at] = TraceOp.BODY;
      int p = put(at + 1, (int) stack[3 * opened]);
      at = putLong(putLong(p, stack[3 * opened + 1]), stack[3 * opened + 2]);
      bodies++;
      bodiesInBlock++;
    }
  }

  // ---- numbers of finalizers, callbacks and blocks ----

  long newFinalizer() {
    return ++finalizers;
  }

  long newCallback() {
    return ++callbacks;
  }

  long newGlobal() {
    return ++globals;
  }

  long newWeak() {
    return ++weaks;
  }

  /** Returns the number of a new plain block; 0 for no block. */
  long newBlock(long place) {
    if (place == 0) {
      return 0;
    }
    blockNumbers.put(place, ++blocks);
    return blocks;
  }

  /** Returns the number of a plain block; 0 for no block, or an unknown block. */
  long block(long place) {
    return blockNumbers.getOrDefault(place, 0L);
  }

  void forgetBlock(long place) {
    blockNumbers.remove(place);
  }

  /** Notes the new place of a plain block that may have moved; returns its number. */
  long moveBlock(long number, long from, long to) {
    if (number == 0) {
      return newBlock(to);
    }
    blockNumbers.remove(from, number);
    blockNumbers.put(to, number);
    return number;
  }

  // ---- the end ----

  /** Discards the trace. */
  void discard() {
    sink.discard();
  }

  /** Ends the trace of a closed heap with the totals. */
  void close(HeapStatistics before, HeapStatistics after) {
    op(TraceOp.CLOSE);
    flush();
    Map<String, Long> totals = new LinkedHashMap<>();
    totals.put(TraceFormat.OPERATIONS, operations);
    totals.put(TraceFormat.BODIES, bodies);
    totals.put(TraceFormat.CHECKSUM, checksum);
    totals.put(TraceFormat.FINALIZER_ORDER, finalizerOrder);
    totals.put(TraceFormat.FINALIZERS_RUN, after.finalizersRun());
    totals.put(TraceFormat.ALLOCATED_ELEMENTS, before.allocatedElements());
    totals.put(TraceFormat.ALLOCATED_BYTES, before.allocatedBytes());
    for (Kind kind : Kind.values()) {
      String name = kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
      totals.put(TraceFormat.LIVE + name, before.live(kind));
    }
    sink.end(totals);
  }
}
