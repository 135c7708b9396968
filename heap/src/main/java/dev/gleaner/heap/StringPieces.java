package dev.gleaner.heap;

import static dev.gleaner.layout.Layout.STRING_BYTES;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.table.StringBytes;
import dev.gleaner.text.ByteWords;
import dev.gleaner.text.DecimalReader;
import dev.gleaner.text.DecimalWriter;
import java.util.Arrays;

/**
 * Strings from other strings and numbers, without a Java string: joins, parts, copies from and to
 * buffers, and reading of numbers.
 *
 * <p>A join has two passes. The first pass checks each piece, adds up the lengths, and writes the
 * text of each number into {@link #numbers}, behind a byte with its length. The second pass writes
 * all pieces: into the scratch array if the result is interned, or else into the new string.
 */
final class StringPieces {
  /** The largest length of a string, and of a Java array. */
  private static final int LARGEST = Integer.MAX_VALUE - 64;

  /** The source of the bytes of a long string. */
  private enum Source {
    /** The strings and numbers in slots from the first on. */
    PIECES,
    /** Bytes of a string in a slot. */
    PART,
    /** Bytes of a buffer in a slot. */
    BUFFER
  }

  private final WordAccess r;
  private final HeapParts context;
  private final Memory mem;
  private final Driver driver;
  private final StringAccess strings;
  private final BufferAccess buffers;
  private final StringMaker maker;
  private final IntegerAccess integers;
  private final DecimalWriter writer = new DecimalWriter();
  private final DecimalReader reader = new DecimalReader();
  private byte[] numbers = new byte[4 * (1 + DecimalWriter.MOST)];
  private int numbersEnd;
  private boolean ascii;

  StringPieces(
      HeapCore core,
      StringAccess strings,
      BufferAccess buffers,
      StringMaker maker,
      IntegerAccess integers) {
    this.r = core.registers();
    this.integers = integers;
    this.context = core.context();
    this.mem = core.context().memory();
    this.driver = core.driver();
    this.strings = strings;
    this.buffers = buffers;
    this.maker = maker;
  }

  // ---- joined ----

