package dev.gleaner.it;

import dev.gleaner.refusal.HeapUsageException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A call of a public operation on a {@link MisuseHeap}, with arguments that are right and, for each
 * of them, values that are wrong.
 *
 * @param before what the heap needs for the call to be right
 */
record PublicCall(
    Class<?> owner, String name, List<Argument> arguments, Consumer<MisuseHeap> before) {

  /** A value that must be refused, what with, and a part of the message. */
  record Wrong(@Nullable Object value, Class<? extends Exception> thrown, String message) {
    static Wrong of(Object value, String message) {
      return new Wrong(value, HeapUsageException.class, message);
    }
  }

  /** A parameter's type, a right value and wrong ones. */
  record Argument(Class<?> type, Object right, List<Wrong> wrong) {
    Argument but(Wrong... more) {
      List<Wrong> all = new ArrayList<>(wrong);
      all.addAll(List.of(more));
      return new Argument(type, right, all);
    }
  }

  PublicCall after(Consumer<MisuseHeap> preparation) {
    return new PublicCall(owner, name, arguments, preparation);
  }

  Method method() {
    try {
      return owner.getMethod(name, arguments.stream().map(Argument::type).toArray(Class[]::new));
    } catch (NoSuchMethodException e) {
      throw new AssertionError(e);
    }
  }

  /** The right arguments. */
  Object[] right() {
    return arguments.stream().map(Argument::right).toArray();
  }

  /** The right arguments but for one. */
  @Nullable Object[] with(int position, @Nullable Object value) {
    @Nullable Object[] all = right();
    all[position] = value;
    return all;
  }

  private Object receiver(MisuseHeap heap) {
    return Stream.of(
            heap.heap,
            heap.thread,
            heap.heap.plainMemory(),
            heap.heap.faults(),
            heap.heap.inspect())
        .filter(owner::isInstance)
        .findFirst()
        .orElseThrow();
  }

  /** Calls; answers what was thrown, {@code this} if nothing was. */
  Object thrownBy(MisuseHeap heap, @Nullable Object[] values) {
    @Nullable Object[] actual = new @Nullable Object[values.length];
    for (int i = 0; i < values.length; i++) {
      actual[i] = values[i] instanceof MisuseHeap.Reference r ? heap.resolve(r) : values[i];
    }
    try {
      method().invoke(receiver(heap), actual);
      return this;
    } catch (InvocationTargetException e) {
      return Objects.requireNonNull(e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public String toString() {
    return owner.getSimpleName() + "." + name;
  }
}
