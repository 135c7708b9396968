package dev.gleaner.lua.machine;

import dev.gleaner.heap.GlobalRef;
import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.Budget;
import dev.gleaner.lua.LuaValue;
import dev.gleaner.lua.memory.Account;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value of a guest that the host holds. */
final class Handle implements LuaValue {
  private final Machine machine;
  private final GlobalRef ref;
  private final String type;
  private final String text;
  private boolean closed;

  Handle(Machine machine, int s) {
    this.machine = machine;
    this.type = machine.typeName(s);
    this.text = type + ": " + machine.address(s);
    this.ref = machine.heap().newGlobal();
    machine.mutator().setGlobal(ref, s);
  }

  GlobalRef ref() {
    return ref;
  }

  /** Loads the value. */
  void load(Machine into, int d) {
    if (!into.equals(machine)) {
      throw new IllegalArgumentException("a value of another guest");
    }
    if (closed) {
      throw new IllegalStateException("the value was given up: " + text);
    }
    into.mutator().getGlobal(d, ref);
  }

  @Override
  public String type() {
    return type;
  }

  @Override
  public @Nullable Object get(@Nullable Object key) {
    return HostCall.inside(
        machine,
        () -> {
          int x = room(3);
          load(machine, x);
          HostCall.set(machine, x + 1, key);
          machine.index(x + 2, x, x + 1);
          return HostCall.get(machine, x + 2);
        });
  }

  @Override
  public void set(@Nullable Object key, @Nullable Object value) {
    HostCall.inside(
        machine,
        () -> {
          int x = room(3);
          load(machine, x);
          HostCall.set(machine, x + 1, key);
          HostCall.set(
              machine, x + 2, key instanceof String text ? MachineTexts.latin(text) : "?", value);
          machine.setIndex(x, x + 1, x + 2);
          return null;
        });
  }

  @Override
  public long length() {
    Object length =
        HostCall.inside(
            machine,
            () -> {
              int x = room(2);
              load(machine, x);
              machine.length(x + 1, x);
              return HostCall.get(machine, x + 1);
            });
    if (length instanceof Long l) {
      return l;
    }
    throw new IllegalStateException("the length is no integer");
  }

  private int room(int slots) {
    return machine.state().scratch(slots);
  }

  @Override
  public @Nullable Object[] call(@Nullable Object... arguments) {
    return HostCall.enter(machine, d -> load(machine, d), arguments);
  }

  @Override
  public @Nullable Object[] call(Budget budget, @Nullable Object... arguments) {
    Objects.requireNonNull(budget, "budget");
    return HostCall.enter(machine, budget, d -> load(machine, d), arguments);
  }

  @Override
  public void setMetatable(@Nullable LuaValue metatable) {
    if (!type.equals("table") && !type.equals("userdata")) {
      throw new IllegalStateException("a " + type + " has no metatable of its own");
    }
    if (metatable != null && !metatable.type().equals("table")) {
      throw new IllegalArgumentException("no table: " + metatable);
    }
    Supplier<@Nullable Object> work =
        () -> {
          int x = room(2);
          load(machine, x);
          machine.mutator().set(x + 1, Values.UNDEFINED);
          HostCall.set(machine, x + 1, metatable);
          machine.setMetatable(x, x + 1);
          return null;
        };
    HostCall.inside(machine, work);
  }

  @Override
  public Object toJava() {
    return copied(Conversions::collection);
  }

  @Override
  @SuppressWarnings("unchecked")
  public List<@Nullable Object> toList() {
    return (List<@Nullable Object>) copied(Conversions::list);
  }

  @Override
  @SuppressWarnings("unchecked")
  public Map<Object, @Nullable Object> toMap() {
    return (Map<Object, @Nullable Object>) copied(Conversions::map);
  }

  private interface Copy {
    Object of(Machine m, int s, Account.Loan loan);
  }

  private Object copied(Copy copy) {
    if (!type.equals("table")) {
      throw new IllegalStateException("no table: " + text);
    }
    return HostCall.inside(
        machine,
        () -> {
          int x = room(1);
          load(machine, x);
          try (Account.Loan loan = machine.account().borrow()) {
            return copy.of(machine, x, loan);
          }
        });
  }

  @Override
  public LuaValue keep() {
    Mutator t = machine.mutator();
    int size = t.frameSize();
    int x = room(1);
    load(machine, x);
    Handle kept = machine.handles().lasting(x);
    t.resizeFrame(size);
    return kept;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ref.close();
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
