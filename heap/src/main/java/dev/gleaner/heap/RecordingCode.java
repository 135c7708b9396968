package dev.gleaner.heap;

import dev.gleaner.refusal.HeapException;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceOp;
import dev.gleaner.trace.TraceOperand;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Generates the recording classes from the declarations of the operations.
 *
 * <p>A generated class extends {@link RecordingMutator} or {@link RecordingHeap}. It has a method
 * for each operation that the base class does not record itself:
 *
 * <pre>
 *   public int loadInt(int r, int i) {
 *     int result;
 *     try {
 *       result = super.loadInt(r, i);
 *     } catch (HeapException e) {
 *       if (recorder.refused(e)) {
 *         recorder.op(37, r, i);
 *       }
 *       throw e;
 *     }
 *     recorder.op(37, r, i);
 *     recorder.read(TraceFormat.value(result));   // an operation that reads
 *     return result;
 *   }
 * </pre>
 *
 * <p>If the base class records an operation itself, the generated method calls it. Each generated
 * method has a handler for Errors, which sets {@link Recorder#missed}.
 */
final class RecordingCode {
  private static final ClassDesc RECORDER = desc(Recorder.class);
  private static final ClassDesc REFUSAL = desc(HeapException.class);
  private static final ClassDesc FORMAT = desc(TraceFormat.class);

  /** The most operands of an operation that fits one word. */
  private static final int SHORT = 3;

  private static final ClassDesc ERROR = desc(Error.class);

  private final Class<?> base;
  private final ClassDesc superclass;

  private RecordingCode(Class<?> base) {
    this.base = base;
    this.superclass = desc(base);
  }

  /**
   * Generates a recording class.
   *
   * @param base the base class, which is abstract and has a field {@code recorder}
   * @param constructor the parameters of the constructor
   * @return a handle that makes an instance
   */
  static MethodHandle constructor(Class<?> base, MethodType constructor) {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      byte[] code = new RecordingCode(base).make(constructor);
      return lookup
          .findConstructor(lookup.defineHiddenClass(code, true).lookupClass(), constructor)
          .asType(constructor.changeReturnType(base));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no code that records " + base.getName(), e);
    }
  }

  private byte[] make(MethodType constructor) {
    MethodTypeDesc parameters = desc(constructor);
    return ClassFile.of()
        .build(
            ClassDesc.of(base.getName() + "Code"),
            type -> {
              type.withSuperclass(superclass).withFlags(ClassFile.ACC_FINAL);
              type.withMethodBody(
                  ConstantDescs.INIT_NAME, parameters, 0, code -> construct(code, parameters));
              Set<String> made = new HashSet<>();
              for (TraceOp op : HeapTrace.TABLE.all()) {
                if (!op.isFraming()
                    && op.owner() == base.getSuperclass()
                    && made.add(op.method() + op.type())) {
                  make(type, op);
                }
              }
            });
  }

  private void construct(CodeBuilder code, MethodTypeDesc parameters) {
    code.aload(0);
    load(code, parameters);
    code.invokespecial(superclass, ConstantDescs.INIT_NAME, parameters).return_();
  }

  private static void load(CodeBuilder code, MethodTypeDesc parameters) {
    for (int i = 0; i < parameters.parameterCount(); i++) {
      code.loadLocal(TypeKind.from(parameters.parameterType(i)), code.parameterSlot(i));
    }
  }

  private void make(ClassBuilder type, TraceOp op) {
    MethodTypeDesc method = desc(op.type());
    boolean written = op.isOverriddenBy(base);
    type.withMethodBody(
        op.method(),
        method,
        ClassFile.ACC_PUBLIC,
        code ->
            code.trying(
                block -> {
                  if (written) {
                    guard(block, op, method);
                  } else {
                    record(block, op, method);
                  }
                },
                handlers -> handlers.catching(ERROR, this::missed)));
  }

  /** Generates a method for an operation that the base class records: it only handles Errors. */
  private void guard(CodeBuilder code, TraceOp op, MethodTypeDesc method) {
    code.aload(0);
    load(code, method);
    code.invokespecial(superclass, op.method(), method).return_(TypeKind.from(method.returnType()));
  }

  /** Generates the handler's code, without a call, as the Java stack may be at its end. */
  private void missed(CodeBuilder code) {
    code.aload(0).getfield(superclass, "recorder", RECORDER).iconst_1();
    code.putfield(RECORDER, "missed", ConstantDescs.CD_boolean).athrow();
  }

  private void record(CodeBuilder code, TraceOp op, MethodTypeDesc method) {
    TypeKind kind = TypeKind.from(method.returnType());
    int result = kind == TypeKind.VOID ? -1 : code.allocateLocal(kind);
    code.trying(
        block -> {
          block.aload(0);
          load(block, method);
          block.invokespecial(superclass, op.method(), method);
          if (result >= 0) {
            block.storeLocal(kind, result);
          }
        },
        handlers -> handlers.catching(REFUSAL, block -> refused(block, op)));
    write(code, op);
    if (op.reads()) {
      Class<?> read = op.type().returnType();
      ClassDesc value = read.isEnum() ? desc(Enum.class) : method.returnType();
      recorder(code);
      code.loadLocal(kind, result)
          .invokestatic(FORMAT, op.readBy(), MethodTypeDesc.of(ConstantDescs.CD_long, value))
          .invokevirtual(
              RECORDER, "read", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_long));
    }
    if (result >= 0) {
      code.loadLocal(kind, result);
    }
    code.return_(kind);
  }

  private void refused(CodeBuilder code, TraceOp op) {
    int e = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(e);
    recorder(code);
    code.aload(e)
        .invokevirtual(RECORDER, "refused", MethodTypeDesc.of(ConstantDescs.CD_boolean, REFUSAL))
        .ifThen(block -> write(block, op))
        .aload(e)
        .athrow();
  }

  private void recorder(CodeBuilder code) {
    code.aload(0).getfield(superclass, "recorder", RECORDER);
  }

  /** Generates the recording of an operation: as one word if possible, else operand by operand. */
  private void write(CodeBuilder code, TraceOp op) {
    recorder(code);
    code.loadConstant(op.code());
    String letters = op.letters();
    if (letters.length() <= SHORT && letters.matches("[ni]*")) {
      writeWord(code, op);
      return;
    }
    boolean sized = false;
    for (int o = 0; o < op.operands().size(); o++) {
      char letter = op.operands().get(o).sort().letter();
      if (letter == 't' || letter == 'k') {
        loadOperand(code, op, o);
        code.invokestatic(
            RECORDER, "most", MethodTypeDesc.of(ConstantDescs.CD_long, typeOf(op, o)));
        if (sized) {
          code.ladd();
        }
        sized = true;
      }
    }
    MethodTypeDesc begin = MethodTypeDesc.of(RECORDER, ConstantDescs.CD_int);
    code.invokevirtual(
        RECORDER, "code", sized ? begin.insertParameterTypes(1, ConstantDescs.CD_long) : begin);
    for (int o = 0; o < op.operands().size(); o++) {
      TraceOperand operand = op.operands().get(o);
      if (operand.sort() != TraceOperand.Sort.UNSEEN) {
        ClassDesc type = loadOperand(code, op, o);
        code.invokevirtual(
            RECORDER, String.valueOf(operand.sort().letter()), MethodTypeDesc.of(RECORDER, type));
      }
    }
    code.pop();
  }

  private static void writeWord(CodeBuilder code, TraceOp op) {
    MethodTypeDesc write = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);
    for (int o = 0; o < op.operands().size(); o++) {
      TraceOperand operand = op.operands().get(o);
      if (operand.sort() != TraceOperand.Sort.UNSEEN) {
        ClassDesc type = loadOperand(code, op, o);
        if (operand.sort().letter() == 'i') {
          code.invokestatic(RECORDER, "zigzag", MethodTypeDesc.of(type, type));
        }
        write = write.insertParameterTypes(write.parameterCount(), type);
      }
    }
    code.invokevirtual(RECORDER, "op", write);
  }

  /** Loads an operand: a parameter, or the number of the reference in the parameter. */
  private static ClassDesc loadOperand(CodeBuilder code, TraceOp op, int operand) {
    int parameter = parameter(op, operand);
    ClassDesc type = typeOf(op, operand);
    code.loadLocal(TypeKind.from(type), code.parameterSlot(parameter));
    TraceOperand.Sort sort = op.operands().get(operand).sort();
    if (sort == TraceOperand.Sort.WEAK || sort == TraceOperand.Sort.GLOBAL) {
      code.getfield(type, "recorded", ConstantDescs.CD_long);
      return ConstantDescs.CD_long;
    }
    return type;
  }

  private static ClassDesc typeOf(TraceOp op, int operand) {
    return desc(op.type().parameterType(parameter(op, operand)));
  }

  private static int parameter(TraceOp op, int operand) {
    List<Integer> parameters = op.parameters();
    int parameter = parameters.indexOf(operand);
    if (parameter < 0) {
      throw new IllegalStateException(
          op + ": what it answers is in the trace; it needs a method that records it");
    }
    return parameter;
  }

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  private static MethodTypeDesc desc(MethodType type) {
    return type.describeConstable().orElseThrow();
  }
}
