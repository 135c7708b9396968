package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.CompiledFunctions;
import dev.gleaner.lua.HostRoutine;
import dev.gleaner.lua.compiler.Prototype;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Maps code numbers to compiled Lua code, or to Java code. */
final class Codes {
  /** The free compilations of a guest. Each takes some 10 KiB of the JVM's memory for classes. */
  private static final int FREE_BODIES = 500;

  /** The instructions for one more. They take much longer than the compilation. */
  private static final int STEPS_A_BODY = 1_000_000;

  /** The heat of a function that must wait for a body. */
  private static final int COLD = 1_000_000;

  /** The initial size: the libraries have some 160 functions. */
  static final int ROOM = 256;

  @Nullable Code[] compiled = new Code[ROOM];
  @Nullable Builtin[] builtins = new Builtin[ROOM];
  @Nullable HostRoutine[] hosts = new HostRoutine[ROOM];
  private @Nullable String[] names = new String[ROOM];

  /** The values that library functions hold, which are C's upvalues. */
  private byte[] held = new byte[ROOM];

  private final List<Integer> spare = new ArrayList<>();
  private int used;

  /** The heat of a new function. */
  final int heat;

  private final Bodies bodies;
  private final Limits limits;
  private final Bodies.Share share = new Bodies.Share();
  private long asked;

  /** Makes a table whose functions are compiled after a number of calls and turns; 0 for never. */
  Codes(int compileAfter, Bodies bodies, Limits limits) {
    this.heat = compileAfter == 0 ? Integer.MAX_VALUE : compileAfter - 1;
    this.bodies = bodies;
    this.limits = limits;
  }

  CompiledFunctions bodies() {
    return bodies.figures(share);
  }

  /** Gives a hot function a body. A function without a body is cold, for a while or for ever. */
  void giveBody(Code function) {
    function.heat = heat;
    if (heat == Integer.MAX_VALUE) {
      return;
    }
    if (asked >= FREE_BODIES + limits.steps() / STEPS_A_BODY) {
      function.heat = Math.max(heat, COLD);
      return;
    }
    asked++;
    function.hadBody = bodies.give(function, share);
    function.heat = function.hadBody ? -1 : Integer.MAX_VALUE;
  }

  private int take() {
    if (!spare.isEmpty()) {
      return spare.removeLast();
    }
    if (used == compiled.length) {
      compiled = Arrays.copyOf(compiled, used * 2);
      builtins = Arrays.copyOf(builtins, used * 2);
      hosts = Arrays.copyOf(hosts, used * 2);
      names = Arrays.copyOf(names, used * 2);
      held = Arrays.copyOf(held, used * 2);
    }
    return used++;
  }

  int add(Builtin builtin, String name, int values) {
    int n = take();
    builtins[n] = builtin;
    held[n] = (byte) Math.min(values, Byte.MAX_VALUE);
    names[n] = name;
    return n;
  }

  /** Adds a routine of the host. */
  int addHost(HostRoutine routine, String name) {
    int n = take();
    hosts[n] = routine;
    names[n] = name;
    return n;
  }

  /** Adds a function of the machine itself. */
  int addOwn(String name) {
    int n = take();
    names[n] = name;
    return n;
  }

  int reserve() {
    return take();
  }

  void set(int n, Code code) {
    compiled[n] = code;
  }

  void release(int n) {
    Code code = compiled[n];
    if (code != null && code.hadBody) {
      bodies.leave(code, share);
    }
    compiled[n] = null;
    builtins[n] = null;
    hosts[n] = null;
    names[n] = null;
    held[n] = 0;
    spare.add(n);
  }

  /** Returns the compiled code of the function in a slot, or null. */
  @Nullable Code of(Mutator t, int s) {
    int n = t.functionCode(s);
    return n < 0 ? null : compiled[n];
  }

  /** Returns the name for tools, as "fib fib.lua:12" or "string.rep"; null if unknown. */
  @Nullable String title(int n) {
    Code code = n < used ? compiled[n] : null;
    if (code == null) {
      return n < used ? names[n] : null;
    }
    Prototype p = code.prototype;
    String file = p.chunk.substring(p.chunk.lastIndexOf('/') + 1);
    return p.line == 0
        ? "main chunk " + file
        : (p.name.isEmpty() ? "" : p.name + " ") + file + ":" + p.line;
  }

  /** Returns the number of values that a library function holds. */
  int held(int n) {
    return held[n];
  }

  /** Returns the name at registration, with the library. */
  String name(int n) {
    String name = names[n];
    return name == null ? "?" : name;
  }
}
