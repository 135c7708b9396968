package dev.gleaner.lua.lib;

import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Sandbox;
import dev.gleaner.lua.machine.Savable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An open file. One array holds what was read ahead, or what is not written yet.
 *
 * <pre>
 *   reading: buffer[from, to) comes next, and the device is at its end
 *   writing: buffer[0, to) is to be written where the device is
 * </pre>
 */
final class LuaFile implements Savable {
  static final String STDIN = "stdin";
  static final String STDOUT = "stdout";
  static final String STDERR = "stderr";
  private static final String CLOSED = "closed";

  private static final int SIZE = 4096;

  /** How eagerly what is written is passed on. */
  enum Buffering {
    FULL,
    LINE,
    NO
  }

  private final Device device;
  private final boolean readable;
  private final boolean writable;

  /** The name of one of the three files that the host gave; null for another. */
  private final @Nullable String standard;

  private byte[] buffer = new byte[0];
  private int from;
  private int to;
  private boolean writing;
  private boolean closed;
  private Buffering buffering = Buffering.FULL;

  LuaFile(Device device, boolean readable, boolean writable) {
    this(device, readable, writable, null);
  }

  private LuaFile(Device device, boolean readable, boolean writable, @Nullable String standard) {
    this.device = device;
    this.readable = readable;
    this.writable = writable;
    this.standard = standard;
  }

  /** One of the three files that the host gave. */
  static LuaFile standard(String name, Sandbox sandbox) {
    if (name.equals(STDIN)) {
      return new LuaFile(new Device.OfInput(sandbox.in(), sandbox.out()), true, false, name);
    }
    boolean err = name.equals(STDERR);
    Device device = new Device.OfOutput(err ? sandbox.err() : sandbox.out());
    LuaFile file = new LuaFile(device, false, true, name);
    file.buffering = err ? Buffering.NO : Buffering.FULL;
    return file;
  }

  /** The file that an image names; null if there is no file of that name. */
  static @Nullable LuaFile restored(String name, Sandbox sandbox) {
    if (name.equals(CLOSED)) {
      LuaFile file = new LuaFile(new Device.OfOutput(sandbox.out()), false, false);
      file.closed = true;
      return file;
    }
    boolean known = name.equals(STDIN) || name.equals(STDOUT) || name.equals(STDERR);
    return known ? standard(name, sandbox) : null;
  }

  @Override
  public @Nullable String savedName() {
    return closed ? CLOSED : standard;
  }

  @Override
  public String describe() {
    return "open file";
  }

  /** Whether it is one of the three that the host gave, which scripts do not close. */
  boolean isStandard() {
    return standard != null;
  }

  /** Whether it was closed. */
  boolean isClosed() {
    return closed;
  }

  /** What is behind it. */
  Device device() {
    return device;
  }

  /** Says how eagerly to write. */
  void buffering(Buffering b) {
    buffering = b;
  }

  /** The next byte, which is left there; -1 at the end. */
  int peek(Arguments a) throws IOException {
    return (from < to && !writing) || fill(a) ? buffer[from] & 0xFF : -1;
  }

  /** Goes past the byte that was peeked at. */
  void skip() {
    from++;
  }

  /** Adds bytes to a text, until there are so many or a line ends; answers how many. */
  int read(Arguments a, TextBuilder text, long most, boolean line) throws IOException {
    int n = 0;
    if (most > 0 && peek(a) >= 0) {
      n = (int) Math.min(to - from, most);
      if (line) {
        for (int i = 0; i < n; i++) {
          if (buffer[from + i] == '\n') {
            n = i;
          }
        }
      }
      text.add(buffer, from, n);
      from += n;
    }
    return n;
  }

  private boolean fill(Arguments a) throws IOException {
    if (!readable) {
      throw new IOException("Bad file descriptor");
    }
    flush();
    allocate();
    writing = false;
    from = 0;
    to = 0;
    a.work(SIZE / 16);
    to = Math.max(0, device.read(a, buffer, 0, SIZE));
    return to > 0;
  }

  private void allocate() {
    if (buffer.length == 0) {
      buffer = new byte[SIZE];
    }
  }

  /** Writes bytes. */
  void write(byte[] bytes, int offset, int length) throws IOException {
    if (!writable) {
      throw new IOException("Bad file descriptor");
    }
    if (standard != null) {
      device.write(bytes, offset, length);
    } else {
      startWriting();
      int done = 0;
      while (done < length) {
        if (to == SIZE) {
          flush();
        }
        int n = Math.min(length - done, SIZE - to);
        System.arraycopy(bytes, offset + done, buffer, to, n);
        to += n;
        done += n;
      }
    }
    if (buffering == Buffering.NO
        || (buffering == Buffering.LINE && hasLine(bytes, offset, length))) {
      flush();
      device.flush();
    }
  }

  private static boolean hasLine(byte[] bytes, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (bytes[i] == '\n') {
        return true;
      }
    }
    return false;
  }

  private void startWriting() throws IOException {
    if (!writing) {
      dropReadAhead();
      allocate();
      writing = true;
    }
  }

  private void dropReadAhead() throws IOException {
    if (from < to) {
      device.position(device.position() - (to - from));
    }
    from = 0;
    to = 0;
  }

  /** Passes on what is not written yet, to the device. */
  void flush() throws IOException {
    if (writing && to > 0) {
      int length = to;
      to = 0;
      device.write(buffer, 0, length);
    }
  }

  /** Passes on what is not written yet, to whatever is behind the device. */
  void flushAll() throws IOException {
    flush();
    device.flush();
  }

  /** Moves to a byte, counted from the start (0), from here (1) or from the end (2). */
  long seek(int whence, long offset) throws IOException {
    flush();
    long here = device.position() - (writing ? 0 : to - from);
    long base = whence == 0 ? 0 : whence == 1 ? here : device.size();
    long at = base + offset;
    if (at != here || at < 0) {
      device.position(at);
      from = 0;
      to = 0;
    }
    return at;
  }

  /** Closes it; what is not written yet is written. */
  void close() throws IOException {
    if (!closed) {
      closed = true;
      try {
        flush();
      } finally {
        buffer = new byte[0];
        device.close();
      }
    }
  }
}
