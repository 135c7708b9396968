package dev.gleaner.snapshot;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import dev.gleaner.text.Utf8;
import java.io.IOException;

/**
 * Writes strings as those of JDK 9 and later: bytes of Latin-1, or of UTF-16 in the order of a
 * little-endian machine.
 */
record Text(Memory memory, SnapshotClasses classes, Entries out) {
  private static final int LATIN1 = 0;
  private static final int UTF16 = 1;

  /** Writes a string element. */
  void element(long e) throws IOException {
    long from = e + Layout.STRING_BYTES;
    long bytes = memory.get(e + Layout.STRING_WORD) & Layout.LOW_MASK;
    long value = Ids.of(Ids.TEXT, e);
    if ((memory.get(e) & Layout.FLAG_ASCII) != 0) {
      string(Ids.element(e), value, LATIN1);
      out.bytes(value, from, bytes);
      return;
    }
    if (Utf8.count(memory, from, (int) bytes) < 0) { // no text: its bytes, as those of Latin-1
      string(Ids.element(e), value, LATIN1);
      out.bytes(value, from, bytes);
      return;
    }
    long units = 0;
    boolean latin1 = true;
    for (long at = from; at < from + bytes; at += Utf8.length(memory.getByte(at))) {
      int c = Utf8.decodeAt(memory, at);
      units += Character.charCount(c);
      latin1 &= c <= 0xFF;
    }
    string(Ids.element(e), value, latin1 ? LATIN1 : UTF16);
    out.byteArray(value, latin1 ? units : 2 * units);
    for (long at = from; at < from + bytes; at += Utf8.length(memory.getByte(at))) {
      codePoint(Utf8.decodeAt(memory, at), latin1);
    }
  }

  /** Writes a string that is none of the heap's. */
  void label(long id, String label) throws IOException {
    string(id, id | 1, UTF16);
    out.byteArray(id | 1, 2L * label.length());
    for (int i = 0; i < label.length(); i++) {
      unit(label.charAt(i));
    }
  }

  private void string(long id, long value, int coder) throws IOException {
    out.instance(id, classes.string);
    out.field(value);
    out.intField(0); // the hash, not computed yet
    out.byteField(coder);
  }

  private void codePoint(int c, boolean latin1) throws IOException {
    if (latin1) {
      out.byteField(c);
    } else if (Character.isBmpCodePoint(c)) {
      unit((char) c);
    } else {
      unit(Character.highSurrogate(c));
      unit(Character.lowSurrogate(c));
    }
  }

  private void unit(char c) throws IOException {
    out.byteField(c & 0xFF);
    out.byteField(c >> 8);
  }
}
