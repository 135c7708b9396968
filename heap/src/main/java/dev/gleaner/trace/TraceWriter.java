package dev.gleaner.trace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.apiguardian.api.API;

/**
 * Writes a trace file.
 *
 * <p>The file has its name once the heap is closed. When the disk is full the program that is
 * recorded goes on: that there is no trace is logged.
 */
@API(status = API.Status.INTERNAL)
public final class TraceWriter implements TraceSink {
  private static final System.Logger LOGGER = System.getLogger("dev.gleaner.trace");

  private final Path file;
  private final WholeFile whole;
  private boolean broken;

  /**
   * Begins the file, and writes the header.
   *
   * @param file where to write
   * @param header fields and their texts
   * @throws IOException if it cannot
   */
  public TraceWriter(Path file, Map<String, String> header) throws IOException {
    this.file = file;
    whole = new WholeFile(file);
    byte[] preamble = Arrays.copyOf(TraceFormat.MAGIC, TraceFormat.PREAMBLE);
    TraceFormat.INT.set(preamble, TraceFormat.MAGIC.length, TraceFormat.VERSION);
    Fields fields = new Fields();
    fields.number(header.size());
    header.forEach((key, value) -> {
      fields.text(key);
      fields.text(value);
    });
    try {
      whole.out().write(preamble);
      writeBlock(TraceFormat.HEADER, fields.block, fields.at, 0, 0);
    } catch (IOException e) {
      discard();
      throw e;
    }
  }

  @Override
  public void image(byte[] image) {
    byte[] block = new byte[TraceFormat.HEAD + image.length];
    System.arraycopy(image, 0, block, TraceFormat.HEAD, image.length);
    tryWrite(TraceFormat.IMAGE, block, block.length, 0, 0);
  }

  @Override
  public void block(byte[] block, int length, int bodies, long reads) {
    tryWrite(TraceFormat.OPERATIONS_BLOCK, block, length, bodies, reads);
  }

  @Override
  public void end(Map<String, Long> totals) {
    Fields fields = new Fields();
    fields.number(totals.size());
    totals.forEach((key, value) -> {
      fields.text(key);
      fields.number(value);
    });
    tryWrite(TraceFormat.END, fields.block, fields.at, 0, 0);
    if (!broken) {
      try {
        whole.complete();
      } catch (IOException e) {
        fail(e);
      }
    }
  }

  @Override
  public void discard() {
    broken = true;
    try {
      whole.close();
    } catch (IOException e) {
      warn(e);
    }
  }

  private void fail(IOException e) {
    warn(e);
    discard();
  }

  private void tryWrite(int sort, byte[] block, int length, int bodies, long reads) {
    if (!broken) {
      try {
        writeBlock(sort, block, length, bodies, reads);
      } catch (IOException e) {
        fail(e);
      }
    }
  }

  private void warn(IOException e) {
    LOGGER.log(
        System.Logger.Level.WARNING, "no trace: " + file + " cannot be written: " + e.getMessage());
  }

  private void writeBlock(int sort, byte[] block, int length, int bodies, long reads)
      throws IOException {
    TraceFormat.INT.set(block, 0, length - TraceFormat.HEAD);
    TraceFormat.INT.set(block, TraceFormat.SORT_AT, sort);
    TraceFormat.INT.set(block, TraceFormat.BODIES_AT, bodies);
    TraceFormat.LONG.set(block, TraceFormat.READS_AT, reads);
    TraceFormat.INT.set(block, TraceFormat.CRC_AT, TraceFormat.checksum(block, length));
    whole.out().write(block, 0, length);
  }

  /** The payload of a header or an end. */
  private static final class Fields {
    byte[] block = new byte[1 << 12];
    int at = TraceFormat.HEAD;

    void number(long n) {
      room(10);
      long rest = n;
      for (; (rest & ~0x7FL) != 0; rest >>>= 7) {
        block[at++] = (byte) (rest | 0x80);
      }
      block[at++] = (byte) rest;
    }

    void text(String text) {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      number(utf8.length);
      room(utf8.length);
      System.arraycopy(utf8, 0, block, at, utf8.length);
      at += utf8.length;
    }

    private void room(int bytes) {
      if (at + bytes > block.length) {
        block = Arrays.copyOf(block, Math.max(block.length * 2, at + bytes));
      }
    }
  }
}
