package dev.gleaner.lab;

import dev.gleaner.lab.output.Words;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Gives the help of all commands the shape of a manual page: synopsis, description, parameters,
 * options, exit status, examples, and the workloads where one can be named.
 *
 * <p>A command says in its annotation what it does ({@code description}), its examples ({@code
 * footer}: a line {@code " gleaner NAME …"}, then one that explains it, indented by six), and its
 * exit status ({@code exitCodeList}) if it is not the general one.
 */
final class HelpPages {
  /** Picocli's own. */
  private static final int LEAST_WIDTH = 55;

  private static final int MOST_WIDTH = 80;
  private static final Map<String, String> STATUS = new LinkedHashMap<>();

  static {
    STATUS.put("0", "done");
    STATUS.put("1", "a run failed");
    STATUS.put("2", "the request was wrong; the message says what would be right");
  }

  private HelpPages() {}

  /**
   * Shapes the help of all commands of a program.
   *
   * @param columns of the terminal; lines are shorter by one, and have 79 characters at most
   */
  static void shape(CommandLine program, int columns) {
    int width = Math.clamp(columns, LEAST_WIDTH + 1, MOST_WIDTH) - 1;
    program.setUsageHelpWidth(width);
    for (CommandLine command : program.getSubcommands().values()) {
      UsageMessageSpec usage = command.getCommandSpec().usageMessage();
      usage.descriptionHeading("%n");
      usage.parameterListHeading("%nParameters:%n");
      usage.optionListHeading("%nOptions:%n");
      usage.exitCodeListHeading("%nExit status:%n");
      if (usage.exitCodeList().isEmpty()) {
        usage.exitCodeList(STATUS);
      }
      usage.footerHeading("%nExamples:%n");
      Stream<String> footer = Stream.of(usage.footer());
      if (takesWorkload(command.getCommandSpec())) {
        footer = Stream.concat(footer, Stream.of(Catalog.describe()));
      }
      usage.footer(footer.flatMap(line -> folded(line, width).stream()).toArray(String[]::new));
    }
  }

  /** Returns a line in several that keep its indent; a command goes on as a shell takes it. */
  static List<String> folded(String line, int width) {
    String text = line.strip();
    String indent = line.substring(0, line.indexOf(text));
    if (!text.startsWith("gleaner ")) {
      return Words.wrapped(text, width - indent.length()).stream().map(indent::concat).toList();
    }
    List<String> parts = Words.wrapped(text, width - indent.length() - 4);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      String end = i < parts.size() - 1 ? " \\" : "";
      lines.add(indent + (i > 0 ? "  " : "") + parts.get(i) + end);
    }
    return lines;
  }

  private static boolean takesWorkload(CommandSpec command) {
    return command.findOption("--workload") != null
        || command.positionalParameters().stream()
            .anyMatch(parameter -> parameter.paramLabel().startsWith("WORKLOAD"));
  }
}
