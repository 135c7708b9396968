package dev.gleaner.heap;

import static dev.gleaner.layout.Layout.STRING_BYTES;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import dev.gleaner.parts.HeapParts;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.table.StringBytes;
import dev.gleaner.table.StringCache;
import dev.gleaner.text.Utf8;
import java.util.Arrays;
import java.util.Objects;

/**
 * Strings by slots. A string is bytes. Most strings are text in UTF-8, and their characters are
 * code points.
 *
 * <p>An unpaired surrogate of a Java string becomes the three bytes of its code point, so that
 * every Java string can be read back unchanged. Other bytes are checked at the first question
 * whether they are text, or how many characters they have: see {@link #length}.
 */
final class StringAccess {
  private static final int LARGEST = Integer.MAX_VALUE - 64;

  private final WordAccess r;
  private final HeapParts context;
  private final Memory mem;
  private final StringCache cache;
  private final StringMaker maker;

  /** The place that {@link #seek} has found: a character, by three ways to count. */
  private int character;

  private int unit;
  private int offset;

  StringAccess(HeapCore core, StringMaker maker) {
    this.r = core.registers();
    this.context = core.context();
    this.mem = core.context().memory();
    this.cache = core.context().stringCache();
    this.maker = maker;
  }

  // ---- making ----

