package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.spi.Collector;
import dev.gleaner.spi.HeapContext;
import dev.gleaner.table.StringCache;
import dev.gleaner.table.StringHash;
import dev.gleaner.table.StringTable;
import dev.gleaner.util.ByteWords;
import dev.gleaner.util.Utf8;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Strings by slots: interned once, UTF-8 inside, characters counted as code points.
 *
 * <p>An unpaired surrogate of a Java string is kept as the three bytes that its code point would
 * take, so that every Java string comes back as it was.
 */
final class StringAccess {
  private static final long NOT_ASCII = 0x8080808080808080L;
  private static final int LARGEST = Integer.MAX_VALUE - 64;

  private final Mutator mutator;
  private final HeapContext context;
  private final Collector collector;
  private final Driver driver;
  private final Memory mem;
  private final StringTable table;
  private final StringHash hashes;
  private final StringCache cache;
  private final long[] buffers;
  private final @Nullable FreeListSpace cells;
  private byte[] scratch = new byte[32];

  StringAccess(Mutator mutator, HeapContext context, Collector collector, Driver driver) {
    this.mutator = mutator;
    this.context = context;
    this.collector = collector;
    this.driver = driver;
    this.mem = context.memory();
    this.table = context.strings();
    this.hashes = context.stringHash();
    this.cache = context.stringCache();
    this.buffers = collector.allocationBuffers(Layout.STRING);
    this.cells = collector.cells();
  }

  void intern(int d, String text) {
    long _ = mutator.slot(d);
    int n = encode(text);
    int characters = n == text.length() ? n : text.codePointCount(0, text.length());
    intern(d, scratch, 0, n, characters);
  }

  void intern(int d, byte[] utf8, int offset, int length) {
    long _ = mutator.slot(d);
    java.util.Objects.checkFromIndexSize(offset, length, utf8.length);
    int characters = isAscii(utf8, offset, length) ? length : Utf8.count(utf8, offset, length);
    intern(d, utf8, offset, length, characters);
  }

  private static boolean isAscii(byte[] utf8, int offset, int length) {
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      if (((long) ByteWords.LONG.get(utf8, offset + i) & NOT_ASCII) != 0) {
        return false;
      }
    }
    return (ByteWords.tail(utf8, offset + i, length - i) & NOT_ASCII) == 0;
  }

  boolean find(int d, String text) {
    long _ = mutator.slot(d);
    int n = encode(text);
    long e = table.find(scratch, 0, n, hashes.of(scratch, 0, n));
    if (e == 0) {
      return false;
    }
    mutator.setSlot(d, shaded(e));
    return true;
  }

  private long shaded(long e) {
    if (context.barrier()) {
      collector.beforeStore(e);
    }
    return e;
  }

  private void intern(int d, byte[] bytes, int offset, int length, int characters) {
    int hash = hashes.of(bytes, offset, length);
    long e = table.find(bytes, offset, length, hash);
    if (e != 0) {
      mutator.setSlot(d, shaded(e));
      return;
    }
    long words = 1 + ((length + 7L) >>> 3) + (characters == length ? 0 : 1);
    e = table.isFull() ? 0 : take(words);
    if (e == 0) {
      makeSlowly(d, bytes, offset, length, characters, hash);
    } else {
      fill(e, bytes, offset, length, characters, hash);
      table.insertMissed(e, hash);
      mutator.setSlot(d, e);
    }
  }

  private long take(long words) {
    long e =
        cells == null
            ? AllocationBuffers.take(buffers, words + 1)
            : cells.take(Layout.STRING, words + 1);
    if (e != 0) {
      mem.put(e, Layout.header(Layout.STRING, words));
    }
    return e;
  }

  /** Makes a string, collecting if need be. Finalizers wait, so that none interns the same text. */
  private void makeSlowly(int d, byte[] bytes, int offset, int length, int characters, int hash) {
    driver.runner.hold();
    try {
      makeRoom();
      long words = 1 + ((length + 7L) >>> 3) + (characters == length ? 0 : 1);
      long e = driver.allocateElement(Layout.STRING, words);
      fill(e, bytes, offset, length, characters, hash);
      table.insert(e, hash);
      mutator.setSlot(d, e);
    } finally {
      driver.runner.resume();
    }
  }

  private void fill(long e, byte[] bytes, int offset, int length, int characters, int hash) {
    if (characters == length) {
      mem.put(e, mem.get(e) | Layout.FLAG_ASCII);
    } else {
      mem.put(e + (Layout.payloadWords(mem, e, mem.get(e)) << 3), characters);
    }
    mem.put(e + Layout.STRING_WORD, (long) hash << 32 | length);
    write(bytes, offset, length, e + Layout.STRING_BYTES);
  }

  private void write(byte[] bytes, int offset, int length, long to) {
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      mem.put(to + i, (long) ByteWords.LONG.get(bytes, offset + i));
    }
    if (i < length) {
      mem.put(to + i, ByteWords.tail(bytes, offset + i, length - i));
    }
  }

  /** The critical section of the string table's resize (Duktape, "Mark-and-sweep flags"). */
  private void makeRoom() {
    if (!table.isFull()) {
      return;
    }
    driver.beforeAllocation();
    int flags = driver.setBaseFlags(driver.baseFlags() | CollectFlags.NO_STRING_TABLE_RESIZE);
    try {
      for (int attempt = 0; !table.makeRoom(); attempt++) {
        driver.beforeRetry(attempt, Math.max(64, table.bytes() * 2));
      }
    } finally {
      driver.setBaseFlags(flags);
    }
  }

  /** Encodes into the scratch array; answers the number of bytes. */
  private int encode(String text) {
    int n = text.length();
    if (scratch.length < n) {
      scratch = new byte[Math.max(n, scratch.length * 2)];
    }
    byte[] b = scratch;
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
    if (scratch.length < most) {
      scratch = Arrays.copyOf(scratch, (int) most);
    }
    return Utf8.encode(text, first, scratch);
  }

  private long string(int s) {
    return mutator.element(s, Layout.STRING, "string");
  }

  String text(int s) {
    long e = string(s);
    byte[] bytes = new byte[bytes(s)];
    mem.read(e + Layout.STRING_BYTES, bytes, 0, bytes.length);
    return Utf8.decode(bytes);
  }

  int bytes(int s) {
    return (int) mem.get(string(s) + Layout.STRING_WORD);
  }

  int length(int s) {
    long e = string(s);
    long h = mem.get(e);
    return (h & Layout.FLAG_ASCII) != 0
        ? bytes(s)
        : (int) mem.get(e + (Layout.payloadWords(mem, e, h) << 3));
  }

  int charAt(int s, int index) {
    int n = length(s);
    if (index < 0 || index >= n) {
      throw new HeapUsageException("no character " + index + " in a string of " + n);
    }
    long e = string(s);
    if ((mem.get(e) & Layout.FLAG_ASCII) != 0) {
      return mem.getByte(e + Layout.STRING_BYTES + index);
    }
    int entry = cache.find(e);
    int character = 0;
    int offset = 0;
    if (entry >= 0 && (cache.character(entry) <= index || index * 2 > cache.character(entry))) {
      character = cache.character(entry);
      offset = cache.offset(entry);
    }
    long base = e + Layout.STRING_BYTES;
    while (character < index) {
      offset += Utf8.length(mem.getByte(base + offset));
      character++;
    }
    while (character > index) {
      offset--;
      if ((mem.getByte(base + offset) & 0xC0) != 0x80) {
        character--;
      }
    }
    cache.remember(entry, e, character, offset);
    return Utf8.decodeAt(mem, base + offset);
  }
}
