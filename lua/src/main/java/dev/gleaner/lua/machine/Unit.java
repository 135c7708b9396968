package dev.gleaner.lua.machine;

import dev.gleaner.heap.FreeCallback;
import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.compiler.Dump;
import dev.gleaner.lua.compiler.Prototype;
import dev.gleaner.lua.compiler.Prototype.Capture;
import dev.gleaner.lua.compiler.Prototype.Variable;
import dev.gleaner.lua.memory.Account;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

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

  /** The callback of the native elements. */
  static final FreeCallback RELEASE = (unit, closing) -> ((Unit) unit).release();

  /**
   * What the units of a machine share.
   *
   * @param heap holds the native elements and the strings
   * @param account pays for the units
   * @param codes gets the functions
   * @param work charges steps
   */
  record Owner(Heap heap, Account account, Codes codes, LongConsumer work) {}

  /** Null for a unit of an image until that is linked, and for one that is gone. */
  private @Nullable Owner owner;

  /** The code as an image has it, while others keep that; null for no image. */
  private @Nullable WeakReference<byte[]> dump;

  /** Whether the native element is gone. */
  private boolean released;

  /** The code numbers that the functions have in an image, by their indices. */
  private final Map<Integer, Integer> reserved;

  private int[] numbers = new int[1];
  private int functions;
  private GlobalRef[] strings = NO_STRINGS;

  /** The strings by text, during the linking. */
  private Map<String, GlobalRef> known = new HashMap<>();

  private long charged;
  private int linked;

  /**
   * Makes a unit that has no functions yet, for an image that says which code numbers they have.
   */
  Unit(Map<Integer, Integer> reserved) {
    this.reserved = reserved;
  }

  /**
   * Makes the unit of a chunk, and its native element. Returns the code number of the main
   * function. If memory runs out, or a limit is reached, nothing stays behind.
   *
   * @param d the slot of the native element
   */
  static int link(Owner owner, Prototype main, int d) {
    Unit unit = new Unit(Map.of());
    try {
      int number = unit.add(owner, main, measure(main, owner.account, owner.work), d);
      owner.heap.mutator().newNative(d, unit, RELEASE);
      return number;
    } catch (RuntimeException | Error e) {
      unit.release();
      throw e;
    }
  }

  /**
   * Adds the functions of a chunk to a machine. Returns the code number of the main function.
   *
   * @param bytes what {@link #measure} returned
   * @param d a slot to work in
   */
  int add(Owner machine, Prototype main, long bytes, int d) {
    owner = machine;
    machine.account.charge(bytes);
    charged = bytes;
    int number = add(machine, machine.heap.mutator(), main, d);
    strings = known.values().toArray(GlobalRef[]::new);
    known = Map.of();
    return number;
  }

  /** Notes the code as an image has it, which others keep. */
  void noteDump(byte[] bytes) {
    dump = new WeakReference<>(bytes);
  }

  /** Returns the code as string.dump gives it. */
  byte[] dump() {
    byte[] saved = dump == null ? null : dump.get();
    if (saved != null) {
      return saved;
    }
    Code main =
        Objects.requireNonNull(
            Objects.requireNonNull(owner).codes.compiled[numbers[functions - 1]]);
    return Dump.write(main.prototype, false);
  }

  /** Returns whether the native element is gone. */
  boolean isReleased() {
    return released;
  }

  /** Returns the code numbers of the functions, by their indices; the main function is the last. */
  int[] numbers() {
    return Arrays.copyOf(numbers, functions);
  }

  /** Charges work for every {@link #PIECE} names and functions. */
  private void link() {
    if (++linked % PIECE == 0) {
      Objects.requireNonNull(owner).work.accept(STEPS * PIECE);
    }
  }

  /** Sums up the bytes of a chunk on the JVM's heap. */
  private static final class Measure {
    private final Set<String> names = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Account.Loan counting;
    private final LongConsumer work;
    private int counted;

    Measure(Account.Loan counting, LongConsumer work) {
      this.counting = counting;
      this.work = work;
    }

    /** Passes work on for every {@link #PIECE} names and functions. */
    private void count() {
      if (++counted % PIECE == 0) {
        work.accept(STEPS * PIECE);
      }
    }

    long function(Prototype p) {
      count();
      long bytes = FUNCTION_BYTES + (long) WORD_BYTES * p.code.length;
      bytes += Account.array(p.numbers.length, WORD_BYTES);
      bytes += array(p.variables.length, VARIABLE_BYTES) + array(p.closing.length, 0);
      bytes += array(p.captures.length, CAPTURE_BYTES);
      bytes += 2 * array(p.strings.length, 0) + 2 * array(p.inner.length, 0);
      bytes += once(p.name);
      for (Variable v : p.variables) {
        bytes += once(v.name());
      }
      for (Capture c : p.captures) {
        bytes += once(c.name());
      }
      for (String s : p.strings) {
        bytes += STRING_BYTES + once(s);
      }
      for (Prototype inner : p.inner) {
        bytes += function(inner);
      }
      return bytes;
    }

    /**
     * Returns the bytes of a name at its first use, or else 0: functions of a chunk share names.
     */
    private long once(String s) {
      count();
      if (s.isEmpty() || !names.add(s)) {
        return 0;
      }
      counting.add(Account.ENTRY);
      return text(s);
    }
  }

  /**
   * Returns the bytes of a chunk on the JVM's heap.
   *
   * @param account pays for what counting takes meanwhile
   * @param work gets the steps of the work
   */
  static long measure(Prototype main, Account account, LongConsumer work) {
    try (Account.Loan counting = account.borrow()) {
      long bytes = new Measure(counting, work).function(main);
      return UNIT_BYTES + text(main.source) + text(main.chunk) + bytes;
    }
  }

  private static long text(String s) {
    return (long) NAME_BYTES + s.length();
  }

  private static long array(int length, int bytes) {
    return length == 0 ? 0 : Account.array(length, REFERENCE + bytes);
  }

  private int add(Owner machine, Mutator t, Prototype p, int d) {
    link();
    GlobalRef[] refs = p.strings.length == 0 ? NO_STRINGS : new GlobalRef[p.strings.length];
    for (int i = 0; i < refs.length; i++) {
      refs[i] = string(machine.heap, t, p.strings[i], d);
    }
    int[] inner = p.inner.length == 0 ? NO_FUNCTIONS : new int[p.inner.length];
    for (int i = 0; i < inner.length; i++) {
      inner[i] = add(machine, t, p.inner[i], d);
    }
    if (functions == numbers.length) {
      numbers = Arrays.copyOf(numbers, functions + (functions >> 1) + 1);
    }
    Integer known = reserved.isEmpty() ? null : reserved.get(functions);
    int number = known == null ? machine.codes.reserve() : known;
    numbers[functions++] = number;
    machine.codes.set(number, new Code(p, this, refs, inner, machine.codes.heat));
    return number;
  }

  private GlobalRef string(Heap heap, Mutator t, String text, int d) {
    link();
    GlobalRef before = known.get(text);
    if (before != null) {
      return before;
    }
    MachineTexts.set(t, d, text);
    t.intern(d, d); // as names of fields have to be, however long
    GlobalRef made = heap.newGlobal();
    known.put(text, made);
    t.setGlobal(made, d);
    return made;
  }

  private void release() {
    released = true;
    Owner machine = owner;
    owner = null;
    if (machine == null) {
      return;
    }
    for (int i = 0; i < functions; i++) {
      machine.codes.release(numbers[i]);
    }
    functions = 0;
    known.values().forEach(GlobalRef::close);
    known = Map.of();
    for (GlobalRef s : strings) {
      s.close();
    }
    strings = NO_STRINGS;
    machine.account.release(charged);
    charged = 0;
  }
}
