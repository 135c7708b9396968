package dev.gleaner.lua.machine;

import dev.gleaner.heap.Mutator;
import dev.gleaner.layout.Values;
import dev.gleaner.lua.Invocation;
import dev.gleaner.lua.LuaValue;
import dev.gleaner.lua.memory.Account;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The arguments of a routine, in slots of the routine's frame. */
final class HostInvocation implements Invocation {
  private final Parts parts;
  private final Host host;
  private final Mutator t;
  private final int from;
  private final int count;

  HostInvocation(Parts parts, Host host, int from, int count) {
    this.parts = parts;
    this.host = host;
    this.t = parts.state.t;
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
    return isThere(i) ? host.get(slot(i)) : null;
  }

  @Override
  public boolean truth(int i) {
    return !isAbsent(i) && t.get(slot(i)) != Values.FALSE;
  }

  @Override
  public long integer(int i) {
    if (isThere(i)) {
      if (parts.operators.convertToInteger(slot(i))) {
        return t.getLong(slot(i));
      }
      if (parts.operators.toNumber(slot(i))) {
        throw argumentError(i, "number has no integer representation");
      }
    }
    throw typeError(i, "number");
  }

  @Override
  public double number(int i) {
    if (!isThere(i) || !parts.operators.toNumber(slot(i))) {
      throw typeError(i, "number");
    }
    return parts.operators.number(slot(i));
  }

  @Override
  public String string(int i) {
    return new String(bytes(i), StandardCharsets.UTF_8);
  }

  @Override
  public byte[] bytes(int i) {
    if (!isThere(i) || !parts.operators.toText(slot(i))) {
      throw typeError(i, "string");
    }
    int length = t.stringBytes(slot(i));
    try (Account.Loan loan = parts.state.account.borrow()) {
      loan.add(Account.array(length, 1));
      byte[] bytes = new byte[length];
      t.readString(slot(i), 0, bytes, 0, length);
      return bytes;
    }
  }

  @Override
  public LuaValue table(int i) {
    if (!isThere(i) || !Types.isTable(t, slot(i))) {
      throw typeError(i, "table");
    }
    return (LuaValue) Objects.requireNonNull(host.get(slot(i)));
  }

  @Override
  public LuaValue function(int i) {
    if (!isThere(i) || t.functionCode(slot(i)) < 0) {
      throw typeError(i, "function");
    }
    return (LuaValue) Objects.requireNonNull(host.get(slot(i)));
  }

  @Override
  public <T> T object(int i, Class<T> type) {
    Object object = isThere(i) ? host.object(slot(i)) : null;
    if (type.isInstance(object)) {
      return type.cast(object);
    }
    throw typeError(i, type.getSimpleName());
  }

  private LuaError typeError(int i, String expected) {
    String got = isThere(i) ? parts.messages.typeName(slot(i)) : "no value";
    return argumentError(i, expected + " expected, got " + got);
  }

  @Override
  public LuaError argumentError(int i, String message) {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    return parts.messages.argument(i, new String(bytes, StandardCharsets.ISO_8859_1));
  }
}
