package dev.gleaner.heap;

import dev.gleaner.layout.Layout;
import dev.gleaner.layout.Values;
import dev.gleaner.memory.Memory;
import dev.gleaner.refusal.HeapUsageException;
import dev.gleaner.space.CriticalSection;
import dev.gleaner.table.NativeTable;
import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Compiled functions, and natives: elements that hold a Java object. */
final class FunctionAccess {

  /**
   * The handles of the commonest operations. They are not in the class of the methods: while a
   * class is being initialized, its handles are of another form, and each form is a class of the
   * JVM.
   */
  static final class Late {
    private static final MethodHandle CODE =
        handle("doCode", int.class, WordAccess.class, int.class);
    private static final MethodHandle LOAD_CONSTANT =
        handle("doLoadConstant", void.class, WordAccess.class, int.class, int.class, int.class);

    private Late() {}

    private static MethodHandle handle(String name, Class<?> result, Class<?>... parameters) {
      return Inlining.staticHandle(
          MethodHandles.lookup(), FunctionAccess.class, name, result, parameters);
    }
  }

  private final WordAccess r;
  private final Driver driver;
  private final Memory mem;
  private final CriticalSection section;
  private final NativeTable natives;
  private final CallbackThread callbacks;

  FunctionAccess(HeapCore core, CallbackThread callbacks) {
    this.r = core.registers();
    this.driver = core.driver();
    this.mem = core.context().memory();
    this.section = core.context().section();
    this.natives = core.context().natives();
    this.callbacks = callbacks;
  }

  // ---- natives ----

  void newNative(int d, Object value, @Nullable FreeCallback onFree) {
    r.check();
    try {
      Objects.requireNonNull(value, "value");
      long _ = r.slot(d);
      if (onFree != null) {
        callbacks.make();
      }
      long e = driver.allocateElement(Layout.NATIVE, 1);
      section.enter();
      mem.put(
          e + Layout.NATIVE_INDEX, natives.add(value, onFree, driver.runner.settingOperation()));
      section.leave();
      r.setSlot(d, e);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  Object nativeValue(int s) {
    r.check();
    return natives.get((int) mem.get(r.element(s, Layout.NATIVE, "native") + Layout.NATIVE_INDEX));
  }

  // ---- functions ----

  void newFunction(int d, int constants, int inners) {
    r.check();
    try {
      long _ = r.slot(d);
      if (constants < 0 || inners < 0) {
        throw new HeapUsageException("negative size: " + Math.min(constants, inners));
      }
      long payload = (long) constants + inners + 1;
      boolean exist = constants <= Layout.FUNCTION_MASK;
      long e = driver.allocateElement(Layout.FUNCTION, exist ? payload : Long.MAX_VALUE >> 4);
      mem.put(e + Layout.FUNCTION_COUNTS, Values.ofRaw(constants));
      r.setSlot(d, e);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private long function(int f) {
    return r.element(f, Layout.FUNCTION, "function");
  }

  private long constants(long e) {
    return mem.get(e + Layout.FUNCTION_COUNTS) & Layout.FUNCTION_MASK;
  }

  /** Whether a number can be that of a code. */
  static boolean isCode(int code) {
    return code >= 0 && code < Layout.FUNCTION_MASK;
  }

  void setCode(int f, int code) {
    r.check();
    long e = function(f);
    if (!isCode(code)) {
      throw new HeapUsageException(
          "no number of a code: " + code + "; there are 0 to " + (Layout.FUNCTION_MASK - 1));
    }
    mem.put(
        e + Layout.FUNCTION_COUNTS,
        Values.ofRaw((code + 1L) << Layout.FUNCTION_BITS | constants(e)));
  }

  static int code(WordAccess r, int s) {
    MethodHandle late = Late.CODE;
    while (true) {
      try {
        return (int) late.invokeExact(r, s);
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static int doCode(WordAccess r, int s) {
    r.checkThread();
    return r.codeOf(r.value(s));
  }

  void storeConstant(int f, int i, int s) {
    r.check();
    try {
      r.store(r.reference(f), constant(r, f, i), r.value(s));
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  static void loadConstant(WordAccess r, int d, int f, int i) {
    MethodHandle late = Late.LOAD_CONSTANT;
    while (true) {
      try {
        late.invokeExact(r, d, f, i);
        return;
      } catch (Throwable e) {
        if (e instanceof Error) {
          r.owner = null; // in doubt
        }
        late = Inlining.thrown(e);
      }
    }
  }

  static void doLoadConstant(WordAccess r, int d, int f, int i) {
    r.checkStep();
    long v = r.mem.get(constant(r, f, i));
    r.writeSlot(r.slot(d), v);
  }

  /** Returns the place of a constant of the function in a slot. */
  private static long constant(WordAccess r, int f, int i) {
    long e = r.element(f, Layout.FUNCTION, "function");
    long n = r.mem.get(e + Layout.FUNCTION_COUNTS) & Layout.FUNCTION_MASK;
    if (i < 0 || i >= n) {
      throw new HeapUsageException("no constant " + i + " in a function of " + n);
    }
    return e + 16 + ((long) i << 3);
  }

  void storeInner(int f, int i, int s) {
    r.check();
    try {
      long v = r.value(s);
      boolean nothing = v == Values.UNDEFINED || v == Values.NULL;
      if (!nothing && !(Values.isReference(v) && Layout.kind(mem.get(v)) == Layout.FUNCTION)) {
        throw r.wrongKind(s, "function");
      }
      r.store(r.reference(f), inner(f, i), v);
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  void loadInner(int d, int f, int i) {
    r.checkStep();
    try {
      r.setSlot(d, mem.get(inner(f, i)));
    } catch (Error e) {
      r.owner = null; // in doubt
      throw e;
    }
  }

  private long inner(int f, int i) {
    long e = function(f);
    long constants = constants(e);
    long n = Layout.payloadWords(mem, e, mem.get(e)) - 1 - constants;
    if (i < 0 || i >= n) {
      throw new HeapUsageException("no inner function " + i + " in a function of " + n);
    }
    return e + 16 + ((constants + i) << 3);
  }
}
