package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.HeapImage;
import dev.gleaner.heap.ImageBindings;
import dev.gleaner.lua.HostRoutine;
import dev.gleaner.lua.machine.ImageNames.Name;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Saves a machine: names its Java objects in the image, as {@link ImageNames} says. */
public final class MachineSaver implements ImageBindings {
  private final Machine machine;
  private final Codes codes;
  private final Bound bound;
  private final Map<String, GlobalRef> roots;
  private final IdentityHashMap<Unit, Integer> units = new IdentityHashMap<>();

  /** The indices of the functions of known units, by their code numbers. */
  private final Map<Integer, Integer> indices = new HashMap<>();

  /** The functions of the host, by the names under which the image has them. */
  private final Map<String, Object> functions = new HashMap<>();

  private int others;

  /** The collections before, each of which may find elements with finalizers. */
  private static final int ROUNDS = 3;

  private MachineSaver(Machine machine, Bound bound) {
    this.machine = machine;
    this.codes = machine.state().codes;
    this.bound = bound;
    this.roots = machine.state().roots.named();
  }

  /**
   * Saves what a machine holds. Finalizers that are due run first.
   *
   * @param machine the machine
   * @param bound what the host has by name
   * @return the image
   * @throws IllegalStateException if a script runs
   * @throws dev.gleaner.refusal.ImageException if something has no name; the message has a path
   */
  public static HeapImage save(Machine machine, Bound bound) {
    if (machine.calls().nested > 0) {
      throw new IllegalStateException("a guest cannot be saved while a script of it runs");
    }
    State s = machine.state();
    boolean _ = HostCall.inside(machine, () -> finalizeGarbage(machine));
    GlobalRef root = s.roots.make(ImageNames.STATE);
    try {
      GlobalRef _ =
          HostCall.frame(
              machine,
              1,
              () -> {
                s.t.newNative(0, new ImageNames.Marker(), null);
                s.t.setGlobal(root, 0);
                return root;
              });
      return s.heap.image(new MachineSaver(machine, bound));
    } finally {
      s.roots.close(root);
    }
  }

  private static boolean finalizeGarbage(Machine machine) {
    boolean due = true;
    for (int i = 0; i < ROUNDS && due; i++) {
      machine.heap().collect();
      due = machine.finalizers().areWaiting();
      machine.finalizers().callWaiting();
    }
    return due;
  }

  @Override
  public Map<String, GlobalRef> globals() {
    return roots;
  }

  @Override
  public @Nullable Object read(Role role, byte[] name) {
    return null;
  }

  @Override
  public byte @Nullable [] write(Role role, Object object) {
    Name name =
        switch (role) {
          case CODE -> code((Integer) object);
          case NATIVE -> value(object);
          case FREE_CALLBACK -> callback(object);
          case THREAD_OBJECT -> object instanceof Coroutine c ? coroutine(c) : null;
          case FINALIZER ->
              object instanceof Finalizers.Call call
                  ? new Name(call.isByScript() ? ImageNames.SCRIPT : ImageNames.LIBRARY)
                  : null;
        };
    return name == null ? null : name.toBytes();
  }

  @Override
  public String describe(Role role, Object object) {
    return switch (object) {
      case Integer number when role == Role.CODE -> hostFunction(number);
      case HostObject host -> "userdata of " + host.value().getClass().getName();
      case HostRoutine routine -> "waiting routine of the host " + routine.getClass().getName();
      case Savable of -> of.describe();
      default -> ImageBindings.super.describe(role, object);
    };
  }

  private String hostFunction(int number) {
    String name = codes.name(number);
    return functions.containsKey(name)
        ? "function of the host " + name + ", a name that another one has"
        : "function of the host without a name";
  }

  private @Nullable Name code(int number) {
    Code code = codes.compiled[number];
    if (code != null) {
      int unit = number(code.unit);
      return new Name(ImageNames.OF_CHUNK).number(unit).number(indices.getOrDefault(number, -1));
    }
    String key = codes.key(number);
    Object ofHost = machine.parts().builtins.host(number);
    if (ofHost == null) {
      return key == null ? null : new Name(ImageNames.LIBRARY).rest(key);
    }
    String name = codes.name(number);
    if (name.equals("?")) {
      return null;
    }
    Object before = functions.putIfAbsent(name, ofHost);
    boolean isKnown = before == null || before.equals(ofHost);
    return isKnown ? new Name(ImageNames.HOST).number(number).rest(name) : null;
  }

  private int number(Unit unit) {
    Integer known = units.get(unit);
    if (known == null) {
      known = units.size();
      units.put(unit, known);
      int[] numbers = unit.numbers();
      for (int i = 0; i < numbers.length; i++) {
        indices.put(numbers[i], i);
      }
    }
    return known;
  }

  private @Nullable Name value(Object object) {
    return switch (object) {
      case Unit unit -> new Name(ImageNames.CHUNK).number(number(unit)).rest(unit.dump());
      case HostCode code -> new Name(ImageNames.HOST).number(code.number());
      case HostObject host -> hostObject(host.value());
      case HostRoutine routine -> {
        String name = bound.nameOf(routine);
        yield name == null ? null : new Name(ImageNames.ROUTINE).rest(name);
      }
      case Savable savable -> {
        String name = savable.savedName();
        yield name == null ? null : new Name(ImageNames.FILE).rest(name);
      }
      case ImageNames.Marker _ -> state();
      default -> null;
    };
  }

  private @Nullable Name hostObject(Object value) {
    String name = bound.nameOf(value);
    if (name != null) {
      return new Name(ImageNames.OBJECT).rest(name);
    }
    Bound.State state = bound.stateOf(value);
    return state == null
        ? null
        : new Name(ImageNames.TYPED).number(others++).text(state.type()).rest(state.bytes());
  }

  private @Nullable Name callback(Object object) {
    if (object.equals(Unit.RELEASE)) {
      return new Name(ImageNames.CHUNK);
    }
    return object instanceof Owned owned
        ? new Name(ImageNames.OBJECT).number(others++).octet(owned.kind().code()).big(owned.bytes())
        : null;
  }

  private Name coroutine(Coroutine c) {
    int flags = c.dead ? Coroutine.DEAD : 0;
    flags |= c.failed ? Coroutine.FAILED : 0;
    flags |= c.erred ? Coroutine.ERRED : 0;
    flags |= c.wrapped ? Coroutine.WRAPPED : 0;
    flags |= c.closing ? Coroutine.CLOSING : 0;
    return new Name(ImageNames.TYPED).number(others++).octet(flags).number(c.closingDepth);
  }

  private Name state() {
    Map<String, Supplier<long[]>> kept = machine.kept();
    Name name = new Name(ImageNames.MACHINE).number(kept.size());
    kept.forEach((key, get) -> {
      long[] numbers = get.get();
      Name _ = name.text(key).number(numbers.length);
      for (long n : numbers) {
        Name _ = name.big(n);
      }
    });
    return name;
  }
}
