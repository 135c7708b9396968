package dev.gleaner.heap;

import dev.gleaner.layout.RootVisitor;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.util.Numbers;
import java.util.Arrays;

/** The global root slots of a heap. */
final class Globals {
  private final ReferenceOwner owner;
  private final WordAccess words;
  private final CriticalSection section;
  private final Numbers numbers = new Numbers(0);
  private long[] globals = new long[4];

  Globals(ReferenceOwner owner, WordAccess words, CriticalSection section) {
    this.owner = owner;
    this.words = words;
    this.section = section;
  }

  GlobalRef make() {
    GlobalRef ref = new GlobalRef(owner, -1);
    if (numbers.bound() == globals.length) {
      globals = Arrays.copyOf(globals, globals.length * 2);
    }
    ref.number = numbers.take();
    return ref;
  }

  long get(GlobalRef ref) {
    return globals[number(ref)];
  }

  void set(GlobalRef ref, long value) {
    int g = number(ref);
    change(g, words.escaping(value));
    words.settle();
  }

  private void change(int g, long value) {
    words.replaced(globals[g], value);
    globals[g] = value;
  }

  private int number(GlobalRef ref) {
    if (ref.number < 0 || !ref.belongsTo(owner)) {
      throw new HeapUsageException(
          ref.number < 0 ? "closed global reference" : "global reference of another heap");
    }
    return ref.number;
  }

  void close(GlobalRef ref) {
    int g = number(ref);
    section.enter();
    change(g, Values.UNDEFINED);
    numbers.release(g);
    ref.number = -1;
    section.leave();
    words.settle();
  }

  /** Returns the values of all slots, also of unused ones. */
  long[] all() {
    return globals;
  }

  void forEachRoot(RootVisitor visitor) {
    for (int g = numbers.next(0); g < numbers.bound(); g = numbers.next(g + 1)) {
      globals[g] = visitor.visit(globals[g]);
    }
  }

  /** Returns the number of roots. */
  int size() {
    int n = 0;
    for (int g = numbers.next(0); g < numbers.bound(); g = numbers.next(g + 1)) {
      n++;
    }
    return n;
  }

  /** Returns the name of the n-th root. */
  String name(int n) {
    int g = numbers.next(0);
    for (int i = 0; i < n; i++) {
      g = numbers.next(g + 1);
    }
    return "global reference " + g;
  }
}
