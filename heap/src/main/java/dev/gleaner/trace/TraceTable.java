package dev.gleaner.trace;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a trace, by code and by name: those that frame others, and what the methods of
 * given classes declare ({@link Traced}).
 *
 * <p>A trace does not tell how its operands are encoded, so who reads one has the table of who
 * wrote it: that of a heap is {@code TraceTable.of(Heap.class)}.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class TraceTable {
  private static final int CODES = 256;
  private static final int NOT_SHORT = -1;

  private static final ClassValue<TraceTable> TABLES =
      new ClassValue<>() {
        @Override
        protected TraceTable computeValue(Class<?> whole) {
          return new TraceTable(
              Stream.concat(
                      Stream.of(whole),
                      Arrays.stream(whole.getDeclaredMethods())
                          .filter(m -> m.getParameterCount() == 0)
                          .map(Method::getReturnType)
                          .filter(part -> part.getPackage() == whole.getPackage()))
                  .distinct()
                  .toArray(Class<?>[]::new));
        }
      };

  private final @Nullable TraceOp[] byCode = new @Nullable TraceOp[CODES];
  private final Map<String, TraceOp> byName = new HashMap<>();

  /** Operands of a short operation. */
  private final byte[] shortOperands = new byte[CODES];

  /**
   * Reads the declarations.
   *
   * @param owners the classes whose methods declare operations
   * @throws IllegalStateException if two have one code or one name, or a parameter has no operand
   */
  public TraceTable(Class<?>... owners) {
    Arrays.fill(shortOperands, (byte) NOT_SHORT);
    frame(
        TraceOp.FAILED_USAGE,
        "failed-usage",
        "",
        "the next operation was refused with a usage error");
    frame(TraceOp.FAILED_EXHAUSTED, "failed-exhausted", "", "the next operation found no memory");
    frame(
        TraceOp.BODY,
        "body",
        "count sort, long number, long run",
        "what a finalizer (0) or an on-free callback (1) did: its sort, number, run");
    frame(TraceOp.BODY_END, "body-end", "count thrown", "1 if it threw");
    frame(TraceOp.CLOSE, "close", "", "the heap was closed: the last operation");
    frame(
        TraceOp.REPEAT,
        "repeat",
        "count operations",
        "so many operations of the program, each the one that is expected there");
    frame(TraceOp.BUILTINS, "builtins", "", "makeBuiltins begins");
    frame(TraceOp.BUILTINS_END, "builtins-end", "", "and ends");
    for (Class<?> owner : owners) {
      for (Method method : owner.getDeclaredMethods()) {
        for (Traced declared : method.getAnnotationsByType(Traced.class)) {
          TraceOp op = new TraceOp(declared, method);
          List<Integer> _ = op.parameters(); // is complete
          add(op);
        }
      }
    }
  }

  /**
   * {@return the operations of a class and of the parts that its methods return, those of its own
   * package}
   *
   * @param whole the class
   */
  public static TraceTable of(Class<?> whole) {
    return TABLES.get(whole);
  }

  private void frame(int code, String name, String operands, String text) {
    add(new TraceOp(code, name, operands, text));
  }

  private void add(TraceOp op) {
    if (op.code() < 1 || op.code() >= CODES || byCode[op.code()] != null) {
      throw new IllegalStateException(op.name() + " cannot have the code " + op.code());
    }
    byCode[op.code()] = op;
    if (byName.put(op.name(), op) != null) {
      throw new IllegalStateException("two operations " + op.name());
    }
    if (op.letters().matches("[ni]{0,3}")) {
      shortOperands[op.code()] = (byte) op.letters().length();
    }
  }

  /**
   * Returns how many operands an operation has, if those are up to three of the sorts n and i; -1
   * for others. When each takes one byte, it is one that can be expected.
   */
  int shortOperands(int code) {
    return shortOperands[code];
  }

  /** {@return all operations, in the order of their codes} */
  public List<TraceOp> all() {
    List<TraceOp> all = new ArrayList<>();
    for (TraceOp op : byCode) {
      if (op != null) {
        all.add(op);
      }
    }
    return all;
  }

  /**
   * {@return the operation with a code; null if there is none}
   *
   * @param code any number
   */
  public @Nullable TraceOp of(int code) {
    return code < 0 || code >= CODES ? null : byCode[code];
  }

  /**
   * {@return the code of an operation}
   *
   * @param name its name, which there must be
   */
  public int code(String name) {
    return Objects.requireNonNull(byName.get(name), name).code();
  }

  /**
   * {@return an operation's name, for messages}
   *
   * @param code an operation's code
   */
  public String name(int code) {
    TraceOp op = of(code);
    return op == null ? "operation " + code : op.name();
  }
}
