package dev.gleaner.lua.machine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.lua.HostFunction;
import dev.gleaner.lua.HostRoutine;
import dev.gleaner.refusal.ImageException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the Java objects that an image names, as {@link ImageNames} says. It comes before the heap,
 * and the heap before the machine:
 *
 * <pre>
 *   loader              code numbers are reserved; Java objects belong to nobody yet
 *   heap                opened with the loader as its bindings
 *   machine, libraries  each function of a library takes the number reserved for its key, each root
 *                       the value of the image
 *   finish              what is lacking is told; chunks are linked, and all is charged
 * </pre>
 */
public final class MachineLoader implements ImageBindings {
  /** A chunk of the image. */
  private static final class Chunk {
    /** The code numbers of its functions, by their indices. */
    final Map<Integer, Integer> numbers = new HashMap<>();

    final Unit unit = new Unit(numbers);
    ParsedChunks.@Nullable Parsed parsed;
  }

  private final Codes codes;
  private final Sandbox sandbox;
  private final Bound bound;
  private final BiFunction<String, Sandbox, @Nullable Object> files;
  private final ParsedChunks parsed;
  private final Map<String, GlobalRef> roots = new HashMap<>();
  private final Map<Integer, Chunk> chunks = new HashMap<>();

  /** The functions of the host, by their numbers in the image. */
  private final Map<Integer, HostCode> hosts = new HashMap<>();

  /** Adds the functions of the host to the machine. */
  private final List<Consumer<Machine>> functions = new ArrayList<>();

  private final List<Owned> owned = new ArrayList<>();

  /** The objects of the host that were made of their state. */
  private final List<HostObject> typed = new ArrayList<>();

  private final Map<String, long[]> kept = new HashMap<>();
  private final Finalizers.Call ofScript = new Finalizers.Call(true);
  private final Finalizers.Call ofLibrary = new Finalizers.Call(false);
  private final Set<String> lacking = new TreeSet<>();

  /**
   * Begins to open an image.
   *
   * @param compileAfter the calls and loop turns after which a function is compiled; 0 for never
   * @param bodies the compiled functions, which machines share
   * @param sandbox the files, streams and programs that scripts may use
   * @param bound what the host has by name
   * @param files finds the files of the library, by name and sandbox; null for no such file
   * @param parsed the code of images that was read before
   */
  public MachineLoader(
      int compileAfter,
      Bodies bodies,
      Sandbox sandbox,
      Bound bound,
      BiFunction<String, Sandbox, @Nullable Object> files,
      ParsedChunks parsed) {
    this.codes = new Codes(compileAfter, bodies);
    this.sandbox = sandbox;
    this.bound = bound;
    this.files = files;
    this.parsed = parsed;
  }

  // ---- while the heap is opened ----

  @Override
  public void global(String name, GlobalRef ref) {
    roots.put(name, ref);
  }

  @Override
  public byte @Nullable [] write(Role role, Object object) {
    return null;
  }

  @Override
  public @Nullable Object read(Role role, byte[] name) {
    ByteBuffer in = ByteBuffer.wrap(name);
    try {
      int of = in.get();
      return switch (role) {
        case CODE -> code(of, in);
        case NATIVE -> value(of, in);
        case FREE_CALLBACK -> callback(of, in);
        case THREAD_OBJECT -> coroutine(in);
        case FINALIZER -> of == ImageNames.SCRIPT ? ofScript : ofLibrary;
      };
    } catch (BufferUnderflowException _) {
      throw new ImageException("the image has a name that is cut off");
    }
  }

  private @Nullable Object code(int of, ByteBuffer in) {
    return switch (of) {
      case ImageNames.LIBRARY -> codes.reserve(rest(in));
      case ImageNames.HOST -> hostFunction(host(in.getInt()).number(), rest(in));
      case ImageNames.OF_CHUNK -> {
        Chunk chunk = chunk(in.getInt());
        yield chunk.numbers.computeIfAbsent(in.getInt(), _ -> codes.reserve());
      }
      default -> null;
    };
  }

  private int hostFunction(int number, String name) {
    String text = MachineTexts.utf(name);
    switch (bound.functionOf(text)) {
      case HostFunction function ->
          functions.add(
              m -> m.parts().builtins.setHost(number, name, HostCall.builtin(m, function)));
      case HostRoutine routine -> codes.setRoutine(number, name, routine);
      case null, default -> lacking.add(text);
    }
    return number;
  }

  private HostCode host(int number) {
    return hosts.computeIfAbsent(number, _ -> new HostCode(codes.reserve()));
  }

  private Chunk chunk(int number) {
    return chunks.computeIfAbsent(number, _ -> new Chunk());
  }

  private @Nullable Object value(int of, ByteBuffer in) {
    return switch (of) {
      case ImageNames.CHUNK -> {
        int number = in.getInt();
        Chunk chunk = chunk(number);
        if (chunk.parsed != null) {
          throw new ImageException("the image has two chunks " + number);
        }
        chunk.parsed = parsed.get(bytes(in));
        yield chunk.unit;
      }
      case ImageNames.HOST -> host(in.getInt());
      case ImageNames.OBJECT -> {
        String name = rest(in);
        yield object(bound.objectOf(name), name);
      }
      case ImageNames.TYPED -> {
        int _ = in.getInt();
        String type = text(in);
        HostObject read = bound.read(type, bytes(in));
        if (read != null) {
          typed.add(read);
        }
        yield object(read, type);
      }
      case ImageNames.ROUTINE -> {
        String name = rest(in);
        Object routine = bound.objectOf(name);
        if (routine instanceof HostObject o && o.value() instanceof HostRoutine r) {
          yield r;
        }
        lacking.add(name);
        yield new Object();
      }
      case ImageNames.FILE -> files.apply(rest(in), sandbox);
      case ImageNames.MACHINE -> {
        readKept(in);
        yield new ImageNames.Marker();
      }
      default -> null;
    };
  }

