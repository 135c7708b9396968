package dev.gleaner.heap;

import dev.gleaner.util.Inlining;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/**
 * Handles of {@link Operations}, so that the compiler {@link Inlining inlines} them in {@link
 * Mutator}.
 */
final class OperationHandles {
  static final MethodHandle ENTER = operation("doEnter", void.class, int.class);
  static final MethodHandle ENTER_WITH =
      operation("doEnter", void.class, int.class, int.class, int.class);
  static final MethodHandle LEAVE = operation("doLeave", void.class);
  static final MethodHandle LEAVE_WITH = operation("doLeave", void.class, int.class, int.class);
  static final MethodHandle NEW_RECORD = operation("doNewRecord", void.class, int.class, int.class);
  static final MethodHandle STORE =
      operation("doStore", void.class, int.class, int.class, int.class);
  static final MethodHandle LOAD = operation("doLoad", void.class, int.class, int.class, int.class);
  static final MethodHandle STORE_PLAIN =
      operation("doStorePlain", void.class, int.class, int.class, long.class);
  static final MethodHandle LOAD_INT = operation("doLoadInt", int.class, int.class, int.class);
  static final MethodHandle GET = operation("doGet", long.class, int.class);
  static final MethodHandle SET = operation("doSet", void.class, int.class, long.class);
  static final MethodHandle COPY = operation("doCopy", void.class, int.class, int.class);
  static final MethodHandle GET_OF = operation("doGet", long.class, int.class, int.class);
  static final MethodHandle SET_OF =
      operation("doSet", void.class, int.class, int.class, long.class);
  static final MethodHandle LOAD_CONSTANT =
      operation("doLoadConstant", void.class, int.class, int.class, int.class);
  static final MethodHandle FUNCTION_CODE = operation("doFunctionCode", int.class, int.class);
  static final MethodHandle SET_GLOBAL =
      operation("doSetGlobal", void.class, GlobalRef.class, int.class);
  static final MethodHandle GET_GLOBAL =
      operation("doGetGlobal", void.class, int.class, GlobalRef.class);

  private OperationHandles() {}

  private static MethodHandle operation(String name, Class<?> result, Class<?>... parameters) {
    return Inlining.handle(MethodHandles.lookup(), Operations.class, name, result, parameters);
  }
}
