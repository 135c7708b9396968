package dev.gleaner.lab;

import dev.gleaner.trace.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a command writes its report. One that was asked for must be writable, which is found out
 * before the first run; the one that is written anyway is left out with a remark where it cannot
 * be, and does not take the place of an earlier one.
 */
record ReportFile(Path path, boolean asked) {
  private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  /**
   * Takes the file that was asked for, or the usual one.
   *
   * @throws RequestException if the one that was asked for cannot be written
   */
  static ReportFile of(@Nullable Path asked, Path usual) {
    if (asked != null) {
      String problem = problem(asked, usual);
      if (problem != null) {
        throw new RequestException("--report " + asked + ": " + problem);
      }
    }
    return new ReportFile(asked == null ? usual : asked, asked != null);
  }

  private static @Nullable String problem(Path file, Path usual) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      return "that is a folder; name a file in it, such as " + file.resolve(usual);
    }
    if (folder == null || !Files.isDirectory(folder)) {
      return "there is no folder " + folder;
    }
    boolean device = Files.exists(file) && !Files.isRegularFile(file);
    boolean writable =
        (device || Files.isWritable(folder)) && (!Files.exists(file) || Files.isWritable(file));
    return writable ? null : "it cannot be written";
  }

  /** The usual name is that of the last report; an earlier one gets its time into its name. */
  private void keepEarlier() throws IOException {
    if (asked || !Files.isRegularFile(path)) {
      return;
    }
    Instant written = Files.getLastModifiedTime(path).toInstant();
    String stamp = STAMP.format(written.atZone(ZoneOffset.UTC));
    String name = String.valueOf(path.getFileName());
    int dot = name.lastIndexOf('.');
    Files.move(
        path,
        path.resolveSibling(name.substring(0, dot) + "-" + stamp + name.substring(dot)),
        StandardCopyOption.REPLACE_EXISTING);
  }

  /**
   * Writes the report; returns a line that says where it is, or why there is none.
   *
   * @throws UncheckedIOException if one was asked for and cannot be written after all
   */
  String write(Supplier<String> html) {
    try {
      keepEarlier();
      WholeFile.write(path, html.get());
      return "Charts, and every figure: " + path;
    } catch (IOException e) {
      if (asked) {
        throw new UncheckedIOException(
            "--report " + path + ": it cannot be written: " + e.getMessage(), e);
      }
      return "No report: %s cannot be written: %s".formatted(path.toAbsolutePath(), e.getMessage());
    }
  }
}
