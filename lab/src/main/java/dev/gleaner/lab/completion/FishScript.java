package dev.gleaner.lab.completion;

import dev.gleaner.lab.completion.Completion.Anything;
import dev.gleaner.lab.completion.Completion.Collectors;
import dev.gleaner.lab.completion.Completion.Files;
import dev.gleaner.lab.completion.Completion.None;
import dev.gleaner.lab.completion.Completion.OneWorkload;
import dev.gleaner.lab.completion.Completion.Values;
import dev.gleaner.lab.completion.Completion.Words;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The script for fish: a line for each command and each option. */
final class FishScript {
  private static final String HEADER =
      """
      # Completion of gleaner in fish. To keep it:
      #   gleaner completion fish > ~/.config/fish/completions/gleaner.fish
      complete -c gleaner -f
      """;

  private final Completion completion;
  private final List<String> lines = new ArrayList<>();

  private FishScript(Completion completion) {
    this.completion = completion;
  }

  static String of(Completion completion) {
    FishScript script = new FishScript(completion);
    completion.commands().forEach(script::add);
    return HEADER + String.join("\n", script.lines) + "\n";
  }

  private void add(String name, CommandSpec command) {
    lines.add(
        "complete -c gleaner -n __fish_use_subcommand -a %s -d %s"
            .formatted(name, text(command.usageMessage().description())));
    String here = "complete -c gleaner -n '__fish_seen_subcommand_from " + name + "'";
    for (OptionSpec option : command.options()) {
      StringBuilder line = new StringBuilder(here);
      for (String each : option.names()) {
        line.append(each.startsWith("--") ? " -l " : " -s ").append(each.replaceFirst("^-+", ""));
      }
      lines.add(line + values(Completion.valuesOf(option)) + " -d " + text(option.description()));
    }
    String parameters = values(Completion.parametersOf(command));
    if (!command.positionalParameters().isEmpty()) {
      lines.add(here + parameters.replace(" -r", "").replace(" -x", ""));
    }
  }

  private String values(Values values) {
    return switch (values) {
      case Words words -> " -x -a '" + String.join(" ", words.words()) + "'";
      case Collectors _ -> " -x -a '" + String.join(" ", completion.collectors()) + " all'";
      case OneWorkload _ -> " -x -a '" + String.join(" ", workloads()) + "'";
      case Files _ -> " -r -F";
      case Anything _ -> " -x";
      case None _ -> "";
    };
  }

  /** Fish cannot complete within a word as bash does: a parameter each is offered. */
  private List<String> workloads() {
    List<String> all = new ArrayList<>();
    completion
        .workloads()
        .forEach(workload -> {
          all.add(workload.name());
          Completion.settingsOf(workload)
              .forEach(setting -> all.add(workload.name() + ":" + setting));
        });
    return all;
  }

  /** Returns the first sentence, quoted. */
  private static String text(String[] description) {
    String all = String.join(" ", description);
    int end = all.indexOf(": ");
    String first = end > 0 && end < all.indexOf(". ") ? all.substring(0, end) : all;
    int stop = first.indexOf(". ");
    String sentence = stop > 0 ? first.substring(0, stop) : first;
    return "'" + sentence.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
