package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.HostFunction;
import dev.gleaner.lua.HostRoutine;
import dev.gleaner.lua.memory.Account;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Deep copies between Java's collections and tables. A copy calls no metamethod, so no script runs
 * meanwhile. A container that occurs twice is copied once. A container that contains itself is
 * refused.
 *
 * <pre>
 *   Java --> Lua   index i of a list or array is the key i + 1; null is nil: no entry
 *   Lua --> Java   a table with the keys 1 to n and no others, or without any, is a list;
 *                  any other table is a map, in the order of next
 * </pre>
 */
final class Conversions {
  /** The greatest depth of containers in containers. */
  private static final int DEEPEST = 100;

  /** Bytes of a list or map without entries, with its place in the memo. */
  private static final long CONTAINER = 160;

  private final Machine m;
  private final Mutator t;
  private final Account.Loan loan;

  /** The slot of a table: to Lua, from numbers to new tables; to Java, from tables to numbers. */
  private final int memo;

  /** The numbers of Java's containers; 0 while the copy is under way. */
  private final IdentityHashMap<Object, Long> begun = new IdentityHashMap<>();

  private long finished;

  /** The containers for the host, by number; null while the copy is under way. */
  private final List<@Nullable Object> made = new ArrayList<>();

  /** The name of the table that is made, empty for none; then the keys to what is inside. */
  private final String table;

  private final List<Object> keys = new ArrayList<>();

  private Conversions(Machine m, Account.Loan loan, String table) {
    this.m = m;
    this.table = table;
    this.t = m.mutator();
    this.loan = loan;
    this.memo = m.state().scratch(1);
    m.newTable(memo);
  }

  /** Returns whether a Java value becomes a table. */
  static boolean isContainer(Object value) {
    return value instanceof Collection
        || value instanceof Map
        || (value.getClass().isArray() && !(value instanceof byte[]));
  }

  // ---- from Java ----

  /**
   * Stores a new table with the values of a container.
   *
   * @param name the name of the table, in ISO 8859-1; "?" if there is none
   * @throws IllegalArgumentException if a value in the container has no Lua value
   */
  static void load(Machine m, int d, String name, Object container) {
    Mutator t = m.mutator();
    int size = t.frameSize();
    try (Account.Loan loan = m.account().borrow()) {
      new Conversions(m, loan, name.equals("?") ? "" : name).table(d, container, 0);
    } finally {
      t.resizeFrame(size);
    }
  }

  private void table(int d, Object container, int depth) {
    Long number = begun.get(container);
    if (number != null) {
      if (number == 0) {
        throw new IllegalArgumentException("a container that contains itself is no Lua value");
      }
      m.rawGet(d, memo, number);
      return;
    }
    if (depth >= DEEPEST) {
      throw new IllegalArgumentException(
          "containers that are more than " + DEEPEST + " deep in each other are no Lua value");
    }
    loan.add(CONTAINER);
    begun.put(container, 0L);
    int x = m.state().scratch(3);
    m.newTable(x);
    switch (container) {
      case Map<?, ?> map -> entries(x, map, depth);
      case Collection<?> values -> {
        long i = 0;
        for (Object value : values) {
          put(x, ++i, value, depth);
        }
      }
      default -> {
        int length = Array.getLength(container);
        for (int i = 0; i < length; i++) {
          put(x, i + 1L, Array.get(container, i), depth);
        }
      }
    }
    finished++;
    m.rawSet(memo, finished, x);
    begun.put(container, finished);
    t.copy(d, x);
    t.resizeFrame(x);
  }

  private void put(int x, long key, @Nullable Object value, int depth) {
    element(x + 2, value, depth, key);
    m.rawSet(x, key, x + 2);
  }

