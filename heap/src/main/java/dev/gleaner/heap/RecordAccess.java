package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** Records, and the inline slots of objects. */
final class RecordAccess {

  /**
   * The handles of the commonest operations. They are not in the class of the methods: while a
   * class is being initialized, its handles are of another form, and each form is a class of the
   * JVM.
   */
  static final class Late {
    private static final MethodHandle STORE =
        handle("doStore", void.class, WordAccess.class, int.class, int.class, int.class);
    private static final MethodHandle LOAD =
        handle("doLoad", void.class, WordAccess.class, int.class, int.class, int.class);
    private static final MethodHandle STORE_PLAIN =
        handle("doStorePlain", void.class, WordAccess.class, int.class, int.class, long.class);
    private static final MethodHandle LOAD_INT =
        handle("doLoadInt", int.class, WordAccess.class, int.class, int.class);
    private static final MethodHandle GET =
        handle("doGet", long.class, WordAccess.class, int.class, int.class);
    private static final MethodHandle SET =
        handle("doSet", void.class, WordAccess.class, int.class, int.class, long.class);

    private Late() {}

    private static MethodHandle handle(String name, Class<?> result, Class<?>... parameters) {
      return Inlining.staticHandle(
          MethodHandles.lookup(), RecordAccess.class, name, result, parameters);
    }
  }

  private RecordAccess() {}

  // ---- store ----

  static void store(WordAccess r, int rec, int i, int s) {
    MethodHandle late = Late.STORE;
    while (true) {
      try {
        late.invokeExact(r, rec, i, s);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doStore(WordAccess r, int rec, int i, int s) {
    r.checkStep();
    long holder = r.value(rec);
    long header = r.header(holder);
    r.store(holder, header, place(r, holder, header, rec, i), r.value(s));
  }

  static void storePlain(WordAccess r, int rec, int i, long value) {
    MethodHandle late = Late.STORE_PLAIN;
    while (true) {
      try {
        late.invokeExact(r, rec, i, value);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doStorePlain(WordAccess r, int rec, int i, long value) {
    r.checkStep();
    r.storePlain(place(r, rec, i), value);
  }

  static void set(WordAccess r, int rec, int i, long value) {
    MethodHandle late = Late.SET;
    while (true) {
      try {
        late.invokeExact(r, rec, i, value);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doSet(WordAccess r, int rec, int i, long value) {
    r.checkStep();
    ValueAccess.checkPlain(value);
    r.storePlain(place(r, rec, i), value);
  }

  // ---- load ----

  static void load(WordAccess r, int d, int rec, int i) {
    MethodHandle late = Late.LOAD;
    while (true) {
      try {
        late.invokeExact(r, d, rec, i);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doLoad(WordAccess r, int d, int rec, int i) {
    r.checkStep();
    long v = r.mem.get(place(r, rec, i));
    r.writeSlot(r.slot(d), v);
  }

  static long get(WordAccess r, int rec, int i) {
    MethodHandle late = Late.GET;
    while (true) {
      try {
        return (long) late.invokeExact(r, rec, i);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static long doGet(WordAccess r, int rec, int i) {
    r.checkThread();
    return r.mem.get(place(r, rec, i));
  }

  static int loadInt(WordAccess r, int rec, int i) {
    MethodHandle late = Late.LOAD_INT;
    while (true) {
      try {
        return (int) late.invokeExact(r, rec, i);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static int doLoadInt(WordAccess r, int rec, int i) {
    r.checkThread();
    long v = r.mem.get(place(r, rec, i));
    if (!Values.isInt(v)) {
      throw r.notInt(i, v);
    }
    return (int) v;
  }

  // ---- ranges ----

  static void loadRange(WordAccess r, int d, int rec, int i, int count) {
    try {
      r.check();
      long to = r.slots(d, count);
      r.copyOver(places(r, rec, i, count), to, count);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  static void storeRange(WordAccess r, int rec, int i, int s, int count) {
    try {
      r.check();
      long _ = r.slots(s, count);
      r.storeRange(rec, places(r, rec, i, count), s, count);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  // ---- places ----

  /** Returns the place of slot {@code i} of the element in slot {@code rec}. */
  private static long place(WordAccess r, int rec, int i) {
    long e = r.value(rec);
    return place(r, e, r.header(e), rec, i);
  }

  private static long place(WordAccess r, long e, long header, int rec, int i) {
    int h = (int) header;
    if ((h & Layout.KIND_MASK) == Layout.RECORD
        && Integer.compareUnsigned(i, h >>> Layout.SIZE_SHIFT) < 0) {
      return e + 8 + ((long) i << 3);
    }
    return placeSlowly(r, rec, i);
  }

  private static long placeSlowly(WordAccess r, int rec, int i) {
    long e = r.reference(rec);
    int first = firstSlot(r, e, rec);
    long n = Layout.payloadWords(r.mem, e, r.mem.get(e)) - first;
    if (i < 0 || i >= n) {
      String name = first == 0 ? "a record" : "an object";
      throw new HeapUsageException("no slot " + i + " in " + name + " of " + n);
    }
    return e + 8 + ((long) (first + i) << 3);
  }

  /** Returns the place of the first slot of a range of a record or object. */
  private static long places(WordAccess r, int rec, int i, int count) {
    long e = r.reference(rec);
    int first = firstSlot(r, e, rec);
    long n = Layout.payloadWords(r.mem, e, r.mem.get(e)) - first;
    if ((i | count) < 0 || i > n - count) {
      throw Registers.noSlots(i, count, first == 0 ? "a record" : "an object", n);
    }
    return e + 8 + ((long) (first + i) << 3);
  }

  private static int firstSlot(WordAccess r, long e, int rec) {
    int kind = Layout.kind(r.mem.get(e));
    if (kind == Layout.RECORD) {
      return 0;
    }
    if (kind == Layout.OBJECT) {
      return Layout.OBJECT_SLOTS;
    }
    throw r.wrongKind(rec, "record or object");
  }

  static int slotCount(WordAccess r, int rec) {
    r.checkThread();
    long e = r.reference(rec);
    int first = firstSlot(r, e, rec);
    return (int) Layout.payloadWords(r.mem, e, r.mem.get(e)) - first;
  }
}