  private Object object(@Nullable Object found, String name) {
    if (found == null) {
      lacking.add(name);
      return new Object();
    }
    return found;
  }

  private void readKept(ByteBuffer in) {
    int n = in.getInt();
    for (int i = 0; i < n; i++) {
      String name = text(in);
      long[] numbers = new long[length(in, Long.BYTES)];
      for (int k = 0; k < numbers.length; k++) {
        numbers[k] = in.getLong();
      }
      kept.put(name, numbers);
    }
  }

  private @Nullable Object callback(int of, ByteBuffer in) {
    if (of == ImageNames.CHUNK) {
      return Unit.RELEASE;
    }
    int _ = in.getInt();
    Owned.Kind kind = Owned.Kind.of(in.get());
    long bytes = in.getLong();
    if (kind == null || bytes < 0 || bytes > Owned.MOST) {
      return null;
    }
    Owned made = new Owned(kind, bytes, null);
    owned.add(made);
    return made;
  }

  private static Coroutine coroutine(ByteBuffer in) {
    Coroutine c = new Coroutine();
    int _ = in.getInt();
    int flags = in.get();
    c.dead = (flags & Coroutine.DEAD) != 0;
    c.failed = (flags & Coroutine.FAILED) != 0;
    c.erred = (flags & Coroutine.ERRED) != 0;
    c.wrapped = (flags & Coroutine.WRAPPED) != 0;
    c.closing = (flags & Coroutine.CLOSING) != 0;
    c.closingDepth = in.getInt();
    return c;
  }

  private static int length(ByteBuffer in, int width) {
    int n = in.getInt();
    if (n < 0 || n > in.remaining() / width) {
      throw new BufferUnderflowException();
    }
    return n;
  }

  private static String text(ByteBuffer in) {
    byte[] bytes = new byte[length(in, 1)];
    in.get(bytes);
    return new String(bytes, UTF_8);
  }

  private static byte[] bytes(ByteBuffer in) {
    byte[] bytes = new byte[in.remaining()];
    in.get(bytes);
    return bytes;
  }

  private static String rest(ByteBuffer in) {
    return new String(bytes(in), UTF_8);
  }

  /**
   * Ends an opening that has failed, before the heap is closed: the host is told of the objects
   * that were made, and of no other one.
   *
   * @param why gets what the host throws
   */
  public void giveUp(Throwable why) {
    owned.forEach(Owned::release);
    for (HostObject object : typed) {
      try {
        object.free();
      } catch (RuntimeException e) {
        why.addSuppressed(e);
      }
    }
  }

  // ---- when the heap is open ----

  /**
   * Makes the machine, without libraries.
   *
   * @param heap the heap, which was opened with this loader
   * @param limits the limits on scripts
   * @param deepest the greatest depth of nested calls
   * @return the machine, to which the libraries must be added as they were before
   */
  public Machine machine(Heap heap, Limits limits, int deepest) {
    if (!roots.containsKey(ImageNames.STATE)) {
      throw new ImageException("the image is none of a Lua guest");
    }
    Restored restored = new Restored(roots, kept, bound.countsOn());
    Machine machine = new Machine(heap, limits, deepest, codes, sandbox, restored);
    functions.forEach(add -> add.accept(machine));
    machine.finalizers().own(ofScript, ofLibrary);
    return machine;
  }

  /**
   * Ends the opening.
   *
   * @param machine the machine, with all its libraries
   * @param elements the number of elements of the image
   * @throws ImageException listing the functions and objects that this host does not have
   */
  public void finish(Machine machine, int elements) {
    lacking.addAll(codes.lacking());
    if (!lacking.isEmpty()) {
      throw new ImageException(
          "the image needs functions or objects that this host does not have: "
              + String.join(", ", lacking));
    }
    State s = machine.state();
    if (s.t.frameDepth() != 1 || !machine.calls().protection().isInMain()) {
      throw new ImageException("the image is not sound: a script of the guest runs");
    }
    int x = s.scratch(1);
    s.account.adopt();
    owned.forEach(o -> o.charge(s.account, machine.parts().builtins::release));
    for (Chunk chunk : chunks.values()) {
      ParsedChunks.Parsed code = chunk.parsed;
      if (code == null) {
        throw new ImageException("the image is not sound: functions without a chunk");
      }
      if (chunk.unit.isReleased()) {
        continue; // a collection came meanwhile
      }
      int _ = chunk.unit.add(machine.units(), code.main, code.bytes, x);
      chunk.unit.noteDump(code.dump);
      for (int number : chunk.numbers.values()) {
        if (codes.compiled[number] == null) {
          throw new ImageException("the image is not sound: a chunk without such a function");
        }
      }
    }
    machine.finalizers().restore(kept.getOrDefault(Machine.FINALIZERS, new long[0]), elements);
    s.account.settle();
    s.roots.endRestoring();
    s.t.resizeFrame(x);
  }
}
