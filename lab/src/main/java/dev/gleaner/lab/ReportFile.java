package dev.gleaner.lab;

import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.report.HtmlReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where {@code compare} writes its report. One that was asked for must be writable, which is found
 * out before the first run; the one that is written anyway is left out with a remark where it
 * cannot be.
 */
final class ReportFile {
  private static final Path USUAL = Path.of("gleaner-report.html");

  private final Path path;
  private final boolean asked;

  private ReportFile(Path path, boolean asked) {
    this.path = path;
    this.asked = asked;
  }

  /**
   * Takes the file that was asked for, or the usual one.
   *
   * @throws RequestException if the one that was asked for cannot be written
   */
  static ReportFile of(@Nullable Path asked) {
    if (asked != null) {
      String problem = problem(asked);
      if (problem != null) {
        throw new RequestException("--report " + asked + ": " + problem);
      }
    }
    return new ReportFile(asked == null ? USUAL : asked, asked != null);
  }

  private static @Nullable String problem(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file)) {
      return "that is a folder; name a file in it, such as " + file.resolve(USUAL);
    }
    if (folder == null || !Files.isDirectory(folder)) {
      return "there is no folder " + folder;
    }
    return Files.isWritable(Files.exists(file) ? file : folder) ? null : "it cannot be written";
  }

  /**
   * Writes the report; returns a line that says where it is, or why there is none.
   *
   * @throws RequestException if one was asked for and cannot be written after all
   */
  String write(List<Comparison> comparisons) {
    try {
      Files.writeString(path, HtmlReport.of(comparisons, ZonedDateTime.now(ZoneOffset.UTC)));
      return "Charts, and every figure: " + path;
    } catch (IOException e) {
      if (asked) {
        throw new RequestException("--report " + path + ": it cannot be written: " + e, e);
      }
      return "No report: " + path.toAbsolutePath() + " cannot be written.";
    }
  }
}
