package dev.gleaner.lab;

import dev.gleaner.lab.output.Printable;
import dev.gleaner.lab.workload.UnknownName;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program's commands, each with an {@link ExitStatus}, as picocli reads and explains them. */
@Command(
    name = "gleaner",
    description = "A managed heap with garbage collectors as plug-ins: run, compare, look inside.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = "%n'gleaner help COMMAND' is its manual page.")
final class Program implements Runnable {
  /** The one command that is none of its own. */
  private static final String HELP = "help";

  /** The commands by name, in the order of the help. */
  private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("bench", BenchCommand.class);
    COMMANDS.put("collectors", CollectorsCommand.class);
    COMMANDS.put("compare", CompareCommand.class);
    COMMANDS.put("completion", CompletionCommand.class);
    COMMANDS.put("conform", ConformCommand.class);
    COMMANDS.put("diff", DiffCommand.class);
    COMMANDS.put("growth", GrowthCommand.class);
    COMMANDS.put("inspect", InspectCommand.class);
    COMMANDS.put("lua", LuaCommand.class);
    COMMANDS.put("record", RecordCommand.class);
    COMMANDS.put("replay", ReplayCommand.class);
    COMMANDS.put("run", RunCommand.class);
    COMMANDS.put("serve", ServeCommand.class);
    COMMANDS.put("snapshot", SnapshotCommand.class);
    COMMANDS.put("tune", TuneCommand.class);
  }

  @Spec private CommandSpec spec;

  /** Is made by the command line. */
  @SuppressWarnings("NullAway.Init") // picocli sets the field
  Program() {}

  /** Runs a command and returns its status. */
  static int run(PrintWriter out, boolean coloured, PrintWriter err, String... arguments) {
    String[] plain = plain(arguments);
    CommandLine commandLine =
        asked(plain)
            .setOut(Printable.printer(out, coloured))
            .setErr(Printable.printer(err))
            .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setParameterExceptionHandler(Program::explain)
            .setExecutionExceptionHandler(Program::explain);
    return commandLine.execute(plain);
  }

  /**
   * Returns {@code COMMAND --help} for {@code help COMMAND}; of what is no command the name alone,
   * as help would be the program's own.
   */
  private static String[] plain(String... arguments) {
    List<String> asked = new ArrayList<>(List.of(arguments));
    if (!asked.isEmpty() && asked.getFirst().equals(HELP)) {
      asked.removeFirst();
      asked.add("--help");
    }
    boolean known =
        asked.isEmpty()
            || asked.getFirst().startsWith("-")
            || COMMANDS.containsKey(asked.getFirst());
    return (known ? asked : asked.subList(0, 1)).toArray(String[]::new);
  }

  /** Returns the program's commands, with their help for the terminal that there is. */
  static CommandLine program() {
    return program(Terminal.columns(), COMMANDS);
  }

  /** Returns the program with the one command that is asked for, else with all. */
  private static CommandLine asked(String... arguments) {
    String asked = arguments.length == 0 ? "" : arguments[0];
    Class<?> one = COMMANDS.get(asked);
    // Each takes a few milliseconds of a start.
    return program(Terminal.columns(), one == null ? COMMANDS : Map.of(asked, one));
  }

  /** Returns the program's commands, with their help for a terminal of so many columns. */
  static CommandLine program(int columns) {
    return program(columns, COMMANDS);
  }

  private static CommandLine program(int columns, Map<String, Class<?>> commands) {
    CommandLine program = new CommandLine(new Program());
    commands.forEach(program::addSubcommand);
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
    return Main.failed(e, command.getErr());
  }
}
