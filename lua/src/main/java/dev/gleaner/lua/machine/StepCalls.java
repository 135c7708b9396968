package dev.gleaner.lua.machine;

import dev.gleaner.util.Inlining;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Calls of steps that the JVM's compiler must not inline early. Each such step has a static method,
 * in a class that is made here, and a handle ({@link Inlining}).
 *
 * <p>The compiler inlines in the order of the code, up to a bound for each method. A large step at
 * the start would use up the bound, and all later steps would stay calls.
 */
final class StepCalls {
  /** A step that works on the heap more than once. The compiler inlines the step late. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Late {}

  /** A large step. The compiler never inlines the step. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Never {}

  private static final ClassDesc STEPS = desc(Steps.class);
  private static final ClassDesc HANDLE = ConstantDescs.CD_MethodHandle;
  private static final ClassDesc CLASS = ClassDesc.of(Steps.class.getPackageName(), "InlinedSteps");
  private static final Set<String> STEP_CALLS = new HashSet<>();

  static {
    byte[] bytes = ClassFile.of().build(CLASS, StepCalls::write);
    try {
      MethodHandles.lookup().defineClass(bytes);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  private StepCalls() {}

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  /** Writes the call of a step. The steps object and the operands are on the stack. */
  static void write(CodeBuilder out, String name, MethodTypeDesc type) {
    if (STEP_CALLS.contains(name + type.descriptorString())) {
      out.invokestatic(CLASS, name, type.insertParameterTypes(0, STEPS));
    } else {
      out.invokevirtual(STEPS, name, type);
    }
  }

  private static void write(ClassBuilder out) {
    out.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
    List<DirectMethodHandleDesc> large = new ArrayList<>();
    for (Method step : Steps.class.getDeclaredMethods()) {
      boolean late = step.isAnnotationPresent(Late.class);
      if (late || step.isAnnotationPresent(Never.class)) {
        DirectMethodHandleDesc handle = handle(step);
        STEP_CALLS.add(handle.methodName() + handle.lookupDescriptor());
        if (!late) {
          large.add(handle);
          out.withField(handle.methodName(), HANDLE, ClassFile.ACC_STATIC);
        }
        MethodTypeDesc call = handle.invocationType();
        Consumer<CodeBuilder> body = b -> writeNever(b, handle.methodName(), call);
        if (late) {
          body = b -> writeLate(b, handle, call);
        }
        out.withMethodBody(handle.methodName(), call, ClassFile.ACC_STATIC, body);
      }
    }
    out.withMethodBody(
        ConstantDescs.CLASS_INIT_NAME,
        ConstantDescs.MTD_void,
        ClassFile.ACC_STATIC,
        b -> {
          large.forEach(h -> b.ldc(h).putstatic(CLASS, h.methodName(), HANDLE));
          b.return_();
        });
  }

  private static DirectMethodHandleDesc handle(Method step) {
    MethodType type = MethodType.methodType(step.getReturnType(), step.getParameterTypes());
    return MethodHandleDesc.ofMethod(
        DirectMethodHandleDesc.Kind.VIRTUAL,
        STEPS,
        step.getName(),
        type.describeConstable().orElseThrow());
  }

  /**
   * Writes a call through a handle. The handle is constant once the compiler sees that the loop has
   * no second turn.
   */
  private static void writeLate(CodeBuilder b, DirectMethodHandleDesc handle, MethodTypeDesc call) {
    int local = b.allocateLocal(TypeKind.REFERENCE);
    Label turn = b.newLabel();
    b.ldc(handle).astore(local).labelBinding(turn).aload(local);
    invoke(b, call);
    Label end = b.newBoundLabel();
    b.exceptionCatch(turn, end, end, desc(Throwable.class));
    MethodTypeDesc thrown = MethodTypeDesc.of(HANDLE, desc(Throwable.class));
    b.invokestatic(desc(Inlining.class), "thrown", thrown).astore(local).goto_(turn);
  }

  /** Writes a call through a handle that is no constant, since the field is not final. */
  private static void writeNever(CodeBuilder b, String field, MethodTypeDesc call) {
    b.getstatic(CLASS, field, HANDLE);
    invoke(b, call);
  }

  private static void invoke(CodeBuilder b, MethodTypeDesc call) {
    for (int i = 0; i < call.parameterCount(); i++) {
      b.loadLocal(TypeKind.from(call.parameterType(i)), b.parameterSlot(i));
    }
    b.invokevirtual(HANDLE, "invokeExact", call).return_(TypeKind.from(call.returnType()));
  }
}