  private void entries(int x, Map<?, ?> map, int depth) {
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      Object key = entry.getKey();
      if (key == null
          || isContainer(key)
          || (key instanceof Number n && Double.isNaN(n.doubleValue()))) {
        throw new IllegalArgumentException("no key of a table: " + key);
      }
      HostCall.set(m, x + 1, key);
      m.rawGet(x + 2, x, x + 1);
      if (t.get(x + 2) != Values.UNDEFINED) {
        throw new IllegalArgumentException("two keys of a map are the same one in Lua: " + key);
      }
      element(x + 2, entry.getValue(), depth, key);
      m.rawSet(x, x + 1, x + 2);
    }
  }

  private void element(int d, @Nullable Object value, int depth, Object key) {
    charge();
    try {
      if (value != null && isContainer(value) && !m.hasClass(value)) {
        keys.add(key);
        table(d, value, depth + 1);
        keys.removeLast();
      } else {
        HostCall.set(m, d, isFunction(value) ? name(key) : "?", value);
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(e.getMessage() + ", under the key " + key, e);
    }
  }

  private static boolean isFunction(@Nullable Object value) {
    return value instanceof HostFunction || value instanceof HostRoutine;
  }

  /** Returns the name of a function by the keys that lead to it, in ISO 8859-1. */
  private String name(Object last) {
    StringBuilder name = new StringBuilder(table);
    keys.forEach(key -> append(name, key));
    append(name, last);
    return name.toString();
  }

  private static void append(StringBuilder name, Object key) {
    if (key instanceof String text) {
      name.append(name.isEmpty() ? "" : ".").append(MachineTexts.latin(text));
    } else {
      name.append('[').append(key).append(']');
    }
  }

  /** Charges a step if a script has called the host. Outside of scripts, the host pays nothing. */
  private void charge() {
    if (m.calls().nested > 0) {
      m.work(1);
    }
  }

  // ---- to Java ----

  /**
   * {@return a table as a list or a map, with inner tables converted, too}
   *
   * @throws LuaError if a table contains itself, or tables are nested too deep
   */
  static Object collection(Machine m, int s, Account.Loan loan) {
    return copied(m, c -> c.collection(s, 0), loan);
  }

  /** {@return a table as a map, even if its keys are those of a list} */
  static Object map(Machine m, int s, Account.Loan loan) {
    return copied(m, c -> c.map(s, c.begin(s, 0), 0), loan);
  }

  /** {@return the values of a table from the key 1 up to the first nil} */
  static Object list(Machine m, int s, Account.Loan loan) {
    return copied(m, c -> c.list(s, c.begin(s, 0), Long.MAX_VALUE, 0), loan);
  }

  private interface Copy {
    Object of(Conversions c);
  }

  private static Object copied(Machine m, Copy copy, Account.Loan loan) {
    Mutator t = m.mutator();
    int size = t.frameSize();
    Object made = copy.of(new Conversions(m, loan, ""));
    t.resizeFrame(size);
    return made;
  }

  /** Begins a table. Returns its number; negative if the table was begun before. */
  private int begin(int s, int depth) {
    int x = m.state().scratch(1);
    m.rawGet(x, memo, s);
    long number = t.get(x) == Values.UNDEFINED ? -1 : m.integer(x);
    if (number < 0) {
      if (depth >= DEEPEST) {
        throw new LuaError("tables are more than " + DEEPEST + " deep in each other");
      }
      loan.add(CONTAINER);
      m.setInteger(x, made.size());
      m.rawSet(memo, s, x);
      made.add(null);
    }
    t.resizeFrame(x);
    return number < 0 ? made.size() - 1 : -1 - (int) number;
  }

  private Object collection(int s, int depth) {
    int number = begin(s, depth);
    if (number < 0) {
      Object before = made.get(-1 - number);
      if (before == null) {
        throw new LuaError("a table that contains itself is no list and no map");
      }
      return before;
    }
    long length = length(s);
    return length < 0 ? map(s, number, depth) : list(s, number, length, depth);
  }

  /** Returns the length of a table whose keys are 1 to the length; -1 if there are other keys. */
  private long length(int s) {
    long border = m.rawLength(s);
    long count = 0;
    int x = m.state().scratch(2);
    boolean only = true;
    t.set(x, Values.UNDEFINED);
    while (only && m.parts().tables.next(x, s, x, 2)) {
      m.work(1);
      only = m.isInteger(x) && m.integer(x) >= 1 && m.integer(x) <= border;
      count++;
    }
    t.resizeFrame(x);
    return only && count == border ? border : -1;
  }

  private Object list(int s, int number, long length, int depth) {
    List<@Nullable Object> list = new ArrayList<>();
    int x = m.state().scratch(1);
    for (long i = 1; i <= length; i++) {
      m.rawGet(x, s, i);
      if (length == Long.MAX_VALUE && t.get(x) == Values.UNDEFINED) {
        break;
      }
      loan.add(2 * Long.BYTES); // the list's spare room included
      list.add(value(x, depth));
    }
    t.resizeFrame(x);
    made.set(number, list);
    return list;
  }

  private Object map(int s, int number, int depth) {
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    int x = m.state().scratch(2);
    t.set(x, Values.UNDEFINED);
    while (m.parts().tables.next(x, s, x, 2)) {
      loan.add(2 * Account.ENTRY + HostCall.copyOf(m, x));
      map.put(HostCall.get(m, x), value(x + 1, depth));
    }
    t.resizeFrame(x);
    made.set(number, map);
    return map;
  }

  private @Nullable Object value(int s, int depth) {
    m.work(1);
    if (m.isTable(s)) {
      return collection(s, depth + 1);
    }
    loan.add(HostCall.copyOf(m, s));
    return HostCall.get(m, s);
  }
}
