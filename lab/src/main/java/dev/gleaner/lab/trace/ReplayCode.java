package dev.gleaner.lab.trace;

import dev.gleaner.heap.Heap;
import dev.gleaner.trace.TraceCursor;
import dev.gleaner.trace.TraceException;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceOp;
import dev.gleaner.trace.TraceOperand;
import dev.gleaner.trace.TraceOperand.Sort;
import dev.gleaner.trace.TraceTable;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Makes the class that does recorded operations, from their declarations.
 *
 * <p>What a program does at every step has the lowest codes, and is in a method of its own, as the
 * compiler takes only so much at once:
 *
 * <pre>
 *   void run(TraceCursor in, int op) {
 *     switch (op) {
 *       case 33 -> t.store(in.n(), in.n(), in.n());
 *       case 37 -> replay.read(TraceFormat.value(t.loadInt(in.n(), in.n())));
 *       …
 *       default -> run40(in, op);
 *     }
 *   }
 * </pre>
 */
final class ReplayCode {
  private static final ClassDesc SUPERCLASS = desc(ReplayOperations.class);
  private static final ClassDesc THIS = ClassDesc.of(ReplayOperations.class.getName() + "Code");
  private static final ClassDesc CURSOR = desc(TraceCursor.class);
  private static final ClassDesc REPLAY = desc(Replay.class);
  private static final ClassDesc FORMAT = desc(TraceFormat.class);
  private static final MethodTypeDesc RUN =
      MethodTypeDesc.of(ConstantDescs.CD_void, CURSOR, ConstantDescs.CD_int);

  /** Codes that a method has. */
  private static final int CHUNK = 40;

  private static final int CODES = 256;

  /** The parameters of a constructor, with {@code this}: where the cursor and the code are. */
  private static final int IN = 1;

  private static final int OP = 2;

  private static final MethodHandle MAKE = constructor();

  private ReplayCode() {}

