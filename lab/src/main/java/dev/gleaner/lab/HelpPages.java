package dev.gleaner.lab;

import java.util.LinkedHashMap;
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
  private static final Map<String, String> STATUS = new LinkedHashMap<>();

  static {
    STATUS.put("0", "done");
    STATUS.put("1", "a run failed");
    STATUS.put("2", "the request was wrong; the message says what would be right");
  }

  private HelpPages() {}

  /** Shapes the help of all commands of a program. */
  static void shape(CommandLine program) {
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
      if (takesWorkload(command.getCommandSpec())) {
        usage.footer(
            Stream.concat(Stream.of(usage.footer()), Stream.of(Catalog.describe()))
                .toArray(String[]::new));
      }
    }
  }

  private static boolean takesWorkload(CommandSpec command) {
    return command.findOption("--workload") != null
        || command.positionalParameters().stream()
            .anyMatch(parameter -> parameter.paramLabel().startsWith("WORKLOAD"));
  }
}
