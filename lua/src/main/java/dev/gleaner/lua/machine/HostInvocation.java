package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.Invocation;
import dev.gleaner.lua.LuaValue;
import dev.gleaner.lua.memory.Account;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The arguments of a routine, in slots of the routine's frame. */
final class HostInvocation implements Invocation {
  private final Arguments arguments;
  private final Machine machine;
  private final Mutator t;
  private final int from;
  private final int count;

  HostInvocation(Arguments arguments, int from, int count) {
    this.arguments = arguments;
    this.machine = arguments.machine();
    this.t = arguments.mutator();
    this.from = from;
    this.count = count;
  }

  @Override
  public int count() {
    return count;
  }

  private boolean isThere(int i) {
    if (i < 1) {
      throw new IllegalArgumentException("argument " + i + ": they begin at 1");
    }
    return i <= count;
  }

  private int slot(int i) {
    return from + i - 1;
  }

  @Override
  public boolean isAbsent(int i) {
    return !isThere(i) || t.get(slot(i)) == Values.UNDEFINED;
  }

  @Override
  public @Nullable Object get(int i) {
    return isThere(i) ? HostCall.get(machine, slot(i)) : null;
  }

  @Override
  public boolean truth(int i) {
    return !isAbsent(i) && t.get(slot(i)) != Values.FALSE;
  }

  @Override
  public long integer(int i) {
    if (isThere(i)) {
      if (machine.toInteger(slot(i))) {
        return machine.integer(slot(i));
      }
      if (machine.toNumber(slot(i))) {
        throw argumentError(i, "number has no integer representation");
      }
    }
    throw typeError(i, "number");
  }

  @Override
  public double number(int i) {
    if (!isThere(i) || !machine.toNumber(slot(i))) {
      throw typeError(i, "number");
    }
    return machine.number(slot(i));
  }

  @Override
  public String string(int i) {
    return new String(bytes(i), StandardCharsets.UTF_8);
  }

  @Override
  public byte[] bytes(int i) {
    if (!isThere(i) || !machine.toText(slot(i))) {
      throw typeError(i, "string");
    }
    int length = t.stringBytes(slot(i));
    try (Account.Loan loan = machine.account().borrow()) {
      loan.add(Account.array(length, 1));
      byte[] bytes = new byte[length];
      t.readString(slot(i), 0, bytes, 0, length);
      return bytes;
    }
  }

  @Override
  public LuaValue table(int i) {
    if (!isThere(i) || !machine.isTable(slot(i))) {
      throw typeError(i, "table");
    }
    return machine.handles().make(slot(i));
  }

  @Override
  public LuaValue function(int i) {
    if (!isThere(i) || !machine.isFunction(slot(i))) {
      throw typeError(i, "function");
    }
    return machine.handles().make(slot(i));
  }

  @Override
  public <T> T object(int i, Class<T> type) {
    if (isThere(i)
        && machine.userdata(slot(i)) instanceof HostObject o
        && type.isInstance(o.value())) {
      return type.cast(o.value());
    }
    throw typeError(i, type.getSimpleName());
  }

  private LuaError typeError(int i, String expected) {
    String got = isThere(i) ? machine.typeNameMeta(slot(i)) : "no value";
    return argumentError(i, expected + " expected, got " + got);
  }

  @Override
  public LuaError argumentError(int i, String message) {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    return arguments.argumentError(i, new String(bytes, StandardCharsets.ISO_8859_1));
  }
}
