package dev.gleaner.it.planted;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/** Loads a class with a bug instead of the right one, in whatever JVM has this agent. */
public final class PlantedAgent {
  /** The name of the class, and its file, in the agent's jar. */
  static final String NAME = "planted/name.txt";

  static final String FILE = "planted/class";

  private PlantedAgent() {}

  /**
   * Is called by the JVM before the program.
   *
   * @param arguments none
   * @param jvm tells of classes that are loaded
   */
  public static void premain(@Nullable String arguments, Instrumentation jvm) throws IOException {
    String name = new String(read(NAME), java.nio.charset.StandardCharsets.UTF_8);
    byte[] file = read(FILE);
    jvm.addTransformer(
        new ClassFileTransformer() {
          @Override
          public byte @Nullable [] transform(
              @Nullable ClassLoader loader,
              @Nullable String type,
              @Nullable Class<?> before,
              @Nullable ProtectionDomain domain,
              byte[] bytes) {
            return name.equals(type) ? file : null;
          }
        });
  }

  private static byte[] read(String entry) throws IOException {
    try (InputStream in = ClassLoader.getSystemResourceAsStream(entry)) {
      if (in == null) {
        throw new IOException("no " + entry + " in the agent's jar; Plant writes one");
      }
      return in.readAllBytes();
    }
  }
}
