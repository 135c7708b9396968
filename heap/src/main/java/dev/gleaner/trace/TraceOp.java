package dev.gleaner.trace;

import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apiguardian.api.API;
import org.jspecify.annotations.Nullable;

/**
 * An operation of a trace: a byte, and what operands follow it. {@link TraceTable} has all of them;
 * here are the codes of those that frame the others.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1")
public final class TraceOp {
  /** Before an operation that was refused, with a {@code HeapUsageException}. No operands. */
  public static final int FAILED_USAGE = 1;

  /** Before an operation for which there was no memory. No operands. */
  public static final int FAILED_EXHAUSTED = 2;

  /**
   * Begins what a finalizer or an on-free callback did. Operands: as docs/internal/trace-format.md
   * says.
   */
  public static final int BODY = 3;

  /** Ends a body. Operands: 1 if it threw, else 0. */
  public static final int BODY_END = 4;

  /** The heap was closed; the last operation. No operands. */
  public static final int CLOSE = 5;

  /** The expected operation, so many times. Operands: as docs/internal/trace-format.md says. */
  public static final int REPEAT = 6;

  /** Begins what makes built-ins. No operands. */
  public static final int BUILTINS = 114;

  /** Ends it. No operands. */
  public static final int BUILTINS_END = 115;

  private final int code;
  private final String name;
  private final List<TraceOperand> operands;
  private final String letters;
  private final String text;
  private final @Nullable Method method;
  private final boolean reads;
  private final boolean tagged;

  private TraceOp(
      int code,
      String name,
      String operands,
      String text,
      @Nullable Method method,
      boolean reads,
      boolean tagged) {
    this.code = code;
    this.name = name;
    this.operands =
        operands.isEmpty()
            ? List.of()
            : Arrays.stream(operands.split(", ")).map(TraceOperand::parse).toList();
    List<TraceOperand> seen =
        this.operands.stream().filter(o -> o.sort() != TraceOperand.Sort.UNSEEN).toList();
    this.letters = seen.stream().map(o -> "" + o.sort().letter()).collect(Collectors.joining());
    this.text =
        text.isEmpty()
            ? seen.stream().map(TraceOperand::text).collect(Collectors.joining(", "))
            : text;
    this.method = method;
    this.reads = reads;
    this.tagged = tagged;
  }

  /** An operation that frames others. */
  TraceOp(int code, String name, String operands, String text) {
    this(code, name, operands, text, null, false, false);
  }

  /** An operation as it is declared. */
  TraceOp(Traced declared, Method method) {
    this(
        declared.code(),
        declared.name().isEmpty() ? hyphenated(method.getName()) : declared.name(),
        declared.operands(),
        "",
        method,
        declared.reads() && method.getReturnType() != void.class,
        declared.tagged());
  }

  private static String hyphenated(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  /** {@return the byte that stands for it} */
  public int code() {
    return code;
  }

  /** {@return its name, in words with hyphens} */
  public String name() {
    return name;
  }

  /** {@return its operands, in the order of the trace; with them what is not in the trace} */
  public List<TraceOperand> operands() {
    return operands;
  }

  /**
   * How the operands are encoded.
   *
   * <pre>
   *   n  32 bits, as an unsigned varint (LEB128): slots, indexes, counts, flags
   *   i  32 bits, zigzag, as a varint: integers that are often negative
   *   j  64 bits, zigzag, as a varint: cursors of walks; reads what was written as i
   *   l  64 bits, as an unsigned varint: sizes, places in buffers, numbers of references
   *   d  a double: its 8 bytes, the lowest first
   *   t  a text: the number of bytes as n, and the bytes
   *   k  a list: how many as n, and each as n
   * </pre>
   *
   * @return a letter for each
   */
  public String letters() {
    return letters;
  }

  /** {@return what the operands are, or what the operation is for, for people} */
  public String text() {
    return text;
  }

  /** {@return whether it is no operation of the program, but frames others} */
  public boolean isFraming() {
    return method == null;
  }

  /** {@return whether its answer goes into the hash of what the program has read} */
  public boolean reads() {
    return reads;
  }

  /**
   * {@return the method of {@link TraceFormat} that makes of its answer what goes into the hash}
   */
  public String readBy() {
    return tagged ? "tagged" : "value";
  }

  private Method declared() {
    return Objects.requireNonNull(method, name);
  }

  /** {@return the class whose method it is} */
  public Class<?> owner() {
    return declared().getDeclaringClass();
  }

  /** {@return the name of its method} */
  public String method() {
    return declared().getName();
  }

  /** {@return what its method takes and answers} */
  public MethodType type() {
    return MethodType.methodType(declared().getReturnType(), declared().getParameterTypes());
  }

  /**
   * {@return whether a class declares the method anew}
   *
   * @param type a subclass of the owner
   */
  public boolean isOverriddenBy(Class<?> type) {
    try {
      return type.getDeclaredMethod(method(), declared().getParameterTypes()) != null;
    } catch (NoSuchMethodException _) {
      return false;
    }
  }

  /** {@return for each parameter of its method which operand it is: the first one that fits} */
  public List<Integer> parameters() {
    boolean[] taken = new boolean[operands.size()];
    List<Integer> parameters = new ArrayList<>();
    for (Class<?> type : declared().getParameterTypes()) {
      int i = 0;
      while (i < taken.length && (taken[i] || !operands.get(i).sort().fits(type))) {
        i++;
      }
      if (i == taken.length) {
        throw new IllegalStateException(name + ": no operand for its " + type.getName());
      }
      taken[i] = true;
      parameters.add(i);
    }
    return parameters;
  }

  @Override
  public String toString() {
    return name;
  }
}
