package dev.gleaner.lab;

import dev.gleaner.lab.hprof.HprofException;
import dev.gleaner.lab.hprof.Inspection;
import dev.gleaner.lab.output.InspectionReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what is in a heap dump, or in a heap image. */
@Command(
    name = "inspect",
    description =
        "Show what is in a heap dump (HPROF), of a heap of Gleaner's or of a JVM, or in a heap"
            + " image: the classes, the"
            + " objects that hold most, and who holds an object. Retained bytes go if the object"
            + " does: those of all objects that every path from the roots leads to through it. The"
            + " memory needed is about 120 bytes an object and 8 a reference;"
            + " GLEANER_JAVA_OPTS=-Xmx8g gives more.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner inspect trees.hprof",
      "      of a heap, which gleaner snapshot wrote",
      "  gleaner inspect app.hprof --top 50",
      "      of a JVM, which jcmd PID GC.heap_dump app.hprof wrote",
      "  gleaner inspect app.hprof --path 0x7f0a12345678",
      "      how a root leads to an object",
      "  gleaner inspect warm.img",
      "      of a heap that was saved as an image"
    },
    exitCodeList = {
      "0:done",
      "2:the request was wrong, or the file is no heap dump or image; the message says where"
    },
    sortOptions = false)
final class InspectCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE", description = "A heap dump, or a heap image.")
  private Path file;

  @Option(
      names = "--top",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "Classes and objects that are shown, and names and frames of an image; default:"
              + " ${DEFAULT-VALUE}.")
  private int top;

  @Option(
      names = "--path",
      paramLabel = "ID",
      description = "Show how a root leads to the object with this number instead; default: none.")
  private @Nullable String id;

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  InspectCommand() {}

  @Override
  public Integer call() {
    if (top < 0) {
      throw new ParameterException(spec.commandLine(), "--top " + top + ": at least 0");
    }
    Long object = id == null ? null : number(id);
    PrintWriter out = spec.commandLine().getOut();
    int width = Terminal.columnsOrAny();
    try {
      if (ImageView.isImage(file)) {
        ImageView image = ImageView.of(file);
        (object == null ? image.lines(top, width) : image.path(object, width))
            .forEach(out::println);
        return 0;
      }
      Inspection inspection = Inspection.of(file);
      if (object == null) {
        InspectionReport.lines(file, inspection, top, width).forEach(out::println);
      } else {
        InspectionReport.path(object, inspection, width).forEach(out::println);
      }
      return 0;
    } catch (HprofException e) {
      throw new RequestException(String.valueOf(e.getMessage()), e);
    } catch (OutOfMemoryError e) {
      spec.commandLine()
          .getErr()
          .println(
              "gleaner: %s: does not fit in %d MiB; GLEANER_JAVA_OPTS=-Xmx8g gives more"
                  .formatted(file, Runtime.getRuntime().maxMemory() >> 20));
      return ExitStatus.FAILED;
    }
  }

  private long number(String text) {
    try {
      return text.startsWith("0x")
          ? Long.parseUnsignedLong(text.substring(2), 16)
          : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw new ParameterException(
          spec.commandLine(), "--path " + text + ": a number is needed, such as 0x7f0a12345678");
    }
  }
}
