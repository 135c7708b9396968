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
import java.util.HashSet;
import java.util.Set;

/**
 * The calls that bodies make of steps. A step of {@link Late} has a static method, in a class that
 * is made here, with a handle ({@link Inlining}). {@link SharedStepsClass} makes shared steps.
 *
 * <p>The compiler inlines in the order of the code, up to a bound for each method. A large step at
 * the start would use up the bound, and all later steps would stay calls.
 */
final class StepCalls {
  /** A step that works on the heap more than once. The compiler inlines the step late. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Late {}

  /** A large step, which is always called as a shared step. */
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @interface Never {}

  private static final ClassDesc STEPS = desc(Steps.class);
  private static final ClassDesc HANDLE = ConstantDescs.CD_MethodHandle;
  private static final ClassDesc LATE = ClassDesc.of(Steps.class.getPackageName(), "LateSteps");
  private static final Set<String> LATE_STEPS = new HashSet<>();
  private static final Set<String> NEVER_INLINED = new HashSet<>();
  private static final Set<String> SHARED_STEPS = new HashSet<>();

  static {
    try {
      MethodHandles.lookup().defineClass(ClassFile.of().build(LATE, StepCalls::writeLateSteps));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
    for (Method step : SharedSteps.class.getDeclaredMethods()) {
      SHARED_STEPS.add(step.getName() + type(step).descriptorString());
    }
  }

  private StepCalls() {}

  private static ClassDesc desc(Class<?> type) {
    return type.describeConstable().orElseThrow();
  }

  /**
   * Writes the call of a step. The object and the operands are on the stack.
   *
   * @param inlines whether the step may be inlined
   */
  static void write(CodeBuilder out, String name, MethodTypeDesc type, boolean inlines) {
    String key = name + type.descriptorString();
    String shared = SharedStepsClass.sharedName(name);
    if (inlines
        ? NEVER_INLINED.contains(key)
        : SHARED_STEPS.contains(shared + type.descriptorString())) {
      out.invokevirtual(STEPS, shared, type);
    } else if (LATE_STEPS.contains(key)) {
      out.invokestatic(LATE, name, type.insertParameterTypes(0, STEPS));
    } else {
      out.invokevirtual(STEPS, name, type);
    }
  }

  private static void writeLateSteps(ClassBuilder out) {
    out.withFlags(ClassFile.ACC_FINAL | ClassFile.ACC_SUPER);
    for (Method step : Steps.class.getDeclaredMethods()) {
      DirectMethodHandleDesc handle = handle(step);
      String key = handle.methodName() + handle.lookupDescriptor();
      if (step.isAnnotationPresent(Never.class)) {
        NEVER_INLINED.add(key);
      } else if (step.isAnnotationPresent(Late.class)) {
        LATE_STEPS.add(key);
        MethodTypeDesc call = handle.invocationType();
        out.withMethodBody(
            handle.methodName(), call, ClassFile.ACC_STATIC, b -> writeLate(b, handle, call));
      }
    }
  }

  private static void loadParameters(CodeBuilder b, MethodTypeDesc type) {
    for (int i = 0; i < type.parameterCount(); i++) {
      b.loadLocal(TypeKind.from(type.parameterType(i)), b.parameterSlot(i));
    }
  }

  private static MethodTypeDesc type(Method step) {
    return MethodType.methodType(step.getReturnType(), step.getParameterTypes())
        .describeConstable()
        .orElseThrow();
  }

  private static DirectMethodHandleDesc handle(Method step) {
    return MethodHandleDesc.ofMethod(
        DirectMethodHandleDesc.Kind.VIRTUAL, STEPS, step.getName(), type(step));
  }

  /**
   * Writes a call through a handle. The handle is constant once the compiler sees that the loop has
   * no second turn.
   */
  private static void writeLate(CodeBuilder b, DirectMethodHandleDesc handle, MethodTypeDesc call) {
    int local = b.allocateLocal(TypeKind.REFERENCE);
    Label turn = b.newLabel();
    b.ldc(handle).astore(local).labelBinding(turn).aload(local);
    loadParameters(b, call);
    b.invokevirtual(HANDLE, "invokeExact", call).return_(TypeKind.from(call.returnType()));
    Label end = b.newBoundLabel();
    b.exceptionCatch(turn, end, end, desc(Throwable.class));
    MethodTypeDesc thrown = MethodTypeDesc.of(HANDLE, desc(Throwable.class));
    b.invokestatic(desc(Inlining.class), "thrown", thrown).astore(local).goto_(turn);
  }
}
