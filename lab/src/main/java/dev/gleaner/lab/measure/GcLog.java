package dev.gleaner.lab.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The collections of this JVM, read from the log that it writes itself ({@code
 * -Xlog:gc:file=…:timenanos}), because its management beans round pauses to milliseconds. Times are
 * those of {@link System#nanoTime}, at the end of a pause.
 *
 * <pre>
 * [8423912345678ns] GC(0) Pause Young (Allocation Failure) 1092M->1M(3959M) 2.345ms
 * </pre>
 */
public final class GcLog {
  private static final Pattern PAUSE =
      Pattern.compile(
          "^\\[(\\d+)ns\\] GC\\(\\d+\\) Pause .* (\\d+)M->(\\d+)M\\(\\d+M\\) ([0-9.]+)ms$");

  private final Path file;
  private int linesRead;
  private long totalNanos;
  private long collections;
  private long mostMebibytes;
  private long since = Long.MIN_VALUE;
  private Pauses pauses = new Pauses();
  private final List<Change> changes = new ArrayList<>();

  /** The memory in use at one end of a pause, and when that was. */
  record Change(long systemNanos, long usedBytes) {}

  /** Reads the log in this file; what is in it already is left out. */
  public GcLog(Path file) {
    this.file = file;
    skip(Long.MIN_VALUE);
  }

  /**
   * Leaves out what happened until now. A pause before {@code systemNanos} may be written later,
   * and is left out as well.
   */
  void skip(long systemNanos) {
    read(Long.MAX_VALUE);
    since = systemNanos;
    totalNanos = 0;
    collections = 0;
    mostMebibytes = 0;
    pauses = new Pauses();
    changes.clear();
  }

  /** Takes in what happened since, and began before a moment. */
  void read(long systemNanos) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the JVM's log of its collections", e);
    }
    for (String line : lines.subList(linesRead, lines.size())) {
      Matcher pause = PAUSE.matcher(line);
      if (pause.find()) {
        long end = Long.parseLong(pause.group(1));
        long nanos = Math.round(Double.parseDouble(pause.group(4)) * 1e6);
        if (end - nanos < since || end - nanos >= systemNanos) {
          continue;
        }
        collections++;
        long before = Long.parseLong(pause.group(2));
        long after = Long.parseLong(pause.group(3));
        mostMebibytes = Math.max(mostMebibytes, before);
        totalNanos += nanos;
        pauses.record(nanos);
        changes.add(new Change(end - nanos, before << 20));
        changes.add(new Change(end, after << 20));
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

  /** The memory in use before and after each collection. */
  List<Change> changes() {
    return List.copyOf(changes);
  }

  /** The most that was in use at the start of a collection, in bytes. */
  long mostUsedBytes() {
    return mostMebibytes << 20;
  }
}
