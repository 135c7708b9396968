package dev.gleaner.lua;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table, function, coroutine or userdata of a guest, as the host has it. It keeps the value
 * alive.
 *
 * <p>One that a function of the host gets, or makes, is valid until that function returns; {@link
 * #keep} makes one that lasts. Any other lasts until it is closed, the guest is closed, or Java
 * code refers to it no longer. It belongs to the guest's Java thread.
 */
public interface LuaValue extends AutoCloseable {
  /** {@return the name of its type, as {@code type} has it} */
  String type();

  /**
   * {@return a field, with metamethods}
   *
   * @param key any value
   */
  @Nullable Object get(@Nullable Object key);

  /**
   * Sets a field, with metamethods.
   *
   * @param key any value but null
   * @param value any value; null removes the field
   */
  void set(@Nullable Object key, @Nullable Object value);

  /** {@return its length, as # has it, with metamethods} */
  long length();

  /**
   * Calls it, on the Java stack: of such calls 198 can be in each other, fewer where the thread has
   * less than 1.5 MiB of stack, and what they call cannot yield beyond them.
   *
   * @param arguments of the call
   * @return its results
   * @throws LuaException if it has an error that it does not catch
   */
  @Nullable Object[] call(@Nullable Object... arguments);

  /**
   * Calls it with a budget, as {@link #call(Object...)} does.
   *
   * @param budget of this call
   * @param arguments of the call
   * @return its results
   * @throws LuaException if it has an error that it does not catch
   * @throws LuaLimitException if the budget is used up
   */
  @Nullable Object[] call(Budget budget, @Nullable Object... arguments);

  /**
   * Sets the metatable of a table or userdata.
   *
   * @param metatable a table, or null for none
   */
  void setMetatable(@Nullable LuaValue metatable);

  /**
   * {@return a table as a list or a map, with all tables in it} A table with the keys 1 to n and no
   * others is a list of n elements, and so is an empty one; any other one is a map, in the order of
   * {@code next}. Functions and coroutines are {@link LuaValue}s, and so are keys that are tables.
   * No metamethod is called. A table that occurs twice is copied once. The copy belongs to the
   * host, may be changed, and changes nothing in the guest.
   *
   * @throws LuaException if a table contains itself, or tables are more than 100 deep
   * @throws LuaMemoryException if the guest has no memory that a copy of this size could be charged
   *     to while it is made
   * @throws IllegalStateException if this is no table
   */
  Object toJava();

  /**
   * {@return the values of a table from the key 1 on up to the first nil, as {@code ipairs} finds
   * them} Tables among them are as {@link #toJava} has them.
   */
  List<@Nullable Object> toList();

  /** {@return the entries of a table as a map} Tables among the values are as above. */
  Map<Object, @Nullable Object> toMap();

  /** {@return the same value, as one that lasts} */
  LuaValue keep();

  /** Gives it up; closing it again does nothing. */
  @Override
  void close();

  /** {@return its type and address, as {@code tostring} has them} */
  @Override
  String toString();
}
