package dev.gleaner.lab;

import dev.gleaner.lab.completion.Completion;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script for a shell. */
@Command(
    name = "completion",
    description =
        "Print a script that lets a shell complete commands, options and their values: collectors"
            + " that are installed, workloads with their parameters, formats, files.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner completion bash",
      "      as in ~/.bashrc: source <(gleaner completion bash)",
      "  gleaner completion zsh",
      "      as in ~/.zshrc, after compinit: source <(gleaner completion zsh)",
      "  gleaner completion fish",
      "      gleaner completion fish > ~/.config/fish/completions/gleaner.fish"
    },
    sortOptions = false)
final class CompletionCommand implements Callable<Integer> {
  /** The shells. */
  enum Shell {
    BASH,
    ZSH,
    FISH;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Parameters(
      paramLabel = "SHELL",
      arity = "0..1",
      defaultValue = "bash",
      description = "${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
  private Shell shell = Shell.BASH;

  @Mixin private HeapOptions options;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  CompletionCommand() {}

  @Override
  public Integer call() {
    Map<String, CommandSpec> commands = new LinkedHashMap<>();
    Program.program()
        .getCommandSpec()
        .subcommands()
        .forEach((name, command) -> commands.put(name, command.getCommandSpec()));
    Completion completion =
        new Completion(
            commands,
            new Installed(options.settings(null))
                .plugins().stream().map(plugin -> plugin.name()).toList(),
            Catalog.all());
    spec.commandLine().getOut().print(shell == Shell.FISH ? completion.fish() : completion.posix());
    spec.commandLine().getOut().flush();
    return 0;
  }
}
