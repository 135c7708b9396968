package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.compiler.Prototype;
import dev.gleaner.lua.compiler.Prototype.Capture;
import dev.gleaner.lua.compiler.Prototype.Variable;
import dev.gleaner.lua.memory.Account;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The functions of a chunk. A native element holds it, and every closure of the chunk holds that;
 * what it takes of the JVM's heap is charged to the guest until the last closure is gone.
 */
final class Unit {
  private static final int FUNCTION_BYTES = 480;

  /** Of a chunk, with its native element's entry. */
  private static final int UNIT_BYTES = 192;

  /** Of a variable or upvalue with a name of usual length, and where a longer one begins. */
  private static final int VARIABLE_BYTES = 136;

  private static final int USUAL_NAME = 40;
  private static final int STRING_BYTES = 96;
  private static final int WORD_BYTES = 8;

  private final Heap heap;
  private final Account account;
  private final Codes codes;
  private int[] numbers = new int[1];
  private int functions;
  private GlobalRef[] strings = new GlobalRef[0];

  /** While the chunk is linked. */
  private Map<String, GlobalRef> known = new HashMap<>();

  private long charged;

  private Unit(Heap heap, Account account, Codes codes) {
    this.heap = heap;
    this.account = account;
    this.codes = codes;
  }

  /**
   * Makes the unit of a chunk, and its native element; answers the number of its main function's
   * code. When memory runs out nothing is left.
   *
   * @param d the slot of the native element
   */
  static int link(Heap heap, Account account, Codes codes, Prototype main, int d) {
    Unit unit = new Unit(heap, account, codes);
    try {
      unit.charge(main);
      int number = unit.add(heap.mutator(), main, d);
      unit.strings = unit.known.values().toArray(GlobalRef[]::new);
      unit.known = Map.of();
      heap.mutator().newNative(d, unit, (value, closing) -> unit.release());
      return number;
    } catch (RuntimeException | Error e) {
      unit.release();
      throw e;
    }
  }

  private void charge(Prototype p) {
    long bytes =
        UNIT_BYTES + Account.text(0) + p.source.length() + Account.text(p.chunk.length()) + size(p);
    account.charge(bytes);
    charged = bytes;
  }

  private static long size(Prototype p) {
    long bytes =
        FUNCTION_BYTES + p.name.length() + (long) WORD_BYTES * (p.code.length + p.numbers.length);
    for (Variable v : p.variables) {
      bytes += named(v.name());
    }
    for (Capture c : p.captures) {
      bytes += named(c.name());
    }
    for (String s : p.strings) {
      bytes += STRING_BYTES + 2L * s.length();
    }
    for (Prototype inner : p.inner) {
      bytes += size(inner);
    }
    return bytes;
  }

  private static long named(String name) {
    return (long) VARIABLE_BYTES + (name.length() > USUAL_NAME ? name.length() : 0);
  }

  private int add(Mutator t, Prototype p, int d) {
    GlobalRef[] refs = new GlobalRef[p.strings.length];
    for (int i = 0; i < refs.length; i++) {
      refs[i] = string(t, p.strings[i], d);
    }
    int[] inner = new int[p.inner.length];
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
    strings = new GlobalRef[0];
    account.release(charged);
    charged = 0;
  }
}
