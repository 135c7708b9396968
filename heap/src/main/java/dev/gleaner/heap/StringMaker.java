package dev.gleaner.heap;

import static dev.gleaner.layout.Layout.STRING_BYTES;

import dev.gleaner.layout.Layout;
import dev.gleaner.memory.Memory;
import dev.gleaner.space.FreeListSpace;
import dev.gleaner.spi.CollectFlags;
import dev.gleaner.table.StringBytes;
import dev.gleaner.table.StringHash;
import dev.gleaner.table.StringTable;
import dev.gleaner.text.ByteWords;
import org.jspecify.annotations.Nullable;

/**
 * Makes strings.
 *
 * <pre>
 *   up to strings.max-interned bytes   gathered in {@link #scratch}, hashed, found in the table or made
 *   longer                             made and filled in place, without hash and table
 *   longer, and becomes a key          hashed, found in the table or entered there
 * </pre>
 *
 * Invariant: the table has exactly the strings without {@link Layout#FLAG_UNINTERNED}, and no two
 * of these have the same bytes. So keys that are strings are compared by offset.
 *
 * <p>Making a string may collect. Finalizers wait until the slot has the string, as a finalizer
 * could intern the same bytes, or use the scratch array. The bytes are read from slots after the
 * collection.
 */
final class StringMaker {
  private static final long NOT_ASCII = 0x8080808080808080L;

  /** Listeners are told of a search from this number of bytes on. */
  private static final int MANY = 16 << 10;

  private final WordAccess r;
  private final Driver driver;
  private final Memory mem;
  private final StringTable table;
  private final StringHash hashes;
  private final int maxInterned;
  private final long[] buffers;
  private final @Nullable FreeListSpace cells;

  /** The gathered bytes. Every method that makes a string may overwrite them. */
  byte[] scratch = new byte[64];

  StringMaker(HeapCore core) {
    this.r = core.registers();

    this.driver = core.driver();
    this.mem = core.context().memory();
    this.table = core.context().strings();
    this.hashes = core.context().stringHash();
    this.maxInterned = core.context().settings().strings().maxInterned();
    this.buffers = core.collector().allocationBuffers(Layout.STRING);
    this.cells = core.collector().cells();
  }

  /** Returns the scratch array, with room for a number of bytes. */
  byte[] scratch(int length) {
    if (scratch.length < length) {
      scratch = new byte[Math.max(length, (int) Math.min(2L * scratch.length, 1 << 30))];
    }
    return scratch;
  }

  /** Whether a new string of this length is interned. */
  boolean interns(long length) {
    return length <= maxInterned;
  }

