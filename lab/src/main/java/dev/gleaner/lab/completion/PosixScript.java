package dev.gleaner.lab.completion;

import dev.gleaner.lab.completion.Completion.Anything;
import dev.gleaner.lab.completion.Completion.Collectors;
import dev.gleaner.lab.completion.Completion.Files;
import dev.gleaner.lab.completion.Completion.None;
import dev.gleaner.lab.completion.Completion.OneWorkload;
import dev.gleaner.lab.completion.Completion.Values;
import dev.gleaner.lab.completion.Completion.Words;
import dev.gleaner.lab.workload.Workload;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Model.OptionSpec;

/** The script for bash and zsh: the tables of {@code gleaner.sh} filled in. */
final class PosixScript {
  private PosixScript() {}

  static String of(Completion completion) {
    List<String> kinds = new ArrayList<>();
    List<String> options = new ArrayList<>();
    completion
        .commands()
        .forEach((name, command) -> {
          for (OptionSpec option : command.options()) {
            String kind = kind(Completion.valuesOf(option));
            if (!kind.equals("nothing")) {
              for (String each : option.names()) {
                kinds.add("    \"%s %s\") echo %s ;;".formatted(name, each, kind));
              }
            }
          }
          String kind = kind(Completion.parametersOf(command));
          if (!kind.equals("nothing")) {
            kinds.add("    \"%s \") echo %s ;;".formatted(name, kind));
          }
          options.add(
              "    %s) echo %s ;;"
                  .formatted(name, String.join(" ", Completion.optionNames(command))));
        });
    List<String> parameters = new ArrayList<>();
    for (Workload workload : completion.workloads()) {
      List<String> settings = Completion.settingsOf(workload);
      if (!settings.isEmpty()) {
        parameters.add("    %s) echo %s ;;".formatted(workload.name(), String.join(" ", settings)));
      }
    }
    return template()
        .replace("@KINDS@", String.join("\n", kinds))
        .replace("@OPTIONS@", String.join("\n", options))
        .replace("@PARAMETERS@", String.join("\n", parameters))
        .replace("@COMMANDS@", String.join(" ", completion.commands().keySet()))
        .replace("@COLLECTORS@", String.join(" ", completion.collectors()) + " all")
        .replace("@WORKLOADS@", String.join(" ", completion.workloadWords()));
  }

  private static String kind(Values values) {
    return switch (values) {
      case Words words -> "words " + String.join(" ", words.words());
      case Collectors _ -> "collectors";
      case OneWorkload _ -> "workloads";
      case Files _ -> "files";
      case None _ -> "flag";
      case Anything _ -> "nothing";
    };
  }

  private static String template() {
    try (InputStream in = PosixScript.class.getResourceAsStream("gleaner.sh")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
