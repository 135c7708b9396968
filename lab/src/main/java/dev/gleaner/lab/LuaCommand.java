package dev.gleaner.lab;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.measure.MeteredRun;
import dev.gleaner.lab.measure.RunResult;
import dev.gleaner.lab.output.Comparison;
import dev.gleaner.lab.output.ComparisonTable;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.output.Row;
import dev.gleaner.lab.output.Units;
import dev.gleaner.lab.script.Lines;
import dev.gleaner.lab.script.MeteredScript;
import dev.gleaner.lab.script.PipedLines;
import dev.gleaner.lab.script.Prompt;
import dev.gleaner.lab.script.TerminalLines;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.GuestBindings;
import dev.gleaner.lua.Image;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.LuaMemoryException;
import dev.gleaner.refusal.ImageException;
import java.io.BufferedOutputStream;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs a Lua script in a heap of its own. */
@Command(
    name = "lua",
    description =
        "Run a Lua 5.4 script whose values live in a heap of its own, with limits on memory,"
            + " instructions and time.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner lua hello.lua",
      "      a script under the collector of the settings",
      "  gleaner lua --collector hybrid --max-memory 8MiB --max-instructions 1000000 guest.lua",
      "      no more than that",
      "  gleaner lua --stats life.lua 100",
      "      a script with its argument, and what it took of its heap",
      "  gleaner lua -i",
      "      the interactive prompt",
      "  gleaner lua --save warm.img prelude.lua",
      "      a script, and what it has made as an image",
      "  gleaner lua --image warm.img main.lua",
      "      a script that begins with that",
      "  gleaner lua --image job.img --save job.img",
      "      a script that has yielded at its top, on to its next yield",
      "  gleaner lua --sandbox -e \"print(_VERSION)\"",
      "      a statement, without files, programs or environment"
    },
    exitCodeList = {
      "0:the script ended",
      "1:it failed",
      "2:the request was wrong",
      "3:it reached a limit; or as the script says by os.exit"
    },
    sortOptions = false)
final class LuaCommand implements Callable<Integer> {
  private static final int LIMIT = 3;
  private static final String STANDARD_INPUT = "-";

  /** The longest source that Lua takes. */
  private static final int MOST_BYTES = 16 << 20;

  @Mixin private OneCollectorOption collector;

  @Option(
      names = "--max-memory",
      paramLabel = "SIZE",
      description = "The heap's limit in bytes, such as 8MiB; default: gleaner.memory.max.")
  private @Nullable String maxMemory;

  @Option(
      names = "--max-instructions",
      paramLabel = "N",
      description =
          "The most instructions that run, with the steps of library functions; default: no"
              + " limit.")
  private @Nullable Long maxInstructions;

  @Option(
      names = "--max-time",
      paramLabel = "DURATION",
      description = "The most time, such as 500ms or 2s; default: no limit.")
  private @Nullable String maxTime;

  @Option(
      names = "--sandbox",
      description = "No files, programs, environment or exit, and a clock of whole seconds.")
  private boolean sandbox;

  @Option(
      names = "-e",
      paramLabel = "CODE",
      description =
          "Run this before the script, or in place of one; may be repeated; default: none.")
  private List<String> statements = new ArrayList<>();

  @Option(
      names = "-i",
      description = "The interactive prompt, after the statements and the script, if any.")
  private boolean interactive;

  @Option(
      names = "--image",
      paramLabel = "IMAGE",
      description =
          "Begin with what this image has, in place of an empty guest. Without a script, the one"
              + " that has yielded goes on; default: none.")
  private @Nullable Path image;

  @Option(
      names = "--save",
      paramLabel = "IMAGE",
      description =
          "Save the guest as an image when the script has ended, or yields at its top; not after a"
              + " failure; default: no image.")
  private @Nullable Path save;

  @Option(
      names = "--stats",
      description = "The figures of the run on the standard error, as compare has them.")
  private boolean stats;

  @Parameters(
      paramLabel = "FILE",
      arity = "0..*",
      description =
          "The script, - for the standard input; then its arguments; default: the interactive"
              + " prompt on a terminal, else the standard input.")
  private List<String> arguments = new ArrayList<>();

  @Mixin private HeapOptions options;
  @Spec private CommandSpec spec;
  private @Nullable PrintWriter plainErr;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  LuaCommand() {}

