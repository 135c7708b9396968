package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.lua.CompiledFunctions;
import dev.gleaner.lua.HostRoutine;
import dev.gleaner.lua.compiler.Prototype;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Maps code numbers to compiled Lua code, or to routines of the host; see {@link Builtins}. */
final class Codes {
  /** The free compilations of a guest. Each takes some 10 KiB of the JVM's memory for classes. */
  private static final int FREE_BODIES = 500;

  /** The instructions for one more. They take much longer than the compilation. */
  private static final int STEPS_A_BODY = 1_000_000;

  /** The heat of a function that must wait for a body. */
  private static final int COLD = 1_000_000;

  /**
   * The instructions that a first body does until the function earns a second one, for each word of
   * its code and each call that led to the first one. The JVM's compiler takes several times as
   * long for the second body, and the longer the more words there are.
   */
  private static final long WORK_A_WORD = 20;

  /** The wrong guesses after which a function computes in slots. */
  private static final int MOST_MISGUESSES = 1000;

  /** The initial size: the libraries have some 160 functions. */
  static final int ROOM = 256;

  @Nullable Code[] compiled = new Code[ROOM];
  @Nullable HostRoutine[] hosts = new HostRoutine[ROOM];

  /**
   * The keys of functions in Java: the name at registration, with the library. A key that begins
   * with "?" is of a function that messages do not name.
   */
  private @Nullable String[] keys = new String[ROOM];

  /** The numbers that library functions of an image have, by their keys. */
  private Map<String, Integer> reserved = Map.of();

  /** The values that library functions hold, which are C's upvalues. */
  private byte[] held = new byte[ROOM];

  private final List<Integer> spare = new ArrayList<>();
  private int used;

  /** The heat of a new function. */
  final int heat;

  private final Bodies bodies;
  private final Bodies.Share share = new Bodies.Share();
  private long asked;

  /** Makes a table whose functions are compiled after a number of calls and turns; 0 for never. */
  Codes(int compileAfter, Bodies bodies) {
    this.heat = compileAfter == 0 ? Integer.MAX_VALUE : compileAfter - 1;
    this.bodies = bodies;
  }

  CompiledFunctions bodies() {
    return bodies.figures(share);
  }

  /**
   * Gives a hot function a body. A function without a body is cold, for a while or for ever.
   *
   * @param steps the steps of the guest so far
   * @param compiler makes a body; null for a function that is too large
   */
  void giveBody(Code function, long steps, Function<Code, @Nullable Body> compiler) {
    function.heat = heat;
    if (heat == Integer.MAX_VALUE) {
      return;
    }
    if (asked >= FREE_BODIES + steps / STEPS_A_BODY) {
      function.heat = Math.max(heat, COLD);
      return;
    }
    asked++;
    long work = (heat + 1L) * function.code.length * WORK_A_WORD;
    function.work = (int) Math.min(work, Integer.MAX_VALUE);
    function.hadBody = bodies.give(function, share, compiler);
    function.heat = function.hadBody ? -1 : Integer.MAX_VALUE;
  }

  /**
   * Counts an exit of a body that computes in Java locals, for a value that is no number of 32
   * bits. After many, the function gets a body that computes in slots.
   */
  void misguessed(Code function) {
    Body body = function.body;
    if (body != null && body.holdsNumbers && ++function.misguesses == MOST_MISGUESSES) {
      loseBody(function);
      function.computesInSlots = true;
    }
  }

  /** Lets the next body of a function inline steps. */
  void earnsInlining(Code function) {
    loseBody(function);
    function.inlines = true;
  }

  private void loseBody(Code function) {
    bodies.leave(function, share);
    function.hadBody = false;
    function.heat = 0;
  }

  private int take() {
    if (!spare.isEmpty()) {
      return spare.removeLast();
    }
    if (used == compiled.length) {
      compiled = Arrays.copyOf(compiled, used * 2);
      hosts = Arrays.copyOf(hosts, used * 2);
      keys = Arrays.copyOf(keys, used * 2);
      held = Arrays.copyOf(held, used * 2);
    }
    return used++;
  }

  /** Takes the number that a function of the image has, or a new one. */
  private int take(String key) {
    Integer known = reserved.isEmpty() ? null : reserved.remove(key);
    return known == null ? take() : known;
  }

  /**
   * Takes the number of a function in Java.
   *
   * @param values the number of values that the function holds
   */
  int add(String key, int values) {
    int n = take(key);
    held[n] = (byte) Math.min(values, Byte.MAX_VALUE);
    keys[n] = key;
    return n;
  }

  int reserve() {
    return take();
  }

  /** Reserves the number of a library function that an image has. */
  int reserve(String key) {
    if (reserved.isEmpty()) {
      reserved = new HashMap<>();
    }
    return reserved.computeIfAbsent(key, _ -> take());
  }

  /** Returns the keys of functions that an image has, and that no library has added. */
  Set<String> lacking() {
    return reserved.keySet();
  }

  /** Names a function of the host. */
  void setName(int n, String name) {
    keys[n] = name;
  }

  /** Sets a routine of the host. */
  void setRoutine(int n, String name, HostRoutine routine) {
    hosts[n] = routine;
    keys[n] = name;
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
    hosts[n] = null;
    keys[n] = null;
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
      return n < used && keys[n] != null ? name(n) : null;
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
    String key = keys[n];
    return key == null || key.startsWith("?") ? "?" : key;
  }

  /** Returns the key of a function in Java; null for other numbers. */
  @Nullable String key(int n) {
    return n < used ? keys[n] : null;
  }
}
