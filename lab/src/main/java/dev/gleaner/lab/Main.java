package dev.gleaner.lab;

import com.typesafe.config.ConfigException;
import dev.gleaner.lab.output.Printable;
import dev.gleaner.lab.workload.UnknownName;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.settings.ConfigurationException;
import java.io.BufferedOutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program {@code gleaner}; it ends with an {@link ExitStatus}. */
@Command(
    name = "gleaner",
    description = "A managed heap with garbage collectors as plug-ins: run, compare, look inside.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    subcommands = {
      BenchCommand.class,
      CollectorsCommand.class,
      CompareCommand.class,
      CompletionCommand.class,
      ConformCommand.class,
      DiffCommand.class,
      GrowthCommand.class,
      InspectCommand.class,
      LuaCommand.class,
      RecordCommand.class,
      ReplayCommand.class,
      RunCommand.class,
      ServeCommand.class,
      SnapshotCommand.class,
      TuneCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    footer = "%n'gleaner help COMMAND' is its manual page.")
public final class Main implements Runnable {
  /** The one command that is none of its own. */
  private static final String HELP = "help";

  @Spec private CommandSpec spec;

  /** Is made by the command line. */
  @SuppressWarnings("NullAway.Init") // picocli sets the field
  Main() {}

  /** Runs the program and ends this JVM with its status. */
  public static void main(String... arguments) {
    Output output = new Output();
    PrintWriter out =
        new PrintWriter(new BufferedOutputStream(output), true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int status = run(out, err, arguments);
    out.flush();
    String problem = output.problem();
    if (problem != null) {
      err.println("gleaner: " + problem);
      status = Math.max(status, ExitStatus.FAILED);
    }
    err.flush();
    System.exit(status);
  }

  /** Runs the program and returns its status. */
  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    CommandLine commandLine =
        program()
            .setOut(Printable.printer(out))
            .setErr(Printable.printer(err))
            .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setParameterExceptionHandler(Main::explain)
            .setExecutionExceptionHandler(Main::explain);
    try {
      return commandLine.execute(plain(commandLine, arguments));
    } catch (OutOfMemoryError e) {
      long most = Runtime.getRuntime().maxMemory() >> 20;
      err.println(
          "gleaner: %d MiB are too little for this JVM; GLEANER_JAVA_OPTS=-Xmx8g gives more"
              .formatted(most));
    } catch (StackOverflowError e) {
      err.println("gleaner: what was read is nested too deeply");
    }
    return ExitStatus.FAILED;
  }

  /**
   * Returns {@code COMMAND --help} for {@code help COMMAND}; of what is no command the name alone,
   * as help would be the program's own.
   */
  private static String[] plain(CommandLine program, String... arguments) {
    List<String> asked = new ArrayList<>(List.of(arguments));
    if (!asked.isEmpty() && asked.getFirst().equals(HELP)) {
      asked.removeFirst();
      asked.add("--help");
    }
    boolean known =
        asked.isEmpty()
            || asked.getFirst().startsWith("-")
            || program.getSubcommands().containsKey(asked.getFirst());
    return (known ? asked : asked.subList(0, 1)).toArray(String[]::new);
  }

  /** Returns the program's commands, with their help for the terminal that there is. */
  static CommandLine program() {
    return program(Terminal.columns());
  }

  /** Returns the program's commands, with their help for a terminal of so many columns. */
  static CommandLine program(int columns) {
    CommandLine program = new CommandLine(new Main());
    HelpPages.shape(program, columns);
    CommandLine lua = program.getSubcommands().get("lua");
    if (lua != null) {
      lua.setStopAtPositional(true); // what follows are the script's own
    }
    return program;
  }

  @Override
  public void run() {
    CommandLine command = spec.commandLine();
    throw new ParameterException(
        command,
        "a command is needed; there are " + String.join(", ", command.getSubcommands().keySet()));
  }

  private static int explain(ParameterException e, String[] arguments) {
    CommandLine command = e.getCommandLine();
    if (e instanceof UnmatchedArgumentException unmatched) {
      String first = unmatched.getUnmatched().getFirst();
      boolean option = first.startsWith("-");
      Collection<String> known =
          option
              ? command.getCommandSpec().optionsMap().keySet()
              : command.getSubcommands().keySet();
      if (!known.isEmpty()) {
        String what = option ? "option" : "command";
        command.getErr().println("gleaner: " + UnknownName.message("", first, what, known));
        return ExitStatus.WRONG_REQUEST;
      }
    }
    command.getErr().println("gleaner: " + e.getMessage());
    command
        .getErr()
        .println("'" + command.getCommandSpec().qualifiedName() + " --help' lists what there is.");
    return ExitStatus.WRONG_REQUEST;
  }

  private static int explain(Exception e, CommandLine command, ParseResult parsed)
      throws Exception {
    if (e instanceof RequestException
        || e instanceof ConfigurationException
        || e instanceof ConfigException) {
      command.getErr().println("gleaner: " + e.getMessage());
      return ExitStatus.WRONG_REQUEST;
    }
    if (e instanceof HeapException || e instanceof UncheckedIOException) {
      command.getErr().println("gleaner: " + e.getMessage());
      return ExitStatus.FAILED;
    }
    throw e;
  }
}