  void concat(int d, int first, int count) {
    r.check();
    try {
      long _ = r.slot(d);
      if (count < 0 || first < 0 || first > r.size - count) {
        throw new HeapUsageException(
            "no " + count + " slots from " + first + " on in a frame of " + r.size);
      }
      long length = measure(first, count);
      if (length > LARGEST) {
        throw context.exhausted(length);
      }
      int n = (int) length;
      int characters = ascii ? n : Layout.UNCOUNTED;
      if (maker.interns(n)) {
        byte[] to = maker.scratch(n + 8);
        gather(first, count, to);
        maker.make(d, to, 0, n, characters);
      } else {
        make(d, n, characters, Source.PIECES, first, count);
      }
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Returns the bytes of the pieces; notes whether all are ASCII, and the texts of numbers. */
  private long measure(int first, int count) {
    numbersEnd = 0;
    boolean all = true;
    long length = 0;
    for (int s = first; s < first + count; s++) {
      long v = r.value(s);
      if (isString(v)) {
        all &= (mem.get(v) & Layout.FLAG_ASCII) != 0;
        length += StringBytes.length(mem, v);
      } else {
        length += number(s, v);
      }
    }
    ascii = all;
    return length;
  }

  private boolean isString(long v) {
    return Values.isReference(v) && Layout.kind(mem.get(v)) == Layout.STRING;
  }

  /** Writes the text of a number behind the numbers before it; returns its bytes. */
  private int number(int s, long v) {
    if (numbersEnd + 1 + DecimalWriter.MOST > numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * numbers.length);
    }
    int at = numbersEnd + 1;
    int n;
    if (integers.holdsInteger(s)) {
      n = writer.write(integers.valueOf(s), numbers, at);
    } else if (Values.isDouble(v)) {
      n = writer.write(Values.toDouble(v), numbers, at);
    } else {
      throw r.wrongKind(s, "string or number");
    }
    numbers[numbersEnd] = (byte) n;
    numbersEnd = at + n;
    return n;
  }

  /** Writes pieces into an array that has room for one more word. */
  private void gather(int first, int count, byte[] to) {
    int at = 0;
    int number = 0;
    for (int s = first; s < first + count; s++) {
      long v = r.value(s);
      if (isString(v)) {
        int n = StringBytes.length(mem, v);
        for (int i = 0; i < n; i += 8) { // the next piece overwrites surplus bytes
          ByteWords.LONG.set(to, at + i, mem.get(v + STRING_BYTES + i));
        }
        at += n;
      } else {
        int n = numbers[number];
        System.arraycopy(numbers, number + 1, to, at, n);
        at += n;
        number += 1 + n;
      }
    }
  }

  /** Writes the pieces that were measured last into memory. */
  void write(int first, int count, long to) {
    long at = to;
    int number = 0;
    for (int s = first; s < first + count; s++) {
      long v = r.value(s);
      int n;
      if (isString(v)) {
        n = StringBytes.length(mem, v);
        maker.copy(v + STRING_BYTES, at, n);
      } else {
        n = numbers[number];
        mem.write(at, numbers, number + 1, n);
        number += 1 + n;
      }
      at += n;
    }
  }

  // ---- parts ----

  void substring(int d, int s, int from, int to) {
    r.check();
    try {
      long _ = r.slot(d);
      int n = strings.bytesOf(s);
      if (from < 0 || from > to || to > n) {
        throw new HeapUsageException(
            "no bytes " + from + " to " + to + " in a string of " + n + " bytes");
      }
      long e = r.reference(s);
      if (to - from == n) {
        r.setSlot(d, e);
        return;
      }
      int length = to - from;
      long at = e + STRING_BYTES + from;
      boolean isAscii = (mem.get(e) & Layout.FLAG_ASCII) != 0 || maker.isAscii(at, length);
      part(d, at, length, isAscii, Source.PART, s, from);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void fromBuffer(int d, int b, long at, int length) {
    r.check();
    try {
      long _ = r.slot(d);
      if (length < 0) {
        throw new HeapUsageException("negative number of bytes: " + length);
      }
      long place = buffers.place(b, at, length);
      boolean isAscii = maker.isAscii(place, length);
      part(d, place, length, isAscii, Source.BUFFER, b, at);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private void part(int d, long at, int length, boolean isAscii, Source source, int a, long b) {
    int characters = isAscii ? length : Layout.UNCOUNTED;
    if (!maker.interns(length)) {
      make(d, length, characters, source, a, b);
      return;
    }
    byte[] to = maker.scratch(length + 8);
    if (length > 64) {
      mem.read(at, to, 0, length);
    } else {
      int i = 0;
      for (; i + 8 <= length; i += 8) {
        ByteWords.LONG.set(to, i, mem.get(at + i));
      }
      for (; i < length; i++) {
        to[i] = mem.getByte(at + i);
      }
    }
    maker.make(d, to, 0, length, characters);
  }

  /** Makes a string that is not interned; the source gives {@code a} and {@code b} a meaning. */
  private void make(int d, int length, int characters, Source source, int a, long b) {
    long e = maker.takeUninterned(length, characters);
    if (e != 0) {
      write(e + STRING_BYTES, length, source, a, b);
      r.setSlot(d, e);
      return;
    }
    driver.runner.held++;
    try {
      e = maker.allocateUninterned(length, characters);
      write(e + STRING_BYTES, length, source, a, b);
      r.setSlot(d, e);
    } finally {
      driver.runner.held--; // before the next call, which an Error may break off
      driver.runner.resume();
    }
  }

  private void write(long to, int length, Source source, int a, long b) {
    switch (source) {
      case PIECES -> write(a, (int) b, to);
      case PART -> maker.copy(r.reference(a) + STRING_BYTES + b, to, length);
      case BUFFER -> maker.copy(buffers.place(a, b, length), to, length);
    }
  }

  /** Writes a string or a number into a buffer; returns its bytes. */
  int toBuffer(int b, long at, int s) {
    r.check();
    long _ = r.slot(s);
    long length = measure(s, 1);
    long place = buffers.place(b, at, length);
    write(s, 1, place);
    return (int) length;
  }

  // ---- numbers ----

  boolean toNumber(int d, int s) {
    r.check();
    try {
      long _ = r.slot(d);
      int n = strings.bytesOf(s);
      byte[] text = maker.scratch(n);
      mem.read(strings.place(s, 0, n), text, 0, n);
      if (!reader.read(text, n)) {
        return false;
      }
      if (reader.isInteger()) {
        integers.set(d, reader.toLong());
      } else {
        r.put(r.slot(d), Values.ofDouble(reader.toDouble()));
      }
      return true;
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }
}
