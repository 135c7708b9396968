package dev.gleaner.lab.completion;

import dev.gleaner.lab.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * What can be completed: commands, options, and the values of options and of parameters.
 *
 * @param commands by name
 * @param collectors that are installed
 * @param workloads that there are
 */
public record Completion(
    Map<String, CommandSpec> commands, List<String> collectors, List<Workload> workloads) {

  /** What a value can be. */
  sealed interface Values {}

  /** One of these. */
  record Words(List<String> words) implements Values {}

  /** Collectors, parted by commas. */
  record Collectors() implements Values {}

  /** A workload, with parameters. */
  record OneWorkload() implements Values {}

  /** A file or a folder. */
  record Files() implements Values {}

  /** Something that nobody can guess. */
  record Anything() implements Values {}

  /** None: the option stands alone. */
  record None() implements Values {}

  /** Returns what an option or a parameter takes. */
  static Values valuesOf(ArgSpec arg) {
    if (arg.arity().max() == 0) {
      return new None();
    }
    String name = arg instanceof OptionSpec option ? option.longestName() : arg.paramLabel();
    if (name.equals("--collector")) {
      return new Collectors();
    }
    if (name.equals("--workload") || name.equals("WORKLOAD")) {
      return new OneWorkload();
    }
    if (arg.completionCandidates() != null) {
      List<String> words = new ArrayList<>();
      arg.completionCandidates().forEach(words::add);
      return new Words(words);
    }
    Class<?>[] types = arg.auxiliaryTypes();
    return types.length > 0 && types[types.length - 1].equals(Path.class)
        ? new Files()
        : new Anything();
  }

  /** Returns what the parameters of a command are. */
  static Values parametersOf(CommandSpec command) {
    List<PositionalParamSpec> parameters = command.positionalParameters();
    return parameters.isEmpty() ? new Anything() : valuesOf(parameters.getFirst());
  }

  /** Returns all names of all options of a command. */
  static List<String> optionNames(CommandSpec command) {
    return command.options().stream().flatMap(option -> List.of(option.names()).stream()).toList();
  }

  /** Returns {@code key=value} for every parameter of a workload and each value it is known by. */
  static List<String> settingsOf(Workload workload) {
    List<String> settings = new ArrayList<>();
    workload
        .defaults()
        .forEach((key, value) -> {
          Collection<String> values = workload.choices().getOrDefault(key, List.of(value));
          values.forEach(each -> settings.add(key + "=" + each));
        });
    return settings;
  }

  /** Returns {@code name}, or {@code name:} as well for those with parameters. */
  List<String> workloadWords() {
    List<String> words = new ArrayList<>();
    for (Workload workload : workloads) {
      words.add(workload.name());
      if (!workload.defaults().isEmpty()) {
        words.add(workload.name() + ":");
      }
    }
    return words;
  }

  /** Returns the script for bash and zsh. */
  public String posix() {
    return PosixScript.of(this);
  }

  /** Returns the script for fish. */
  public String fish() {
    return FishScript.of(this);
  }
}
