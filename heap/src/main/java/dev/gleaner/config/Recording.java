package dev.gleaner.config;

import dev.gleaner.refusal.HeapException;
import dev.gleaner.trace.TraceFormat;
import dev.gleaner.trace.TraceSink;
import dev.gleaner.trace.TraceWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What {@code trace.file} asks for: a file for every heap.
 *
 * @param file where the first heap's operations go; those of the second one that this JVM opens
 *     with it go to {@code name-2.extension}, and so on
 * @param given the settings that somebody set, in HOCON
 * @param inForce all settings of the collector, in HOCON
 */
record Recording(Path file, String collector, String given, String inForce) {

  /** Over all factories, so that no trace overwrites another one of this JVM. */
  private static final Map<Path, AtomicInteger> OPENED = new ConcurrentHashMap<>();

  TraceSink open(String heap, boolean userFunctions) {
    Path path = next();
    Map<String, String> header = new LinkedHashMap<>();
    header.put(TraceFormat.COLLECTOR, collector);
    header.put(TraceFormat.GIVEN, given);
    header.put(TraceFormat.IN_FORCE, inForce);
    header.put("heap", heap);
    header.put("allocation-functions", userFunctions ? "user" : "default");
    header.put("gleaner", String.valueOf(Recording.class.getPackage().getImplementationVersion()));
    header.put("java", Runtime.version().toString());
    try {
      return new TraceWriter(path, header);
    } catch (IOException e) {
      throw new HeapException("gleaner.trace.file: cannot write " + path + ": " + e.getMessage());
    }
  }

  private Path next() {
    int n =
        OPENED
            .computeIfAbsent(file.toAbsolutePath().normalize(), f -> new AtomicInteger())
            .incrementAndGet();
    if (n == 1) {
      return file;
    }
    String name = String.valueOf(file.getFileName());
    int dot = name.lastIndexOf('.');
    int end = dot <= 0 ? name.length() : dot;
    return file.resolveSibling(name.substring(0, end) + "-" + n + name.substring(end));
  }
}
