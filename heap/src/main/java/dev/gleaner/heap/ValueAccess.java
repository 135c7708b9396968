package dev.gleaner.heap;

import dev.gleaner.layout.Kind;
import dev.gleaner.layout.Layout;
import dev.gleaner.layout.ValueType;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Objects;

/** Values in slots and in global references. {@link IntegerAccess} has integers of 64 bits. */
final class ValueAccess {

  /**
   * The handles of the commonest operations. They are not in the class of the methods: while a
   * class is being initialized, its handles are of another form, and each form is a class of the
   * JVM.
   */
  static final class Late {
    private static final MethodHandle COPY =
        handle("doCopy", void.class, WordAccess.class, int.class, int.class);
    private static final MethodHandle MOVE =
        handle("doMove", void.class, WordAccess.class, int.class, int.class, int.class);
    private static final MethodHandle GET =
        handle("doGet", long.class, WordAccess.class, int.class);
    private static final MethodHandle SET =
        handle("doSet", void.class, WordAccess.class, int.class, long.class);
    private static final MethodHandle SET_GLOBAL =
        handle("doSetGlobal", void.class, WordAccess.class, GlobalRef.class, int.class);
    private static final MethodHandle GET_GLOBAL =
        handle("doGetGlobal", void.class, WordAccess.class, int.class, GlobalRef.class);

    private Late() {}

    private static MethodHandle handle(String name, Class<?> result, Class<?>... parameters) {
      return Inlining.staticHandle(
          MethodHandles.lookup(), ValueAccess.class, name, result, parameters);
    }
  }

  private ValueAccess() {}

  // ---- tagged values ----

  static long get(WordAccess r, int s) {
    MethodHandle late = Late.GET;
    while (true) {
      try {
        return (long) late.invokeExact(r, s);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static long doGet(WordAccess r, int s) {
    r.checkThread();
    return r.value(s);
  }

  static void set(WordAccess r, int d, long value) {
    MethodHandle late = Late.SET;
    while (true) {
      try {
        late.invokeExact(r, d, value);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doSet(WordAccess r, int d, long value) {
    r.checkStep();
    long at = r.slot(d);
    checkPlain(value);
    r.writeSlot(at, value);
  }

  static void checkPlain(long value) {
    if (!Values.isPlain(value)) {
      throw notPlain(value);
    }
  }

  private static HeapUsageException notPlain(long value) {
    String what = Values.isReference(value) ? "a reference" : "no value";
    return new HeapUsageException(
        what + ": 0x" + Long.toHexString(value) + "; a value that is no reference is wanted");
  }

  // ---- copies ----

  static void copy(WordAccess r, int d, int s) {
    MethodHandle late = Late.COPY;
    while (true) {
      try {
        late.invokeExact(r, d, s);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doCopy(WordAccess r, int d, int s) {
    r.checkStep();
    long v = r.value(s);
    r.writeSlot(r.slot(d), v);
  }

  static void move(WordAccess r, int d, int s, int count) {
    MethodHandle late = Late.MOVE;
    while (true) {
      try {
        late.invokeExact(r, d, s, count);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doMove(WordAccess r, int d, int s, int count) {
    r.check();
    long from = r.slots(s, count);
    r.copyOver(from, r.slots(d, count), count);
  }

  // ---- values that are no references ----

  /** Stores a value that is no reference. */
  static void put(WordAccess r, int d, long value) {
    r.checkStep();
    try {
      r.put(r.slot(d), value);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  static ValueType type(WordAccess r, int s) {
    r.checkThread();
    return r.typeOf(r.value(s));
  }

  static boolean is(WordAccess r, int s, long value) {
    r.checkThread();
    return r.value(s) == value;
  }

  static boolean isReference(WordAccess r, int s) {
    r.checkThread();
    long v = r.value(s);
    return Values.isReference(v) && !r.isBox(v);
  }

  static boolean isOf(WordAccess r, int s, int kind) {
    r.checkThread();
    long v = r.value(s);
    return Values.isReference(v) && Layout.kind(r.mem.get(v)) == kind;
  }

  static boolean getBoolean(WordAccess r, int s) {
    r.checkThread();
    long v = r.value(s);
    if (!Values.isBoolean(v)) {
      throw r.wrongKind(s, "boolean");
    }
    return v == Values.TRUE;
  }

  static int getInt(WordAccess r, int s) {
    r.checkThread();
    long v = r.value(s);
    if (!Values.isInt(v)) {
      throw r.notInt(s, v);
    }
    return (int) v;
  }

  static double getDouble(WordAccess r, int s) {
    r.checkThread();
    long v = r.value(s);
    if (!Values.isDouble(v)) {
      throw r.wrongKind(s, "double");
    }
    return Values.toDouble(v);
  }

  static boolean same(WordAccess r, int a, int b) {
    r.checkThread();
    long va = r.value(a);
    long vb = r.value(b);
    if (Values.isDouble(va) && Values.isDouble(vb)) {
      return Values.toDouble(va) == Values.toDouble(vb);
    }
    return va == vb
        || (Values.isReference(va)
            && Values.isReference(vb)
            && r.isBox(va)
            && r.isBox(vb)
            && r.mem.get(va + Layout.LONG_VALUE) == r.mem.get(vb + Layout.LONG_VALUE));
  }

  // ---- kinds and sorts of elements ----

  static Kind kind(WordAccess r, int s) {
    r.checkThread();
    return Layout.kindOf(Layout.kind(r.mem.get(r.reference(s))));
  }

  static void setSort(WordAccess r, int s, int sort) {
    r.check();
    long e = r.reference(s);
    if (sort < 0 || sort > r.core.context().sorts().size()) {
      throw new HeapUsageException(
          "no sort: %d; there are %d, and 0".formatted(sort, r.core.context().sorts().size()));
    }
    r.mem.put(e, (r.mem.get(e) & ~(long) Layout.SORT_MASK) | (long) sort << Layout.SORT_SHIFT);
  }

  static int sort(WordAccess r, int s) {
    r.checkThread();
    return Layout.sort(r.mem.get(r.reference(s)));
  }

  // ---- global references ----

  static void setGlobal(WordAccess r, GlobalRef global, int s) {
    MethodHandle late = Late.SET_GLOBAL;
    while (true) {
      try {
        late.invokeExact(r, global, s);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doSetGlobal(WordAccess r, GlobalRef global, int s) {
    r.check();
    r.core.globals().set(Objects.requireNonNull(global, "global"), r.value(s));
  }

  static void getGlobal(WordAccess r, int d, GlobalRef global) {
    MethodHandle late = Late.GET_GLOBAL;
    while (true) {
      try {
        late.invokeExact(r, d, global);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doGetGlobal(WordAccess r, int d, GlobalRef global) {
    r.checkStep();
    long v = r.core.globals().get(Objects.requireNonNull(global, "global"));
    r.writeSlot(r.slot(d), v);
  }
}
