package dev.gleaner.lua.lib;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.machine.Arguments;
import dev.gleaner.lua.machine.Machine;
import dev.gleaner.lua.machine.Registration;

/**
 * The functions of tables (§ 6.6). They respect metamethods; of a table without a metatable they
 * reach the elements directly.
 */
final class TableLibrary {
  private static final int READ = 1;
  private static final int WRITE = 2;
  private static final int LENGTH = 4;

  /** Elements between two charges. */
  private static final int PIECE = 1024;

  private final Machine machine;
  private final Mutator t;
  private final LibraryTexts texts;

  private TableLibrary(Machine machine, LibraryTexts texts) {
    this.machine = machine;
    this.t = machine.mutator();
    this.texts = texts;
  }

  /** Adds the library to a machine. */
  static void open(Machine machine, LibraryTexts texts) {
    TableLibrary l = new TableLibrary(machine, texts);
    new Registration(machine, "table", 7)
        .add("concat", l::concat)
        .add("insert", l::insert)
        .add("move", l::move)
        .add("pack", l::pack)
        .add("remove", l::remove)
        .add("sort", l::sort)
        .add("unpack", l::unpack);
  }

  private int insert(Arguments a) {
    int k = a.scratch(2);
    int count = a.count();
    boolean raw = checkTable(a, 1, READ | WRITE | LENGTH, k);
    long end = length(a, raw, k) + 1;
    long position = end;
    if (count == 3) {
      position = a.checkInteger(2);
      if (Long.compareUnsigned(position - 1, end) >= 0) {
        throw a.argumentError(2, "position out of bounds");
      }
      for (long i = end; i > position; i--) {
        get(raw, k + 1, 1, i - 1, k);
        set(raw, 1, i, k + 1, k);
        a.work(1);
      }
    } else if (count != 2) {
      throw a.error("wrong number of arguments to 'insert'");
    }
    set(raw, 1, position, count, k);
    return a.none();
  }

  private int remove(Arguments a) {
    int k = a.scratch(3);
    boolean raw = checkTable(a, 1, READ | WRITE | LENGTH, k);
    long size = length(a, raw, k);
    long position = a.optInteger(2, size);
    if (position != size && Long.compareUnsigned(position - 1, size) > 0) {
      throw a.argumentError(2, "position out of bounds");
    }
    get(raw, k + 1, 1, position, k);
    for (; position < size; position++) {
      get(raw, k + 2, 1, position + 1, k);
      set(raw, 1, position, k + 2, k);
      a.work(1);
    }
    t.setUndefined(k + 2);
    set(raw, 1, position, k + 2, k);
    return a.one(k + 1);
  }

  private int move(Arguments a) {
    int to = a.isNoneOrNil(5) ? 1 : 5;
    int k = a.scratch(2);
    long first = a.checkInteger(2);
    long last = a.checkInteger(3);
    long target = a.checkInteger(4);
    boolean rawFrom = checkTable(a, 1, READ, k);
    boolean rawTo = checkTable(a, to, WRITE, k);
    if (last >= first) {
      if (first <= 0 && last >= Long.MAX_VALUE + first) {
        throw a.argumentError(3, "too many elements to move");
      }
      long count = last - first + 1;
      if (target > Long.MAX_VALUE - count + 1) {
        throw a.argumentError(4, "destination wrap around");
      }
      boolean forward = target > last || target <= first || (to != 1 && !machine.equal(1, to));
      for (long n = 0; n < count; n++) {
        long i = forward ? n : count - 1 - n;
        get(rawFrom, k + 1, 1, first + i, k);
        set(rawTo, to, target + i, k + 1, k);
        a.work(1);
      }
    }
    return a.one(to);
  }

