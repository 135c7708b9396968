package dev.gleaner.lab;

import static java.lang.ProcessBuilder.Redirect.DISCARD;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;

/**
 * The JVM's cache of loaded classes (JEP 483), which saves the front end and its workers a third of
 * their start: each loads more than 1000 classes of libraries before it does anything.
 *
 * <p>Lies beside the program's jar, where it can be written, and is made by {@code
 * StartupTraining}. Its name holds a checksum of the jars' sizes and times and of the JVM's
 * version, so that it is made anew when one of them changes; the JVM checks that again by itself.
 * Without it, as from a folder of classes, all start slower and are otherwise the same.
 *
 * <pre>
 *   launcher: a cache newer than the jars? -- no --> this main, which makes it
 *                  '-- yes --> -XX:AOTCache for the front end
 *   Tournament: flags, for its workers
 * </pre>
 */
final class StartupCache {
  private static final String PREFIX = "gleaner-lab-";
  private static final String SUFFIX = ".aot";

  /** It takes two; whatever goes wrong, nobody waits for a cache for ever. */
  private static final long LONGEST_SECONDS = 120;

  /** The program that loads it all; that one needs this class. */
  private static final String TRAINING = StartupCache.class.getPackageName() + ".StartupTraining";

  private StartupCache() {}

  /** Makes the cache, if there is none for these jars and this JVM. */
  public static void main(String... arguments) {
    List<String> _ = flags();
  }

  /**
   * Returns the options that make a worker use the cache, none if there is none; makes it first if
   * need be.
   */
  static List<String> flags() {
    Path jar = Path.of(System.getProperty("java.class.path"));
    Path folder = jar.getParent();
    if (folder == null || !jar.toString().endsWith(".jar") || !Files.isRegularFile(jar)) {
      return List.of();
    }
    try {
      Path cache = folder.resolve(PREFIX + key(folder) + SUFFIX);
      if (Files.exists(cache) || (Files.isWritable(folder) && make(cache))) {
        // What the JVM cannot use of a cache it leaves, and need not tell.
        return List.of("-XX:AOTCache=" + cache, "-Xlog:aot=off,cds=off");
      }
      return List.of();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static String key(Path folder) throws IOException {
    StringBuilder text = new StringBuilder(System.getProperty("java.vm.version"));
    Set<Path> jars = new TreeSet<>();
    addAll(jars, folder, "*.jar");
    addAll(jars, folder.resolve("lib"), "*.jar");
    for (Path jar : jars) {
      text.append(' ').append(jar).append(' ').append(Files.size(jar));
      text.append(' ').append(Files.getLastModifiedTime(jar));
    }
    CRC32 crc = new CRC32();
    crc.update(text.toString().getBytes(StandardCharsets.UTF_8));
    return Long.toHexString(crc.getValue());
  }

  private static void addAll(Set<Path> to, Path folder, String glob) throws IOException {
    if (Files.isDirectory(folder)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, glob)) {
        files.forEach(to::add);
      }
    }
  }

  /** Makes the cache, and deletes those of earlier jars. */
  private static boolean make(Path cache) throws IOException {
    Path folder = cache.getParent();
    if (folder == null) {
      return false;
    }
    Set<Path> earlier = new TreeSet<>();
    addAll(earlier, folder, PREFIX + "*" + SUFFIX);
    for (Path file : earlier) {
      Files.deleteIfExists(file);
    }
    Path made = Files.createTempFile(folder, PREFIX, ".tmp");
    try {
      List<String> flags = new ArrayList<>(JvmFlags.forCollector(0, List.of()));
      flags.add("-XX:AOTCacheOutput=" + made);
      // Without profiles (JEP 515): those of a tiny workload mislead the compiler for good.
      flags.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTRecordTraining"));
      if (!train(flags) || Files.size(made) == 0) {
        return false;
      }
      Files.move(made, cache, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      Files.deleteIfExists(made);
    }
  }

  /**
   * Runs {@code StartupTraining} in a JVM of its own, and gives its worker the one run that it asks
   * for.
   *
   * @param flags the options of the JVM
   * @return whether it succeeds, in time
   */
  static boolean train(List<String> flags) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), TRAINING));
    Process training =
        new ProcessBuilder(command).redirectOutput(DISCARD).redirectError(DISCARD).start();
    try (OutputStream turns = training.getOutputStream()) {
      turns.write('\n');
      turns.flush();
      return training.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS) && training.exitValue() == 0;
    } finally {
      training.destroyForcibly();
    }
  }
}
