package dev.gleaner.util;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;
import java.util.Locale;

/**
 * The system's texts for its errors. The JVM passes them on in messages, in the system's language.
 */
public final class SystemErrors {
  private static final long LONGEST = 1024;

  private SystemErrors() {}

  /**
   * The text for an error, in the system's language.
   *
   * @param number of the error, as {@code errno} has it
   * @return empty where the library may not call native functions, or outside of Linux
   */
  @SuppressWarnings("restricted")
  public static String text(int number) {
    if (!SystemErrors.class.getModule().isNativeAccessEnabled()
        || !System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("linux")) {
      return "";
    }
    Linker linker = Linker.nativeLinker();
    FunctionDescriptor type = FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT);
    MethodHandle call = linker.downcallHandle(linker.defaultLookup().findOrThrow("strerror"), type);
    try {
      MemorySegment text = (MemorySegment) call.invokeExact(number);
      Charset charset =
          Charset.forName(
              System.getProperty("sun.jnu.encoding", "UTF-8"), Charset.defaultCharset());
      return text.reinterpret(LONGEST).getString(0, charset);
    } catch (Throwable e) {
      throw new LinkageError("strerror", e);
    }
  }
}
