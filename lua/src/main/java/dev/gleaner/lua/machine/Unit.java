package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.compiler.Prototype;
import dev.gleaner.lua.compiler.Prototype.Capture;
import dev.gleaner.lua.compiler.Prototype.Variable;
import dev.gleaner.lua.memory.Account;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The functions of a chunk. A native element holds it, and every closure of the chunk holds that;
 * what it takes of the JVM's heap is charged to the guest until the last closure is gone.
 */
final class Unit {
  private static final int FUNCTION_BYTES = 512;

  /** Of a variable or upvalue with a name of usual length, and where a longer one begins. */
  private static final int VARIABLE_BYTES = 136;

  private static final int USUAL_NAME = 40;
  private static final int STRING_BYTES = 96;
  private static final int WORD_BYTES = 8;

  private final Heap heap;
  private final Codes codes;
  private final List<Integer> numbers = new ArrayList<>();
  private final Map<String, GlobalRef> strings = new HashMap<>();
  private long charged;

  private Unit(Heap heap, Codes codes) {
    this.heap = heap;
    this.codes = codes;
  }

  /**
   * Makes the unit of a chunk, and its native element; answers the number of its main function's
   * code. When memory runs out nothing is left.
   *
   * @param d the slot of the native element
   */
  static int link(Heap heap, Codes codes, Prototype main, int d) {
    Unit unit = new Unit(heap, codes);
    try {
      unit.charge(main);
      int number = unit.add(heap.mutator(), main, d);
      heap.mutator().newNative(d, unit, (value, closing) -> unit.release());
      return number;
    } catch (RuntimeException | Error e) {
      unit.release();
      throw e;
    }
  }

  private void charge(Prototype p) {
    long bytes = Account.text(0) + p.source.length() + Account.text(p.chunk.length()) + size(p);
    heap.reserveExternal(bytes);
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
    int number = codes.reserve();
    numbers.add(number);
    codes.set(number, new Code(p, this, refs, inner, codes.heat));
    return number;
  }

  private GlobalRef string(Mutator t, String text, int d) {
    GlobalRef known = strings.get(text);
    if (known != null) {
      return known;
    }
    MachineTexts.set(t, d, text);
    GlobalRef made = heap.newGlobal();
    strings.put(text, made);
    t.setGlobal(made, d);
    return made;
  }

  private void release() {
    numbers.forEach(codes::release);
    numbers.clear();
    strings.values().forEach(GlobalRef::close);
    strings.clear();
    if (charged > 0) {
      heap.releaseExternal(charged);
      charged = 0;
    }
  }
}
