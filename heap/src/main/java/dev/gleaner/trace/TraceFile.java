package dev.gleaner.trace;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * A trace, open for reading: its header and totals, and cursors over its operations.
 *
 * <p>Opening checks every block and finds the bodies of finalizers and callbacks; the memory for
 * that is a block, and some 40 bytes for each body. No length is believed before it is compared
 * with the file's. Belongs to one Java thread.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class TraceFile implements AutoCloseable {
  private final Path path;
  final TraceTable table;
  private final RandomAccessFile in;
  private final long size;
  private final Map<String, String> header;
  private final Map<String, Long> totals;
  private final BodyIndex bodies = new BodyIndex();
  private final long firstBlock;

  /** Where the block with the image is; 0 if the heap was empty. */
  private final long imageAt;

  /**
   * Opens a trace and checks all of it.
   *
   * @param path the file
   * @param table the operations that it may have
   * @throws TraceException if the file is no trace, is damaged or was cut off
   * @throws UncheckedIOException if it cannot be read
   */
  public TraceFile(Path path, TraceTable table) {
    this.path = path;
    this.table = table;
    try {
      in = new RandomAccessFile(path.toFile(), "r");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    boolean good = false;
    try {
      size = in.length();
      checkPreamble();
      TraceBlock block = new TraceBlock();
      read(TraceFormat.PREAMBLE, block);
      if (block.sort != TraceFormat.HEADER) {
        throw wrong(TraceFormat.PREAMBLE, "not a header: block of sort " + block.sort);
      }
      header = header(new TraceCursor(this, block, true));
      long next = block.next;
      read(next, block);
      imageAt = block.sort == TraceFormat.IMAGE ? next : 0;
      firstBlock = imageAt == 0 ? next : block.next;
      totals = scan(imageAt == 0 ? block : new TraceBlock());
      good = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      if (!good) {
        close();
      }
    }
  }

  private void checkPreamble() throws IOException {
    byte[] preamble = new byte[TraceFormat.PREAMBLE];
    if (size < preamble.length) {
      throw wrong(size, "not a trace: it ends here");
    }
    in.readFully(preamble);
    for (int i = 0; i < TraceFormat.MAGIC.length; i++) {
      if (preamble[i] != TraceFormat.MAGIC[i]) {
        throw wrong(i, "not a trace: it does not begin with GLNTRACE");
      }
    }
    int version = (int) TraceFormat.INT.get(preamble, TraceFormat.MAGIC.length);
    if (version != TraceFormat.VERSION) {
      throw wrong(
          TraceFormat.MAGIC.length,
          "version " + version + " of the format; this program reads " + TraceFormat.VERSION);
    }
  }

  private Map<String, String> header(TraceCursor in) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (int n = in.count(2); n > 0; n--) {
      String key = text(in);
      fields.put(key, text(in));
    }
    in.expectEnd();
    for (String key : new String[] {TraceFormat.COLLECTOR, TraceFormat.GIVEN}) {
      if (!fields.containsKey(key)) {
        throw wrong(TraceFormat.PREAMBLE, "the header has no field " + key);
      }
    }
    return Collections.unmodifiableMap(fields);
  }

  private static String text(TraceCursor in) {
    int length = in.textLength();
    return new String(in.bytes(), in.textStart(), length, StandardCharsets.UTF_8);
  }

  /** Checks all blocks up to the end. */
  private Map<String, Long> scan(TraceBlock block) {
    long at = firstBlock;
    while (true) {
      read(at, block);
      if (block.sort == TraceFormat.END) {
        Map<String, Long> fields = totals(new TraceCursor(this, block, true));
        if (block.next != size) {
          throw wrong(block.next, "something follows the end");
        }
        return fields;
      }
      if (block.sort != TraceFormat.OPERATIONS_BLOCK) {
        throw wrong(at, "block of sort " + block.sort);
      }
      if (block.bodies > 0) {
        int found = bodies.add(new TraceCursor(this, block, true));
        if (found != block.bodies) {
          throw wrong(at, found + " bodies in a block that should have " + block.bodies);
        }
      }
      at = block.next;
    }
  }

  private Map<String, Long> totals(TraceCursor in) {
    Map<String, Long> fields = new LinkedHashMap<>();
    for (int n = in.count(2); n > 0; n--) {
      String key = text(in);
      fields.put(key, in.l());
    }
    in.expectEnd();
    return Collections.unmodifiableMap(fields);
  }

  /** Reads the block at a place. */
  void read(long at, TraceBlock block) {
    try {
      if (at > size - TraceFormat.HEAD) {
        throw wrong(size, "cut off: the file ends where a block should");
      }
      in.seek(at);
      block.readHead(in);
      if (block.length < 0 || block.length > size - at - TraceFormat.HEAD) {
        throw wrong(
            at,
            "a block of " + (block.length & 0xFFFF_FFFFL) + " bytes goes beyond the file's end");
      }
      block.at = at;
      block.next = at + TraceFormat.HEAD + block.length;
      if (!block.readPayload(in)) {
        throw wrong(at, "damaged: the checksum of the block is wrong");
      }
    } catch (EOFException e) {
      throw wrong(size, "the file became shorter while it was read");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  TraceException wrong(long offset, String what) {
    return new TraceException(path, offset, what);
  }

  /** {@return the fields of the header: what was recorded, and under which settings} */
  public Map<String, String> header() {
    return header;
  }

  /**
   * {@return a field of the header; empty if there is none}
   *
   * @param field a name of {@link TraceFormat}
   */
  public String header(String field) {
    return header.getOrDefault(field, "");
  }

  /** {@return the totals, by the names in {@link TraceFormat}} */
  public Map<String, Long> totals() {
    return totals;
  }

  /**
   * {@return one of the totals; 0 if there is none of that name}
   *
   * @param name one of {@link TraceFormat}
   */
  public long total(String name) {
    return totals.getOrDefault(name, 0L);
  }

  /** {@return the file's length in bytes} */
  public long size() {
    return size;
  }

  /**
   * {@return the bytes of the heap image with which the trace begins, read anew; null if the heap
   * was empty}
   */
  public byte @Nullable [] image() {
    if (imageAt == 0) {
      return null;
    }
    TraceBlock block = new TraceBlock();
    read(imageAt, block);
    return Arrays.copyOfRange(block.bytes, TraceFormat.HEAD, block.end());
  }

  /**
   * What is wrong with the image.
   *
   * @param what in words
   * @return an exception with the place, to be thrown
   */
  public TraceException wrongImage(String what) {
    return wrong(imageAt, what);
  }

  /** {@return where the bodies of finalizers and callbacks are} */
  public BodyIndex bodies() {
    return bodies;
  }

  /** {@return a cursor at the first operation} */
  public TraceCursor operations() {
    TraceCursor cursor = new TraceCursor(this, new TraceBlock(), false);
    cursor.goTo(firstBlock, 0);
    return cursor;
  }

  /** {@return a cursor that is nowhere yet} */
  public TraceCursor cursor() {
    return new TraceCursor(this, new TraceBlock(), false);
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
