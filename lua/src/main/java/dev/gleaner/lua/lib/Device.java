package dev.gleaner.lua.lib;

import dev.gleaner.lua.machine.Arguments;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** What is behind an open file: a file of the system, a stream of the host, or a process. */
abstract sealed class Device {
  private static final String NO_SEEK = "Illegal seek";
  private static final String NOT_OPEN = "Bad file descriptor";

  /** Reads bytes, at least one; answers how many, -1 at the end. */
  int read(Arguments a, byte[] to, int offset, int length) throws IOException {
    throw new IOException(NOT_OPEN);
  }

  /** Writes bytes. */
  void write(byte[] from, int offset, int length) throws IOException {
    throw new IOException(NOT_OPEN);
  }

  /** Passes on what was written. */
  void flush() throws IOException {}

  /** Where the next byte is. */
  long position() throws IOException {
    throw new IOException(NO_SEEK);
  }

  /** Where the end is. */
  long size() throws IOException {
    throw new IOException(NO_SEEK);
  }

  /** Moves to a byte. */
  void position(long at) throws IOException {
    throw new IOException(NO_SEEK);
  }

  /** Closes it. */
  abstract void close() throws IOException;

  /** A file. */
  static final class OfFile extends Device {
    private final FileChannel channel;
    private final boolean append;

    OfFile(FileChannel channel, boolean append) {
      this.channel = channel;
      this.append = append;
    }

    @Override
    int read(Arguments a, byte[] to, int offset, int length) throws IOException {
      return channel.read(ByteBuffer.wrap(to, offset, length));
    }

    @Override
    void write(byte[] from, int offset, int length) throws IOException {
      if (append) {
        channel.position(channel.size());
      }
      ByteBuffer bytes = ByteBuffer.wrap(from, offset, length);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }

    @Override
    long position() throws IOException {
      return channel.position();
    }

    @Override
    long size() throws IOException {
      return channel.size();
    }

    @Override
    void position(long at) throws IOException {
      if (at < 0) {
        throw new IOException("Invalid argument");
      }
      channel.position(at);
    }

    @Override
    void close() throws IOException {
      channel.close();
    }
  }

  /** A stream that the host reads from; what was written so far is shown first. */
  static final class OfInput extends Device {
    private final InputStream in;
    private final OutputStream out;

    OfInput(InputStream in, OutputStream out) {
      this.in = in;
      this.out = out;
    }

    @Override
    int read(Arguments a, byte[] to, int offset, int length) throws IOException {
      out.flush();
      return in.read(to, offset, length);
    }

    @Override
    void close() {}
  }

  /** A stream that the host writes to. */
  static final class OfOutput extends Device {
    private final OutputStream out;

    OfOutput(OutputStream out) {
      this.out = out;
    }

    @Override
    void write(byte[] from, int offset, int length) throws IOException {
      out.write(from, offset, length);
    }

    @Override
    void flush() throws IOException {
      out.flush();
    }

    @Override
    void close() {}
  }

  /** A process of which the output is read, or the input written. */
  static final class OfProcess extends Device {
    private final Process process;

    OfProcess(Process process) {
      this.process = process;
    }

    Process process() {
      return process;
    }

    @Override
    int read(Arguments a, byte[] to, int offset, int length) throws IOException {
      InputStream in = process.getInputStream();
      try {
        while (in.available() == 0 && process.isAlive()) {
          a.checkLimits();
          Thread.sleep(1);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw a.error("interrupted!");
      }
      return in.read(to, offset, length);
    }

    @Override
    void write(byte[] from, int offset, int length) throws IOException {
      process.getOutputStream().write(from, offset, length);
    }

    @Override
    void flush() throws IOException {
      process.getOutputStream().flush();
    }

    @Override
    void close() throws IOException {
      process.getOutputStream().close();
      process.getInputStream().close();
    }
  }
}
