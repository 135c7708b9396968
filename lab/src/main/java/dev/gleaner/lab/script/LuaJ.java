package dev.gleaner.lab.script;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/**
 * LuaJ's interpreter, from a jar that the user has: nothing here is compiled against it, and it
 * shares no classes with us.
 */
public final class LuaJ implements AutoCloseable {
  private final URLClassLoader loader;

  /**
   * Opens the jar.
   *
   * @param jar that of luaj-jse
   */
  public LuaJ(Path jar) throws IOException {
    loader =
        new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
  }

  /**
   * Runs a program in globals of its own.
   *
   * @param out gets what it prints
   * @throws ReflectiveOperationException if this is no jar of LuaJ's
   * @throws InvocationTargetException if the program fails
   */
  public void run(LuaProgram program, OutputStream out) throws ReflectiveOperationException {
    Class<?> valueClass = loader.loadClass("org.luaj.vm2.LuaValue");
    Object globals =
        loader
            .loadClass("org.luaj.vm2.lib.jse.JsePlatform")
            .getMethod("standardGlobals")
            .invoke(null);
    PrintStream printed = new PrintStream(out, false);
    globals.getClass().getField("STDOUT").set(globals, printed);
    Object arg = valueClass.getMethod("tableOf").invoke(null);
    valueClass
        .getMethod("set", int.class, String.class)
        .invoke(arg, 1, Integer.toString(program.size()));
    valueClass.getMethod("set", String.class, valueClass).invoke(globals, "arg", arg);
    Object chunk =
        globals
            .getClass()
            .getMethod("load", InputStream.class, String.class, String.class, valueClass)
            .invoke(
                globals,
                new ByteArrayInputStream(program.source()),
                "@" + program.file(),
                "t",
                globals);
    valueClass.getMethod("call").invoke(chunk);
    printed.flush();
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }
}
