package dev.gleaner.lab.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The collections of this JVM, read from the log that it writes itself ({@code -Xlog:gc:file=…}),
 * because its management beans round pauses to milliseconds.
 *
 * <pre>
 * [0.215s][info][gc] GC(0) Pause Young (Allocation Failure) 1092M->1M(3959M) 2.345ms
 * </pre>
 */
public final class GcLog {
  private static final Pattern PAUSE =
      Pattern.compile("GC\\(\\d+\\) Pause .* (\\d+)M->\\d+M\\(\\d+M\\) ([0-9.]+)ms$");

  private final Path file;
  private int linesRead;
  private long totalNanos;
  private long collections;
  private long mostMebibytes;
  private Pauses pauses = new Pauses();

  /** Reads the log in this file; what is in it already is left out. */
  public GcLog(Path file) {
    this.file = file;
    skip();
  }

  /** Leaves out what happened until now. */
  void skip() {
    read();
    totalNanos = 0;
    collections = 0;
    mostMebibytes = 0;
    pauses = new Pauses();
  }

  /** Takes in what happened since. */
  void read() {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the JVM's log of its collections", e);
    }
    for (String line : lines.subList(linesRead, lines.size())) {
      Matcher pause = PAUSE.matcher(line);
      if (pause.find()) {
        collections++;
        mostMebibytes = Math.max(mostMebibytes, Long.parseLong(pause.group(1)));
        long nanos = Math.round(Double.parseDouble(pause.group(2)) * 1e6);
        totalNanos += nanos;
        pauses.record(nanos);
      }
    }
    linesRead = lines.size();
  }

  long collections() {
    return collections;
  }

  double totalSeconds() {
    return totalNanos / 1e9;
  }

  Pauses pauses() {
    return pauses;
  }

  /** The most that was in use at the start of a collection, in bytes. */
  long mostUsedBytes() {
    return mostMebibytes << 20;
  }
}