  static boolean isAscii(byte[] bytes, int offset, int length) {
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      if (((long) ByteWords.LONG.get(bytes, offset + i) & NOT_ASCII) != 0) {
        return false;
      }
    }
    return (ByteWords.tail(bytes, offset + i, length - i) & NOT_ASCII) == 0;
  }

  boolean isAscii(long at, int length) {
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      if ((mem.get(at + i) & NOT_ASCII) != 0) {
        return false;
      }
    }
    for (; i < length; i++) {
      if (mem.getByte(at + i) < 0) {
        return false;
      }
    }
    return true;
  }

  /** Makes a string of bytes; it is ASCII if it has as many characters as bytes. */
  void make(int d, byte[] from, int offset, int length, int characters) {
    if (length <= maxInterned) {
      intern(d, from, offset, length, characters);
    } else {
      makeUninterned(d, from, offset, length, characters);
    }
  }

  // ---- interned ----

  boolean find(int d, int length) {
    long e = table.find(scratch, 0, length, hashes.of(scratch, 0, length));
    if (e == 0) {
      return false;
    }
    r.setSlot(d, shaded(e));
    return true;
  }

  private long shaded(long e) {
    r.shadeForSnapshot(e);
    return e;
  }

  private void intern(int d, byte[] from, int offset, int length, int characters) {
    int hash = hashes.of(from, offset, length);
    long e = table.find(from, offset, length, hash);
    if (e != 0) {
      r.setSlot(d, shaded(e));
      return;
    }
    e = table.isFull() ? 0 : take(payload(length, characters));
    if (e == 0) {
      internSlowly(d, from, offset, length, characters, hash);
    } else {
      head(e, length, characters, hash);
      write(from, offset, length, e + STRING_BYTES);
      table.insertMissed(e, hash);
      r.setSlot(d, e);
    }
  }

  private void internSlowly(int d, byte[] from, int offset, int length, int characters, int hash) {
    driver.runner.held++;
    try {
      makeRoom();
      long e = driver.allocateElement(Layout.STRING, payload(length, characters));
      head(e, length, characters, hash);
      write(from, offset, length, e + STRING_BYTES);
      table.insert(e, hash);
      r.setSlot(d, e);
    } finally {
      driver.runner.held--; // before the next call, which an Error may break off
      driver.runner.resume();
    }
  }

  /**
   * Returns the interned string with the bytes of the string in a slot. If there is none, interns
   * the string in the slot.
   */
  long interned(int s) {
    long e = r.reference(s);
    if (StringBytes.isInterned(mem, e)) {
      return e;
    }
    long known = find(e);
    if (known != 0) {
      return shaded(known);
    }
    if (!table.isFull()) {
      enter(e);
      return e;
    }
    driver.runner.held++;
    try {
      makeRoom();
      enter(r.reference(s));
    } finally {
      driver.runner.held--; // before the next call, which an Error may break off
      driver.runner.resume();
    }
    return r.reference(s); // finalizers ran, and the string may have moved
  }

  /** Interns a string. */
  private void enter(long e) {
    table.insert(e, hash(e));
    mem.put(e, mem.get(e) & ~Layout.FLAG_UNINTERNED);
  }

  /** Returns the interned string that equals a string, or 0. */
  long known(long e) {
    return StringBytes.isInterned(mem, e) ? e : find(e);
  }

  /** Searches a string that is not interned; the search compares all bytes with an equal string. */
  private long find(long e) {
    int bytes = (int) mem.get(e + Layout.STRING_WORD);
    if (bytes >= MANY) {
      driver.tellSearched(bytes);
    }
    return table.find(e, hash(e));
  }

  private int hash(long e) {
    long word = mem.get(e + Layout.STRING_WORD);
    int hash = (int) (word >>> 32);
    if (hash == 0) {
      hash = hashes.of(mem, e + STRING_BYTES, (int) word);
      mem.put(e + Layout.STRING_WORD, (long) hash << 32 | (word & 0xFFFF_FFFFL));
    }
    return hash;
  }

  /** Makes room in the string table, in a critical section (Duktape, "Mark-and-sweep flags"). */
  private void makeRoom() {
    if (!table.isFull()) {
      return;
    }
    driver.beforeAllocation();
    int outer = driver.addedFlags;
    driver.addedFlags |= CollectFlags.NO_STRING_TABLE_RESIZE | driver.criticalFlags;
    try {
      for (int attempt = 0; !table.makeRoom(); attempt++) {
        driver.beforeRetry(attempt, Math.max(64, table.bytes() * 2));
      }
    } finally {
      driver.addedFlags = outer;
    }
  }

  // ---- not interned ----

  private void makeUninterned(int d, byte[] from, int offset, int length, int characters) {
    long e = takeUninterned(length, characters);
    if (e != 0) {
      write(from, offset, length, e + STRING_BYTES);
      r.setSlot(d, e);
      return;
    }
    driver.runner.held++;
    try {
      e = allocateUninterned(length, characters);
      write(from, offset, length, e + STRING_BYTES);
      r.setSlot(d, e);
    } finally {
      driver.runner.held--; // before the next call, which an Error may break off
      driver.runner.resume();
    }
  }

  /** Takes a string from granted memory, without its bytes; 0 if there is no such memory. */
  long takeUninterned(int length, int characters) {
    long e = take(payload(length, characters));
    if (e != 0) {
      headUninterned(e, length, characters);
    }
    return e;
  }

  /** Allocates a string without its bytes; may collect. The caller holds finalizers. */
  long allocateUninterned(int length, int characters) {
    long e = driver.allocateElement(Layout.STRING, payload(length, characters));
    headUninterned(e, length, characters);
    return e;
  }

  private void headUninterned(long e, int length, int characters) {
    head(e, length, characters, 0);
    mem.put(e, mem.get(e) | Layout.FLAG_UNINTERNED);
    if (length > 0) {
      mem.put(e + STRING_BYTES + ((length - 1) & -8), 0); // may hold bytes of a freed string
    }
  }

  /** Copies bytes; a few bytes with fewer checks than the general method makes. */
  void copy(long from, long to, int length) {
    if (length > 64) {
      mem.copy(from, to, length);
      return;
    }
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      mem.put(to + i, mem.get(from + i));
    }
    if (i < length) {
      if (length >= 8) {
        mem.put(to + length - 8, mem.get(from + length - 8));
      } else {
        for (; i < length; i++) {
          mem.putByte(to + i, mem.getByte(from + i));
        }
      }
    }
  }

  // ---- images ----

  /**
   * Makes a string of an image, or finds it; may collect. The caller holds finalizers.
   *
   * @param interned whether it is interned, whatever its length
   */
  long load(byte[] from, int offset, int length, boolean interned) {
    int characters = isAscii(from, offset, length) ? length : Layout.UNCOUNTED;
    if (!interned && !interns(length)) {
      long e = allocateUninterned(length, characters);
      write(from, offset, length, e + STRING_BYTES);
      return e;
    }
    int hash = hashes.of(from, offset, length);
    long known = table.find(from, offset, length, hash);
    if (known != 0) {
      return shaded(known);
    }
    long e = table.isFull() ? 0 : take(payload(length, characters));
    if (e == 0) {
      makeRoom();
      e = driver.allocateElement(Layout.STRING, payload(length, characters));
    }
    head(e, length, characters, hash);
    write(from, offset, length, e + STRING_BYTES);
    table.insert(e, hash);
    return e;
  }

  // ---- elements ----

  private static long payload(int length, int characters) {
    return 1 + ((length + 7L) >>> 3) + (characters == length ? 0 : 1);
  }

  private long take(long payload) {
    long e = AllocationBuffers.take(cells, buffers, Layout.STRING, payload + 1);
    if (e != 0) {
      mem.put(e, Layout.header(Layout.STRING, payload));
    }
    return e;
  }

  private void head(long e, int length, int characters, int hash) {
    if (characters == length) {
      mem.put(e, mem.get(e) | Layout.FLAG_ASCII);
    } else {
      mem.put(e + (Layout.payloadWords(mem, e, mem.get(e)) << 3), characters);
    }
    mem.put(e + Layout.STRING_WORD, (long) hash << 32 | length);
  }

  private void write(byte[] from, int offset, int length, long to) {
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      mem.put(to + i, (long) ByteWords.LONG.get(from, offset + i));
    }
    if (i < length) {
      mem.put(to + i, ByteWords.tail(from, offset + i, length - i));
    }
  }
}