  private int concat(Arguments a) {
    int k = a.scratch(3);
    boolean raw = checkTable(a, 1, READ | LENGTH, k);
    long last = length(a, raw, k);
    boolean separated = !a.isNoneOrNil(2);
    if (separated) {
      a.checkString(2);
    }
    long first = a.optInteger(3, 1);
    last = a.optInteger(4, last);
    try (TextBuilder text = texts.open(a, k + 2)) {
      for (long i = first; i <= last; i++) {
        get(raw, k + 1, 1, i, k);
        if (!machine.toText(k + 1)) {
          String type = machine.typeName(k + 1);
          throw a.error("invalid value (" + type + ") at index " + i + " in table for 'concat'");
        }
        text.addString(k + 1);
        if (i == last) {
          break; // the next one may be out of range
        }
        if (separated) {
          text.addString(2);
        }
        a.work(1);
      }
      text.toSlot(k + 1);
      return a.one(k + 1);
    }
  }

  private int pack(Arguments a) {
    int count = a.count();
    a.work(count);
    int table = a.scratch(2);
    machine.newTable(table, 1, count);
    machine.rawSetList(table, 1, count);
    machine.setInteger(1, count);
    machine.setString(table + 1, "n");
    machine.rawSet(table, table + 1, 1);
    return a.one(table);
  }

  private int unpack(Arguments a) {
    long first = a.optInteger(2, 1);
    int k = a.scratch(1);
    boolean raw = a.count() > 0 && isPlain(1);
    long last = a.isNoneOrNil(3) ? length(a, raw, k) : a.checkInteger(3);
    if (first > last) {
      return a.none();
    }
    long count = last - first + 1;
    int results = a.room(count <= 0 ? Long.MAX_VALUE : count, "too many results to unpack");
    for (int i = 0; i < (int) count; i++) {
      if ((i & PIECE - 1) == 0) {
        a.work(Math.min(PIECE, count - i));
      }
      get(raw, results + i, 1, first + i, k);
    }
    return a.results(results, (int) count);
  }

  private int sort(Arguments a) {
    int k = a.scratch(Sorter.SLOTS);
    boolean raw = checkTable(a, 1, READ | WRITE | LENGTH, k);
    long count = length(a, raw, k);
    if (count > 1) {
      if (count >= Integer.MAX_VALUE) {
        throw a.argumentError(1, "array too big");
      }
      if (!a.isNoneOrNil(2) && !machine.isFunction(2)) {
        throw a.typeError(2, "function");
      }
      new Sorter(this, machine, a, raw, !a.isNoneOrNil(2), k).sort(1, (int) count);
    }
    return a.none();
  }

  /** Whether a slot holds a table without a metatable. */
  private boolean isPlain(int s) {
    return machine.isTable(s) && t.get(s, 0) == Values.UNDEFINED;
  }

  /** Asks for a table, or for what has the metamethods of one; whether it is a plain table. */
  private boolean checkTable(Arguments a, int i, int what, int k) {
    if (i <= a.count()) {
      if (machine.isTable(i)) {
        return t.get(i, 0) == Values.UNDEFINED;
      }
      if (((what & READ) == 0 || machine.metamethod(k, i, "__index"))
          && ((what & WRITE) == 0 || machine.metamethod(k, i, "__newindex"))
          && ((what & LENGTH) == 0 || machine.metamethod(k, i, "__len"))) {
        return false;
      }
    }
    throw a.typeError(i, "table");
  }

  private long length(Arguments a, boolean raw, int k) {
    if (raw) {
      return machine.rawLength(1);
    }
    machine.length(k, 1);
    if (!machine.toInteger(k)) {
      throw a.error("object length is not an integer");
    }
    return machine.integer(k);
  }

  /** {@code d = o[i]}, with a slot for the key. */
  void get(boolean raw, int d, int o, long i, int k) {
    if (raw) {
      machine.rawGet(d, o, i);
    } else {
      machine.setInteger(k, i);
      machine.index(d, o, k);
    }
  }

  /** {@code o[i] = s}, with a slot for the key. */
  void set(boolean raw, int o, long i, int s, int k) {
    if (raw) {
      machine.rawSet(o, i, s);
    } else {
      machine.setInteger(k, i);
      machine.setIndex(o, k, s);
    }
  }
}