  /** Makes one without picocli. */
  @SuppressWarnings("NullAway.Init") // of the fields that picocli sets only the spec is left
  LuaCommand(PlainLua given, PrintWriter err) {
    collector = new OneCollectorOption(given.collector());
    options = new HeapOptions();
    maxMemory = given.maxMemory();
    sandbox = given.sandbox();
    statements = given.statements();
    arguments = given.arguments();
    plainErr = err;
  }

  @Override
  public Integer call() throws IOException {
    Installed installed = new Installed(options.settings(maxMemory));
    PrintWriter err = plainErr == null ? spec.commandLine().getErr() : plainErr;
    installed.problems().forEach(err::println);
    Contender chosen = collector.selected(installed, "one is needed");
    Config given = installed.config(chosen.name());
    Config config = limited(given);
    if (!config.equals(given)) {
      Lua _ = Lua.of(given, installed.loaders()); // what an option hides may be wrong
    }
    Lua lua = Lua.of(config, installed.loaders());
    if (stats && image != null) {
      throw new RequestException("--stats cannot be with --image");
    }
    Image begun = image == null ? null : read(image, Image::read);
    boolean nothing = statements.isEmpty() && arguments.isEmpty() && begun == null;
    boolean prompt = interactive || (nothing && isTerminal());
    if (nothing && !prompt) {
      arguments = List.of(STANDARD_INPUT);
    }
    byte[] script = arguments.isEmpty() ? new byte[0] : read(arguments.getFirst());
    Output output = new Output();
    try (OutputStream out = new BufferedOutputStream(output, 1 << 16);
        Session session = new Session(script, begun, prompt, out, err)) {
      if (prompt) {
        session.welcome(chosen.name());
      }
      int status =
          stats ? session.measured(lua, chosen, factory(config, installed)) : session.run(lua);
      out.flush();
      String problem = output.problem();
      if (problem != null) {
        err.println("gleaner: " + problem);
        return Math.max(status, ExitStatus.FAILED);
      }
      return status;
    }
  }

  private Config limited(Config config) {
    Config result = config;
    if (maxInstructions != null) {
      result =
          result.withValue(
              "gleaner.lua.max-instructions", ConfigValueFactory.fromAnyRef(maxInstructions));
    }
    if (maxTime != null) {
      Duration time = Settings.time("--max-time", maxTime);
      result =
          result.withValue(
              "gleaner.lua.max-time", ConfigValueFactory.fromAnyRef(time.toNanos() + "ns"));
    }
    return result;
  }

  private static byte[] read(String file) throws IOException {
    if (file.equals(STANDARD_INPUT)) {
      return System.in.readNBytes(MOST_BYTES + 1);
    }
    return read(
        Path.of(file),
        f -> {
          try (InputStream in = Files.newInputStream(f)) {
            return in.readNBytes(MOST_BYTES + 1);
          }
        });
  }

  /** Reads a file. */
  @FunctionalInterface
  private interface Reading<T> {
    T of(Path file) throws IOException;
  }

  private static <T> T read(Path file, Reading<T> reading) {
    NamedPipes.refuse("", file);
    try {
      return reading.of(file);
    } catch (NoSuchFileException e) {
      throw new RequestException(file + ": there is no such file", e);
    } catch (IOException e) {
      throw new RequestException(file + ": cannot be read: " + e.getMessage(), e);
    } catch (ImageException e) {
      throw new RequestException(file + ": " + e.getMessage(), e);
    }
  }

  @SuppressWarnings("SystemConsoleNull") // it may be, from JDK 25 on
  private static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /** The heaps of guests, for one whose figures are taken. */
  private static HeapFactory factory(Config config, Installed installed) {
    String defaults = Lua.heapDefaults(config.getString("gleaner.collector"));
    return Gleaner.factory(
        config.withFallback(ConfigFactory.parseString(defaults)), installed.loaders());
  }

  /** A run of the program. */
  private final class Session implements AutoCloseable {
    private final byte[] script;
    private final @Nullable Image begun;
    private final boolean prompt;
    private final OutputStream out;
    private final PrintWriter err;
    private @Nullable TerminalLines terminal;
    private int status;

    Session(
        byte[] script, @Nullable Image begun, boolean prompt, OutputStream out, PrintWriter err) {
      this.script = script;
      this.begun = begun;
      this.prompt = prompt;
      this.out = out;
      this.err = err;
    }

    void welcome(String collector) throws IOException {
      String line = "Lua 5.4 in a heap of %s; Ctrl-D ends\n".formatted(collector);
      out.write(line.getBytes(StandardCharsets.UTF_8));
    }

    @SuppressWarnings("ClosingStandardOutputStreams") // a guest leaves them open
    int run(Lua lua) {
      try (Guest guest = open(lua)) {
        String _ = run(guest);
      }
      return status;
    }

