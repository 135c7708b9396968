package dev.gleaner.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.CRC32;

/**
 * The JVM's cache of loaded classes (JEP 483), which saves workers half of their start: they load
 * some 1500 classes of libraries before the first element is allocated.
 *
 * <p>Lies beside the program's jar, where it can be written, and is made by a worker that runs a
 * tiny workload. Its name holds a checksum of the jars' sizes and times and of the JVM's version,
 * so that it is made anew when one of them changes; the JVM checks that again by itself. Without
 * it, as from a folder of classes, workers start slower and are otherwise the same.
 */
final class StartupCache {
  private static final String PREFIX = "gleaner-lab-";
  private static final String SUFFIX = ".aot";

  private StartupCache() {}

  /**
   * Returns the options that make a worker use the cache, none if there is none; makes it first if
   * need be.
   *
   * @param collector one to make it with
   */
  static List<String> flags(String collector) {
    Path jar = Path.of(System.getProperty("java.class.path"));
    Path folder = jar.getParent();
    if (folder == null || !jar.toString().endsWith(".jar") || !Files.isRegularFile(jar)) {
      return List.of();
    }
    try {
      Path cache = folder.resolve(PREFIX + key(folder) + SUFFIX);
      if (Files.exists(cache) || (Files.isWritable(folder) && make(cache, collector))) {
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
  private static boolean make(Path cache, String collector) throws IOException {
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
      WorkerRequest request =
          new WorkerRequest(
              collector,
              "binary-trees",
              Map.of("depth", "6"),
              1,
              0,
              new Settings(null, List.of(), null, List.of()),
              null);
      WorkerProcess.Outcome outcome = new WorkerProcess(request, flags).run(fraction -> {});
      if (!outcome.runs().getFirst().ok() || Files.size(made) == 0) {
        return false;
      }
      Files.move(made, cache, StandardCopyOption.ATOMIC_MOVE);
      return true;
    } finally {
      Files.deleteIfExists(made);
    }
  }
}
