package dev.gleaner.util;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * How a call is inlined by the JVM's second compiler: late, or never. Both are calls of a method
 * handle.
 *
 * <p><b>Late.</b> While it parses a method, the compiler stops to inline at 18,000 nodes, and an
 * access to memory makes some 700 before they fold to a few. So five or six operations use a method
 * up, and all others are calls. A handle that is no constant while the method is parsed, but is one
 * once the result has been folded, is inlined then: one such call after the other, what they leave
 * being folded in between. The variable of a loop is no constant until the compiler has seen that
 * the loop has no second turn:
 *
 * <pre>
 *   MethodHandle late = HANDLE; // static final
 *   while (true) {
 *     try {
 *       late.invokeExact(this, argument);
 *       return;
 *     } catch (Throwable e) {
 *       late = Inlining.thrown(e); // throws it
 *     }
 *   }
 * </pre>
 *
 * <p>A compiler that saw it at once would inline as ever, one that never did would make a call.
 *
 * <p><b>Never.</b> Below fifteen calls nothing is inlined, and an access to memory takes eight of
 * them. Work that begins deep down, such as freeing what an operation dropped, is compiled by
 * itself instead, with fifteen calls of its own: it is called by a handle in a field that is not
 * final.
 */
public final class Inlining {
  private Inlining() {}

  /** The handle of an instance method. */
  public static MethodHandle handle(
      MethodHandles.Lookup lookup,
      Class<?> type,
      String name,
      Class<?> result,
      Class<?>... parameters) {
    return find(lookup, false, type, name, MethodType.methodType(result, parameters));
  }

  /** The handle of a static method. A class that is being initialized gives slower ones. */
  public static MethodHandle staticHandle(
      MethodHandles.Lookup lookup,
      Class<?> type,
      String name,
      Class<?> result,
      Class<?>... parameters) {
    return find(lookup, true, type, name, MethodType.methodType(result, parameters));
  }

  private static MethodHandle find(
      MethodHandles.Lookup lookup,
      boolean isStatic,
      Class<?> type,
      String name,
      MethodType method) {
    try {
      return isStatic
          ? lookup.findStatic(lookup.ensureInitialized(type), name, method)
          : lookup.findVirtual(type, name, method);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(type.getName() + "." + name, e);
    }
  }

  /**
   * Makes the handles of classes now. Their first use may come in the midst of a change, where to
   * make them takes more of the Java stack than the change.
   */
  public static void makeHandles(MethodHandles.Lookup lookup, Class<?>... types) {
    for (Class<?> type : types) {
      try {
        Class<?> _ = lookup.ensureInitialized(type);
      } catch (IllegalAccessException e) {
        throw new IllegalArgumentException(type.getName(), e);
      }
    }
  }

  /** Throws what a late call threw, so that there is no second turn. */
  public static MethodHandle thrown(Throwable e) {
    throw rethrown(e);
  }

  /** Throws what a call threw, as it came. */
  public static RuntimeException rethrown(Throwable e) {
    throw Inlining.<RuntimeException>unchecked(e);
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException unchecked(Throwable e) throws E {
    throw (E) e;
  }
}