  static ReplayOperations make(Replay replay, Heap heap, boolean same) {
    try {
      return (ReplayOperations) MAKE.invokeExact(replay, heap, same);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static MethodHandle constructor() {
    MethodType type = MethodType.methodType(void.class, Replay.class, Heap.class, boolean.class);
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      return lookup
          .findConstructor(lookup.defineHiddenClass(make(), true).lookupClass(), type)
          .asType(type.changeReturnType(ReplayOperations.class));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no code that does operations", e);
    }
  }

  private static byte[] make() {
    MethodTypeDesc constructor =
        MethodTypeDesc.of(
            ConstantDescs.CD_void, REPLAY, desc(Heap.class), ConstantDescs.CD_boolean);
    return ClassFile.of()
        .build(
            THIS,
            type -> {
              type.withSuperclass(SUPERCLASS).withFlags(ClassFile.ACC_FINAL);
              type.withMethodBody(
                  ConstantDescs.INIT_NAME,
                  constructor,
                  0,
                  code ->
                      code.aload(0)
                          .aload(1)
                          .aload(2)
                          .iload(3)
                          .invokespecial(SUPERCLASS, ConstantDescs.INIT_NAME, constructor)
                          .return_());
              for (int from = 0; from < CODES; from += CHUNK) {
                int first = from;
                type.withMethodBody(nameOf(from), RUN, 0, code -> run(code, first));
              }
            });
  }

  private static String nameOf(int from) {
    return from == 0 ? "run" : "run" + from;
  }

  private static void run(CodeBuilder code, int from) {
    List<TraceOp> ops =
        TraceTable.of(Heap.class).all().stream()
            .filter(op -> !op.isFraming() && op.code() >= from && op.code() < from + CHUNK)
            .toList();
    List<SwitchCase> cases = new ArrayList<>();
    for (TraceOp op : ops) {
      cases.add(SwitchCase.of(op.code(), code.newLabel()));
    }
    Label other = code.newLabel();
    code.iload(OP).tableswitch(from, from + CHUNK - 1, other, cases);
    for (int i = 0; i < ops.size(); i++) {
      code.labelBinding(cases.get(i).target());
      TraceOp op = ops.get(i);
      code.block(block -> run(block, op));
      code.return_();
    }
    code.labelBinding(other);
    if (from + CHUNK < CODES) {
      code.aload(0).aload(IN).iload(OP).invokevirtual(THIS, nameOf(from + CHUNK), RUN).return_();
    } else {
      code.aload(IN)
          .iload(OP)
          .invokevirtual(
              CURSOR,
              "unknown",
              MethodTypeDesc.of(desc(TraceException.class), ConstantDescs.CD_int))
          .athrow();
    }
  }

  private static void run(CodeBuilder code, TraceOp op) {
    Optional<Method> own = own(ReplayOperations.class, op);
    Optional<Method> ofHeap = own.isPresent() ? own : own(HeapOperations.class, op);
    if (own.isPresent()) {
      code.aload(0);
      call(code, op, own.get());
    } else if (ofHeap.isPresent()) {
      code.aload(0).getfield(SUPERCLASS, "references", desc(HeapOperations.class));
      call(code, op, ofHeap.get());
    } else {
      call(code, op);
    }
  }

  /** The method by the operation's own name. */
  private static Optional<Method> own(Class<?> type, TraceOp op) {
    String name = op.name().replace("-", "");
    return Arrays.stream(type.getDeclaredMethods())
        .filter(m -> m.getName().equalsIgnoreCase(name))
        .filter(m -> (m.getModifiers() & ClassFile.ACC_PRIVATE) == 0)
        .findFirst();
  }

  /** Calls a method here, with as many of the operands as it takes. */
  private static void call(CodeBuilder code, TraceOp op, Method method) {
    MethodTypeDesc type =
        desc(MethodType.methodType(method.getReturnType(), method.getParameterTypes()));
    boolean wantsCursor = type.parameterCount() > 0 && type.parameterType(0).equals(CURSOR);
    if (wantsCursor) {
      code.aload(IN);
    }
    int left = type.parameterCount() - (wantsCursor ? 1 : 0);
    for (TraceOperand operand : op.operands()) {
      if (left > 0 && operand.sort() != Sort.UNSEEN) {
        decode(code, operand);
        if (type.parameterType(type.parameterCount() - left).equals(ConstantDescs.CD_boolean)) {
          code.iconst_0();
          Label zero = code.newLabel();
          Label end = code.newLabel();
          code.if_icmpeq(zero)
              .iconst_1()
              .goto_(end)
              .labelBinding(zero)
              .iconst_0()
              .labelBinding(end);
        }
        left--;
      }
    }
    code.invokevirtual(desc(method.getDeclaringClass()), method.getName(), type);
  }

  /** Calls the operation's method with the operands. */
  private static void call(CodeBuilder code, TraceOp op) {
    if (op.reads()) {
      code.aload(0).getfield(SUPERCLASS, "replay", REPLAY);
    }
    code.aload(0).getfield(SUPERCLASS, fieldOf(op.owner()), desc(op.owner()));
    int next = 0;
    for (int i = 0; i < op.parameters().size(); i++) {
      int operand = op.parameters().get(i);
      TraceOperand o = op.operands().get(operand);
      if (operand != next || o.sort() == Sort.WEAK || o.sort() == Sort.GLOBAL) {
        throw new IllegalStateException(op + " needs a method that does it");
      }
      next++;
      if (o.sort() == Sort.UNSEEN) {
        nothing(code, TypeKind.from(op.type().parameterType(i)));
      } else {
        decode(code, o);
      }
    }
    if (next < op.operands().size()) {
      throw new IllegalStateException(op + " has answers: it needs a method that does it");
    }
    MethodTypeDesc type = desc(op.type());
    code.invokevirtual(desc(op.owner()), op.method(), type);
    if (op.reads()) {
      ClassDesc value = op.type().returnType().isEnum() ? desc(Enum.class) : type.returnType();
      code.invokestatic(FORMAT, op.readBy(), MethodTypeDesc.of(ConstantDescs.CD_long, value))
          .invokevirtual(
              REPLAY, "read", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long));
    } else {
      switch (TypeKind.from(type.returnType()).slotSize()) {
        case 1 -> code.pop();
        case 2 -> code.pop2();
        default -> {}
      }
    }
  }

  /** The field that has what the operation is done on. */
  private static String fieldOf(Class<?> owner) {
    return Arrays.stream(ReplayOperations.class.getDeclaredFields())
        .filter(field -> field.getType() == owner)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no field for a " + owner.getName()))
        .getName();
  }

  private static void decode(CodeBuilder code, TraceOperand operand) {
    char letter = operand.sort().letter();
    ClassDesc type =
        switch (letter) {
          case 'd' -> ConstantDescs.CD_double;
          case 't' -> ConstantDescs.CD_String;
          case 'k' -> ConstantDescs.CD_int.arrayType();
          case 'l', 'j' -> ConstantDescs.CD_long;
          default -> ConstantDescs.CD_int;
        };
    code.aload(IN).invokevirtual(CURSOR, String.valueOf(letter), MethodTypeDesc.of(type));
  }

  private static void nothing(CodeBuilder code, TypeKind kind) {
    switch (kind.asLoadable()) {
      case INT -> code.iconst_0();
      case LONG -> code.lconst_0();
      case DOUBLE -> code.dconst_0();
      default -> code.aconst_null();
    }
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  private static MethodTypeDesc desc(MethodType type) {
    return type.describeConstable().orElseThrow();
  }
}
