package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.compiler.Prototype;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The functions of a chunk. A native element holds it, and every closure of the chunk holds that;
 * what it takes of the JVM's heap is charged to the guest until the last closure is gone.
 */
final class Unit {
  private static final int FUNCTION_BYTES = 256;
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
    long bytes = size(p);
    heap.reserveExternal(bytes);
    charged = bytes;
  }

  private static long size(Prototype p) {
    long bytes =
        FUNCTION_BYTES
            + (long) WORD_BYTES * (p.code.length + p.numbers.length)
            + (long) WORD_BYTES * WORD_BYTES * (p.variables.length + p.captures.length);
    for (String s : p.strings) {
      bytes += STRING_BYTES + 2L * s.length();
    }
    for (Prototype inner : p.inner) {
      bytes += size(inner);
    }
    return bytes;
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
