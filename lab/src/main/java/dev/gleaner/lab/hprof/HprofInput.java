package dev.gleaner.lab.hprof;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The bytes of a heap dump in order, big-endian, through a window of 1 MiB.
 *
 * <p>Positions are counted in longs from the start of the file. {@link #limit} is where what is
 * being read must end: the file's end, or that of the record inside it. Reading past it is an error
 * that names the position, and is noticed before any memory is taken for what is to be read.
 */
public final class HprofInput implements Closeable {
  private static final int WINDOW = 1 << 20;

  private final Path file;
  private final FileChannel channel;
  private final long size;
  private final ByteBuffer window;
  private long windowEnd;
  private long limit;
  private int idSize = 4;

  HprofInput(Path file) throws IOException {
    this.file = file;
    this.channel = FileChannel.open(file, StandardOpenOption.READ);
    this.size = channel.size();
    this.window = ByteBuffer.allocate(Math.clamp(size, Long.BYTES, WINDOW)).limit(0);
    this.limit = size;
  }

  /** Returns the offset in the file of the next byte. */
  public long position() {
    return windowEnd - window.remaining();
  }

  /** Returns the bytes of the whole file. */
  long size() {
    return size;
  }

  /** Returns the bytes up to the end of what is being read. */
  public long remaining() {
    return limit - position();
  }

  /** Allows reading up to this offset in the file. */
  void limit(long offset) {
    limit = offset;
  }

  void idSize(int bytes) {
    idSize = bytes;
  }

  int idSize() {
    return idSize;
  }

  /** Reads an object's identifier; one of four bytes is unsigned. */
  public long id() {
    return idSize == 8 ? s8() : u4();
  }

  int u1() {
    need(1);
    return window.get() & 0xff;
  }

  int u2() {
    need(2);
    return window.getShort() & 0xffff;
  }

  long u4() {
    need(4);
    return window.getInt() & 0xffff_ffffL;
  }

  long s8() {
    need(8);
    return window.getLong();
  }

  /** Reads bytes as they are. */
  public void bytes(byte[] to, int offset, int length) {
    check(length);
    int done = 0;
    while (done < length) {
      if (!window.hasRemaining()) {
        fill(1);
      }
      int part = Math.min(length - done, window.remaining());
      window.get(to, offset + done, part);
      done += part;
    }
  }

  /** Goes forward without reading. */
  public void skip(long bytes) {
    check(bytes);
    if (bytes <= window.remaining()) {
      window.position(window.position() + (int) bytes);
    } else {
      windowEnd = position() + bytes;
      window.limit(0);
    }
  }

  /** Returns an error at an offset of the file. */
  HprofException damaged(long offset, String what) {
    return new HprofException("%s: damaged at byte %d: %s".formatted(file, offset, what));
  }

  /** Returns an error about the file as a whole. */
  HprofException unusable(String what) {
    return new HprofException(file + ": " + what);
  }

  private void need(int bytes) {
    check(bytes);
    if (window.remaining() < bytes) {
      fill(bytes);
    }
  }

  private void check(long bytes) {
    if (bytes <= remaining()) {
      return;
    }
    if (limit == size) {
      throw new HprofException(
          "%s: truncated: it ends at byte %d, in the middle of what starts at byte %d"
              .formatted(file, size, position()));
    }
    throw damaged(
        position(), "%d bytes are needed, but the record ends at byte %d".formatted(bytes, limit));
  }

  private void fill(int least) {
    try {
      channel.position(windowEnd);
      window.compact();
      while (window.position() < least) {
        int read = channel.read(window);
        if (read < 0) {
          throw unusable("became shorter while it was read");
        }
        windowEnd += read;
      }
      window.flip();
    } catch (IOException e) {
      throw new HprofException(file + ": cannot be read at byte " + windowEnd, e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
