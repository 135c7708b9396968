package dev.gleaner.lua.machine;

import dev.gleaner.lua.compiler.Dump;
import dev.gleaner.lua.compiler.Prototype;
import dev.gleaner.lua.compiler.SyntaxException;
import dev.gleaner.lua.memory.Account;
import dev.gleaner.refusal.ImageException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The code of images, which guests of a factory share: equal bytes are read and verified once. The
 * code that was not asked for longest goes first.
 */
public final class ParsedChunks {
  /** The most bytes of the JVM's heap for all code that is kept. */
  static final long MOST = 16 << 20;

  /** Bytes of what holds a chunk in the table. */
  private static final int ENTRY = 200;

  /** Bytes of the JVM's heap that reading a chunk may take, for each byte, and besides. */
  private static final int BYTES_FOR_EACH = 64;

  private static final int BYTES_BESIDES = 1 << 16;

  /**
   * Code as string.dump gives it, what was read from it, and the size of that on the JVM's heap.
   */
  static final class Parsed {
    final byte[] dump;
    final Prototype main;
    final long bytes;

    private Parsed(byte[] dump, Prototype main, long bytes) {
      this.dump = dump;
      this.main = main;
      this.bytes = bytes;
    }

    private long cost() {
      return dump.length + bytes + ENTRY;
    }
  }

  /** Bytes that are compared by what they are. */
  private static final class Key {
    private final byte[] bytes;
    private final int hash;

    Key(byte[] bytes) {
      this.bytes = bytes;
      this.hash = Arrays.hashCode(bytes);
    }

    @Override
    public boolean equals(@Nullable Object o) {
      return o instanceof Key k && hash == k.hash && Arrays.equals(bytes, k.bytes);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  /** By the time of the last request, the latest last. */
  private final Map<Key, Parsed> known = new LinkedHashMap<>(16, 0.75f, true);

  private long size;

  /** Makes an empty table. */
  public ParsedChunks() {}

  /**
   * Returns code.
   *
   * @param dump the code as string.dump gives it, which nobody changes any more
   * @throws ImageException if it is none
   */
  Parsed get(byte[] dump) {
    Key key = new Key(dump);
    Parsed found = find(key);
    if (found == null) {
      found = parse(dump);
      keep(key, found);
    }
    return found;
  }

  private synchronized @Nullable Parsed find(Key key) {
    return known.get(key);
  }

  private synchronized void keep(Key key, Parsed parsed) {
    if (parsed.cost() > MOST || known.putIfAbsent(key, parsed) != null) {
      return;
    }
    size += parsed.cost();
    Iterator<Parsed> oldest = known.values().iterator();
    while (size > MOST) {
      size -= oldest.next().cost();
      oldest.remove();
    }
  }

  private static Parsed parse(byte[] dump) {
    Account account = Account.upTo((long) BYTES_FOR_EACH * dump.length + BYTES_BESIDES);
    try (Account.Loan loan = account.borrow()) {
      Prototype main = Dump.read(dump, "=image", loan, _ -> {});
      return new Parsed(dump, main, Unit.measure(main, account, _ -> {}));
    } catch (SyntaxException e) {
      throw new ImageException("the image is not sound: " + e.getMessage());
    }
  }
}