  void make(int d, String text) {
    r.check();
    try {
      Objects.requireNonNull(text, "text");
      long _ = r.slot(d);
      int n = encode(text);
      int characters = n == text.length() ? n : text.codePointCount(0, text.length());
      maker.make(d, maker.scratch, 0, n, characters);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void make(int d, byte[] bytes, int offset, int length) {
    r.check();
    try {
      Objects.requireNonNull(bytes, "bytes");
      long _ = r.slot(d);
      Objects.checkFromIndexSize(offset, length, bytes.length);
      boolean ascii = StringMaker.isAscii(bytes, offset, length);
      maker.make(d, bytes, offset, length, ascii ? length : Layout.UNCOUNTED);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  boolean find(int d, String text) {
    r.check();
    try {
      Objects.requireNonNull(text, "text");
      long _ = r.slot(d);
      int n = encode(text);
      return maker.find(d, n);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void intern(int d, int s) {
    r.check();
    try {
      long _ = r.slot(d) + string(s);
      r.setSlot(d, maker.interned(s));
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  /** Encodes into the scratch array; returns the number of bytes. */
  private int encode(String text) {
    int n = text.length();
    byte[] b = maker.scratch(n);
    for (int i = 0; i < n; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        return encodeFrom(text, i);
      }
      b[i] = (byte) c;
    }
    return n;
  }

  private int encodeFrom(String text, int first) {
    long most = first + 3L * (text.length() - first);
    if (most > LARGEST) {
      throw context.exhausted(most);
    }
    if (maker.scratch.length < most) {
      maker.scratch = Arrays.copyOf(maker.scratch, (int) most);
    }
    return Utf8.encode(text, first, maker.scratch);
  }

  // ---- bytes ----

  private long string(int s) {
    return r.element(s, Layout.STRING, "string");
  }

  int bytes(int s) {
    r.checkThread();
    return bytesOf(s);
  }

  int bytesOf(int s) {
    return StringBytes.length(mem, string(s));
  }

  /** Returns the place of {@code length} bytes from {@code from} on. */
  long place(int s, int from, int length) {
    long e = string(s);
    int n = StringBytes.length(mem, e);
    if (from < 0 || length < 0 || from > n - length) {
      throw new HeapUsageException(
          "no bytes " + from + " to " + (from + (long) length) + " in a string of " + n + " bytes");
    }
    return e + STRING_BYTES + from;
  }

  int byteAt(int s, int index) {
    r.checkThread();
    return mem.getByte(place(s, index, 1)) & 0xFF;
  }

  void read(int s, int from, byte[] to, int offset, int length) {
    r.checkThread();
    Objects.checkFromIndexSize(offset, length, Objects.requireNonNull(to, "to").length);
    mem.read(place(s, from, length), to, offset, length);
  }

  boolean isInterned(int s) {
    r.checkThread();
    return StringBytes.isInterned(mem, string(s));
  }

  int compare(int a, int b) {
    r.checkThread();
    return Integer.signum(StringBytes.compare(mem, string(a), string(b)));
  }

  boolean equal(int a, int b) {
    r.checkThread();
    long ea = string(a);
    long eb = string(b);
    return ea == eb
        || (!(StringBytes.isInterned(mem, ea) && StringBytes.isInterned(mem, eb))
            && StringBytes.equal(mem, ea, eb));
  }

  /** Returns the first index from {@code from} on where the bytes of a string stand, or -1. */
  int indexOf(int s, int part, int from) {
    r.checkThread();
    long e = string(s) + STRING_BYTES;
    long p = string(part) + STRING_BYTES;
    int n = bytesOf(part);
    int last = bytesOf(s) - n;
    long _ = place(s, from, 0);
    if (n == 0) {
      return from;
    }
    byte first = mem.getByte(p);
    for (int i = from; i <= last; i++) {
      if (mem.getByte(e + i) == first && standsAt(e + i, p, n)) {
        return i;
      }
    }
    return -1;
  }

  private boolean standsAt(long at, long part, int length) {
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      if (mem.get(at + i) != mem.get(part + i)) {
        return false;
      }
    }
    for (; i < length; i++) {
      if (mem.getByte(at + i) != mem.getByte(part + i)) {
        return false;
      }
    }
    return true;
  }

  // ---- text ----

  private boolean isAscii(long e) {
    return (mem.get(e) & Layout.FLAG_ASCII) != 0;
  }

  boolean isText(int s) {
    r.checkThread();
    long e = string(s);
    return isAscii(e) || characters(e) >= 0;
  }

  /** Returns the number of characters of a string that is not ASCII; counted at the first call. */
  private int characters(long e) {
    long at = e + (Layout.payloadWords(mem, e, mem.get(e)) << 3);
    int n = (int) mem.get(at);
    if (n == Layout.UNCOUNTED) {
      n = Utf8.count(mem, e + STRING_BYTES, StringBytes.length(mem, e));
      n = n < 0 ? Layout.NOT_TEXT : n;
      mem.put(at, n);
    }
    return n;
  }

  int length(int s) {
    r.checkThread();
    return lengthOf(s);
  }

  private int lengthOf(int s) {
    long e = string(s);
    if (isAscii(e)) {
      return StringBytes.length(mem, e);
    }
    int n = characters(e);
    if (n < 0) {
      int bytes = StringBytes.length(mem, e);
      int at = ~Utf8.count(mem, e + STRING_BYTES, bytes);
      throw new HeapUsageException(
          "not text: no UTF-8 at byte " + at + " of " + bytes + " of the string in slot " + s);
    }
    return n;
  }

  String text(int s) {
    r.check();
    int _ = lengthOf(s); // refuses bytes that are no text
    byte[] bytes = new byte[bytesOf(s)];
    mem.read(string(s) + STRING_BYTES, bytes, 0, bytes.length);
    return Utf8.decode(bytes);
  }

  int charAt(int s, int index) {
    r.checkThread();
    int n = lengthOf(s);
    if (index < 0 || index >= n) {
      throw new HeapUsageException("no character " + index + " in a string of " + n);
    }
    long e = string(s);
    if (isAscii(e)) {
      return mem.getByte(e + STRING_BYTES + index);
    }
    seek(e, index, false);
    return Utf8.decodeAt(mem, e + STRING_BYTES + offset);
  }

  /**
   * Goes to a character, from the place in the cache or from the beginning, and notes the place.
   *
   * @param inUnits whether the index counts in UTF-16; a pair of surrogates is one character
   */
  private void seek(long e, int index, boolean inUnits) {
    int entry = cache.find(e);
    int known = entry < 0 ? 0 : inUnits ? cache.unit(entry) : cache.character(entry);
    boolean near = entry >= 0 && (known <= index || index * 2 > known);
    character = near ? cache.character(entry) : 0;
    unit = near ? cache.unit(entry) : 0;
    offset = near ? cache.offset(entry) : 0;
    long base = e + STRING_BYTES;
    while ((inUnits ? unit : character) > index) {
      do {
        offset--;
      } while ((mem.getByte(base + offset) & 0xC0) == 0x80);
      character--;
      unit -= units(mem.getByte(base + offset));
    }
    int units = units(mem.getByte(base + offset));
    while ((inUnits ? unit + units : character + 1) <= index) {
      offset += Utf8.length(mem.getByte(base + offset));
      character++;
      unit += units;
      units = units(mem.getByte(base + offset));
    }
    cache.remember(entry, e, character, unit, offset);
  }

  // ---- UTF-16 ----

  /** Returns the length in UTF-16 of the character that begins with this byte. */
  private static int units(byte first) {
    return Utf8.length(first) == 4 ? 2 : 1;
  }

  int utf16Length(int s) {
    r.checkThread();
    return unitsOf(s);
  }

  /** Returns the length in UTF-16; counted at the first call, and kept beside the characters. */
  private int unitsOf(int s) {
    int characters = lengthOf(s);
    long e = string(s);
    if (isAscii(e)) {
      return characters;
    }
    long at = e + (Layout.payloadWords(mem, e, mem.get(e)) << 3);
    int n = (int) (mem.get(at) >>> 32);
    if (n == 0) {
      n = characters;
      int bytes = StringBytes.length(mem, e);
      for (int i = 0; i < bytes; i++) {
        n += (mem.getByte(e + STRING_BYTES + i) & 0xF8) == 0xF0 ? 1 : 0;
      }
      mem.put(at, (long) n << 32 | characters);
    }
    return n;
  }

  int utf16At(int s, int index) {
    r.checkThread();
    int n = unitsOf(s);
    if (index < 0 || index >= n) {
      throw new HeapUsageException("no unit " + index + " in a string of " + n + " in UTF-16");
    }
    long e = string(s);
    if (isAscii(e)) {
      return mem.getByte(e + STRING_BYTES + index);
    }
    seek(e, index, true);
    int c = Utf8.decodeAt(mem, e + STRING_BYTES + offset);
    return c < 0x10000 ? c : index == unit ? Character.highSurrogate(c) : Character.lowSurrogate(c);
  }
}