    private Guest open(Lua lua) {
      if (begun == null) {
        return sandbox ? lua.open(out) : lua.openTrusted(System.in, out, System.err);
      }
      GuestBindings none = new GuestBindings();
      try {
        return sandbox
            ? lua.open(begun, none, out)
            : lua.openTrusted(begun, none, System.in, out, System.err);
      } catch (ImageException e) {
        throw new RequestException(image + ": " + e.getMessage(), e);
      }
    }

    int measured(Lua lua, Contender contender, HeapFactory factory) throws IOException {
      MeteredScript workload =
          new MeteredScript(
              heap ->
                  sandbox ? lua.openOn(heap, out) : lua.openOn(heap, System.in, out, System.err),
              this::run);
      RunResult result =
          MeteredRun.execute(
              workload,
              factory,
              dev.gleaner.lab.workload.Parameters.of(workload, Map.of()),
              fraction -> {});
      out.flush();
      String name = String.join(" ", arguments.isEmpty() ? statements : arguments);
      RunResult shown = result.withoutChecksum(); // the output was not hashed
      Row row = new Row(contender.name(), contender.version(), Map.of(), List.of(shown));
      Comparison figures = new Comparison(name, Map.of(), Machine.current(), List.of(row));
      ComparisonTable.lines(figures, Terminal.columns()).forEach(err::println);
      err.flush();
      return status;
    }

    /** Sets the status; answers why it failed, empty if it did not. */
    private String run(Guest guest) {
      try {
        status = guest.exitStatus(() -> runAll(guest));
        return status == 0 ? "" : "os.exit with status " + status;
      } catch (ImageException e) {
        return failed(ExitStatus.FAILED, save + ": " + e.getMessage(), "");
      } catch (LuaMemoryException e) {
        return failed(
            LIMIT,
            "not enough memory (limit %s, asked %s)"
                .formatted(
                    Units.bytes((double) e.exhausted().limit()),
                    Units.bytes((double) e.exhausted().requested())),
            "");
      } catch (LuaException e) {
        return failed(ExitStatus.FAILED, e.getMessage(), e.traceback());
      } catch (LuaLimitException e) {
        return failed(LIMIT, e.getMessage(), "");
      }
    }

    private String failed(int as, String message, String traceback) {
      status = as;
      flush();
      err.println("lua: " + message);
      if (!traceback.isEmpty()) {
        err.println(traceback);
      }
      err.flush();
      return message;
    }

    private void flush() {
      try {
        out.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e); // never: an Output keeps it to itself
      }
    }

    private void runAll(Guest guest) {
      String file = arguments.isEmpty() ? "lua" : arguments.getFirst();
      String[] rest =
          arguments.isEmpty()
              ? new String[0]
              : arguments.subList(1, arguments.size()).toArray(String[]::new);
      if (begun == null || !arguments.isEmpty()) {
        guest.setArguments(file, rest);
      }
      for (String statement : statements) {
        guest.run(statement.getBytes(StandardCharsets.UTF_8), "=(command line)");
      }
      if (!arguments.isEmpty()) {
        String source = file.equals(STANDARD_INPUT) ? "=stdin" : "@" + file;
        Object[] given = Arrays.copyOf(rest, rest.length, Object[].class);
        @Nullable Object[] _ =
            save == null ? guest.run(script, source, given) : guest.start(script, source, given);
      } else if (begun != null && statements.isEmpty() && !prompt) {
        goOn(guest);
      }
      if (prompt) {
        try {
          new Prompt(guest, lines(), out, err).run();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      if (save != null) {
        save(guest, save);
      }
    }

    private void goOn(Guest guest) {
      if (!guest.isParked()) {
        throw new RequestException(image + ": no script has yielded in it; name one to run");
      }
      @Nullable Object[] _ = guest.wake();
    }

    private void save(Guest guest, Path file) {
      try {
        guest.park().write(file);
      } catch (NoSuchFileException e) {
        throw new RequestException(file + ": there is no such folder", e);
      } catch (IOException e) {
        throw new RequestException(file + ": cannot be written: " + e.getMessage(), e);
      }
    }

    private Lines lines() throws IOException {
      if (!isTerminal()) {
        return new PipedLines(System.in, out);
      }
      TerminalLines opened = new TerminalLines();
      terminal = opened;
      return opened;
    }

    @Override
    public void close() throws IOException {
      if (terminal != null) {
        terminal.close();
      }
    }
  }
}
