package dev.gleaner.snapshot;

import dev.gleaner.memory.Memory;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes the records of an HPROF file, big-endian, through one buffer.
 *
 * <p>A record begins with its length. Entries of the dump are gathered in the buffer, and become a
 * segment when the next one does not fit; an entry larger than the buffer is a segment of its own,
 * whose length is known beforehand. So every entry says first how long it will be, and is held to
 * it.
 */
final class HprofOutput {
  static final int NAME = 0x01;
  static final int LOAD_CLASS = 0x02;
  static final int FRAME = 0x04;
  static final int TRACE = 0x05;
  private static final int SEGMENT = 0x1c;
  private static final int END = 0x2c;
  private static final int BUFFER = 1 << 18;
  private static final int HEADER = 9;

  private final OutputStream out;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
  private final ByteBuffer header = ByteBuffer.allocate(HEADER);

  /** Whether the header that what is in the buffer belongs to is written. */
  private boolean headed = true;

  /** Bytes that the record or entry that was begun still lacks. */
  private long due;

  HprofOutput(OutputStream out) {
    this.out = out;
  }

  /** Writes what a file begins with. */
  void start(long millis) throws IOException {
    byte[] magic = "JAVA PROFILE 1.0.2\0".getBytes(StandardCharsets.US_ASCII);
    due = magic.length + 12L;
    bytes(magic);
    u4(Long.BYTES);
    id(millis);
  }

  /** Begins a record that is no segment. */
  void record(int tag, long bytes) throws IOException {
    drain();
    head(tag, bytes);
    due = bytes;
  }

  /** Begins an entry of the dump. */
  void entry(int tag, long bytes) throws IOException {
    long all = bytes + 1;
    if (headed || all > buffer.remaining()) {
      drain();
      headed = all > buffer.capacity();
      if (headed) {
        head(SEGMENT, all);
      }
    }
    due = all;
    u1(tag);
  }

  /** Writes what a file ends with. */
  void end() throws IOException {
    record(END, 0);
    drain();
    out.flush();
  }

  void u1(int value) throws IOException {
    need(1);
    buffer.put((byte) value);
  }

  void u2(int value) throws IOException {
    need(2);
    buffer.putShort((short) value);
  }

  void u4(int value) throws IOException {
    need(4);
    buffer.putInt(value);
  }

  void id(long value) throws IOException {
    need(8);
    buffer.putLong(value);
  }

  void bytes(byte[] bytes) throws IOException {
    for (byte b : bytes) {
      u1(b);
    }
  }

  /** Writes bytes of the heap's memory. */
  void bytes(Memory memory, long offset, long length) throws IOException {
    for (long done = 0; done < length; ) {
      if (!buffer.hasRemaining()) {
        makeRoom();
      }
      int part = (int) Math.min(length - done, buffer.remaining());
      memory.read(offset + done, buffer.array(), buffer.position(), part);
      buffer.position(buffer.position() + part);
      due -= part;
      done += part;
    }
  }

  private void need(int bytes) throws IOException {
    if (buffer.remaining() < bytes) {
      makeRoom();
    }
    due -= bytes;
  }

  private void makeRoom() throws IOException {
    if (!headed) {
      throw new IllegalStateException("an entry is longer than it said");
    }
    write();
  }

  /** Ends the record or segment before. */
  private void drain() throws IOException {
    if (due != 0) {
      throw new IllegalStateException("an entry differs by " + due + " from what it said");
    }
    if (!headed && buffer.position() > 0) {
      head(SEGMENT, buffer.position());
    }
    write();
    headed = true;
  }

  private void head(int tag, long bytes) throws IOException {
    if (bytes >= 1L << 32) {
      throw new IllegalStateException("a record of " + bytes + " bytes");
    }
    header.clear().put((byte) tag).putInt(0).putInt((int) bytes);
    out.write(header.array(), 0, HEADER);
  }

  private void write() throws IOException {
    out.write(buffer.array(), 0, buffer.position());
    buffer.clear();
  }
}
