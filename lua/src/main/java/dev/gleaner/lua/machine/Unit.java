package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.compiler.Prototype;
import dev.gleaner.lua.compiler.Prototype.Capture;
import dev.gleaner.lua.compiler.Prototype.Variable;
import dev.gleaner.lua.memory.Account;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The functions of a chunk. A native element holds the unit, and every closure of the chunk holds
 * the native element. The guest pays for the unit's memory on the JVM's heap until the last closure
 * is gone.
 */
final class Unit {
  /** Bytes of a function without constants, variables and inner functions. */
  private static final int FUNCTION_BYTES = 288;

  /** Bytes of a chunk, with the entry of its native element. */
  private static final int UNIT_BYTES = 288;

  private static final int NAME_BYTES = 48;
  private static final int STRING_BYTES = 48;
  private static final int CAPTURE_BYTES = 24;
  private static final int VARIABLE_BYTES = 32;

  /** Bytes of an instruction with its line, or of a number. */
  private static final int WORD_BYTES = 8;

  private static final int REFERENCE = 4;

  private static final GlobalRef[] NO_STRINGS = {};
  private static final int[] NO_FUNCTIONS = {};

  /** The names and functions between two charges, and the steps of each. */
  private static final int PIECE = 256;

  private static final int STEPS = 4;

  private final Heap heap;
  private final Account account;
  private final Codes codes;
  private final Limits limits;
  private int[] numbers = new int[1];
  private int functions;
  private GlobalRef[] strings = NO_STRINGS;

  /** The strings by text, during the linking. */
  private Map<String, GlobalRef> known = new HashMap<>();

  private long charged;
  private int linked;

  private Unit(State s) {
    this.heap = s.heap;
    this.account = s.account;
    this.codes = s.codes;
    this.limits = s.limits;
  }

  /**
   * Makes the unit of a chunk, and its native element. Returns the code number of the main
   * function. If memory runs out, or a limit is reached, nothing stays behind.
   *
   * @param d the slot of the native element
   */
  static int link(State s, Prototype main, int d) {
    Unit unit = new Unit(s);
    Mutator t = s.t;
    try {
      unit.charge(main);
      int number = unit.add(t, main, d);
      unit.strings = unit.known.values().toArray(GlobalRef[]::new);
      unit.known = Map.of();
      t.newNative(d, unit, (value, closing) -> unit.release());
      return number;
    } catch (RuntimeException | Error e) {
      unit.release();
      throw e;
    }
  }

  /** Charges work for every {@link #PIECE} names and functions. */
  private void link() {
    if (++linked % PIECE == 0) {
      limits.work(STEPS * PIECE);
    }
  }

  private void charge(Prototype p) {
    try (Account.Loan counting = account.borrow()) {
      Set<String> names = Collections.newSetFromMap(new IdentityHashMap<>());
      long bytes = UNIT_BYTES + text(p.source) + text(p.chunk) + size(p, names, counting);
      account.charge(bytes);
      charged = bytes;
    }
  }

  private static long text(String s) {
    return (long) NAME_BYTES + s.length();
  }

  private static long array(int length, int bytes) {
    return length == 0 ? 0 : Account.array(length, REFERENCE + bytes);
  }

  private long size(Prototype p, Set<String> names, Account.Loan counting) {
    link();
    long bytes = FUNCTION_BYTES + (long) WORD_BYTES * p.code.length;
    bytes += Account.array(p.numbers.length, WORD_BYTES);
    bytes += array(p.variables.length, VARIABLE_BYTES) + array(p.closing.length, 0);
    bytes += array(p.captures.length, CAPTURE_BYTES);
    bytes += 2 * array(p.strings.length, 0) + 2 * array(p.inner.length, 0);
    bytes += once(p.name, names, counting);
    for (Variable v : p.variables) {
      bytes += once(v.name(), names, counting);
    }
    for (Capture c : p.captures) {
      bytes += once(c.name(), names, counting);
    }
    for (String s : p.strings) {
      bytes += STRING_BYTES + once(s, names, counting);
    }
    for (Prototype inner : p.inner) {
      bytes += size(inner, names, counting);
    }
    return bytes;
  }

  /** Returns the bytes of a name at its first use, or else 0: functions of a chunk share names. */
  private long once(String s, Set<String> names, Account.Loan counting) {
    link();
    if (s.isEmpty() || !names.add(s)) {
      return 0;
    }
    counting.add(Account.ENTRY);
    return text(s);
  }

  private int add(Mutator t, Prototype p, int d) {
    link();
    GlobalRef[] refs = p.strings.length == 0 ? NO_STRINGS : new GlobalRef[p.strings.length];
    for (int i = 0; i < refs.length; i++) {
      refs[i] = string(t, p.strings[i], d);
    }
    int[] inner = p.inner.length == 0 ? NO_FUNCTIONS : new int[p.inner.length];
    for (int i = 0; i < inner.length; i++) {
      inner[i] = add(t, p.inner[i], d);
    }
    if (functions == numbers.length) {
      numbers = Arrays.copyOf(numbers, functions + (functions >> 1) + 1);
    }
    int number = codes.reserve();
    numbers[functions++] = number;
    codes.set(number, new Code(p, this, refs, inner, codes.heat));
    return number;
  }

  private GlobalRef string(Mutator t, String text, int d) {
    link();
    GlobalRef before = known.get(text);
    if (before != null) {
      return before;
    }
    MachineTexts.set(t, d, text);
    GlobalRef made = heap.newGlobal();
    known.put(text, made);
    t.setGlobal(made, d);
    return made;
  }

  private void release() {
    for (int i = 0; i < functions; i++) {
      codes.release(numbers[i]);
    }
    functions = 0;
    known.values().forEach(GlobalRef::close);
    known = Map.of();
    for (GlobalRef s : strings) {
      s.close();
    }
    strings = NO_STRINGS;
    account.release(charged);
    charged = 0;
  }
}
