package dev.gleaner.it.errors;

import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.heap.Heap;
import dev.gleaner.kit.Conformance;
import dev.gleaner.metrics.HeapMetrics;
import dev.gleaner.spi.CollectorProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * All of Gleaner's classes once more, with a call of {@link ErrorPoint#pass} before each call and
 * each allocation of those that the operations of a heap consist of.
 */
public final class InstrumentedClasses extends URLClassLoader {
  private static final ClassDesc POINT = ClassDesc.of(ErrorPoint.class.getName());
  private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);

  /** Below {@code dev.gleaner}. */
  private static final Set<String> PACKAGES =
      Set.of(
          "collector",
          "frame",
          "heap",
          "layout",
          "mark",
          "memory",
          "space",
          "spi",
          "table",
          "text",
          "trace",
          "util",
          "weak");

  private static final CodeTransform WITH_POINTS =
      (code, element) -> {
        switch (element) {
          case InvokeInstruction _,
              InvokeDynamicInstruction _,
              NewObjectInstruction _,
              NewPrimitiveArrayInstruction _,
              NewReferenceArrayInstruction _ ->
              code.invokestatic(POINT, "pass", NOTHING);
          default -> {}
        }
        code.with(element);
      };

  private InstrumentedClasses(List<URL> places) {
    super("instrumented", places.toArray(URL[]::new), InstrumentedClasses.class.getClassLoader());
  }

  /** Makes them, to be loaded when they are needed. */
  public static InstrumentedClasses make() throws IOException {
    List<URL> places = new ArrayList<>();
    places.add(place(CollectorProvider.class));
    places.add(place(Heap.class));
    places.add(place(HeapMetrics.class));
    places.add(place(Conformance.class));
    places.add(place(InstrumentedClasses.class));
    for (CollectorRegistry.Plugin plugin : CollectorRegistry.discover(List.of()).plugins()) {
      places.add(place(plugin.provider().getClass()));
    }
    return new InstrumentedClasses(places);
  }

  private static URL place(Class<?> type) throws IOException {
    return URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()).toURL();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      if (!name.startsWith("dev.gleaner.") || name.equals(ErrorPoint.class.getName())) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      return known == null ? findClass(name) : known;
    }
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    String[] parts = name.split("\\.", 4);
    if (parts.length < 4 || !PACKAGES.contains(parts[2])) {
      return super.findClass(name);
    }
    try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] code = withPoints(in.readAllBytes());
      return defineClass(name, code, 0, code.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A class that cannot be initialized never can be again: there is no point in that. */
  private static byte[] withPoints(byte[] code) {
    ClassFile file = ClassFile.of();
    return file.transformClass(
        file.parse(code),
        ClassTransform.transformingMethodBodies(
            method -> !method.methodName().equalsString(ConstantDescs.CLASS_INIT_NAME),
            WITH_POINTS));
  }

  /**
   * Runs a function of theirs.
   *
   * @param type of the function, from a text to a list of texts
   */
  public List<String> run(Class<?> type, String argument) throws ReflectiveOperationException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(this);
    try {
      @SuppressWarnings("unchecked")
      Function<String, List<String>> function =
          (Function<String, List<String>>) loadClass(type.getName()).getConstructor().newInstance();
      return function.apply(argument);
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
