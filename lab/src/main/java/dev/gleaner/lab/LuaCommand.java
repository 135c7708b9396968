package dev.gleaner.lab;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.gleaner.lab.output.Units;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.refusal.HeapExhaustedException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    versionProvider = Main.Version.class,
    footer = {
      "  gleaner lua hello.lua",
      "      a script under the collector of the settings",
      "  gleaner lua --collector hybrid --max-memory 8MiB --max-instructions 1000000 guest.lua",
      "      no more than that",
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

  @Option(
      names = "--collector",
      paramLabel = "NAME",
      description = "A collector; default: gleaner.collector of the settings.")
  private @Nullable String collector;

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

  @Parameters(
      paramLabel = "FILE",
      arity = "0..*",
      description = "The script, - for the standard input; then its arguments.")
  private List<String> arguments = new ArrayList<>();

  @Mixin private HeapOptions options;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  LuaCommand() {}

  @Override
  public Integer call() throws IOException {
    if (statements.isEmpty() && arguments.isEmpty()) {
      throw new RequestException("a script is needed: FILE, - for the standard input, or -e CODE");
    }
    Installed installed = new Installed(options.settings(maxMemory));
    PrintWriter err = spec.commandLine().getErr();
    installed.problems().forEach(err::println);
    String name = collector == null ? installed.configuredCollector() : collector;
    List<Contender> one = installed.select(List.of(name));
    if (one.size() != 1) {
      throw new RequestException("--collector " + name + ": one is needed");
    }
    Lua lua = Lua.of(limited(installed.config(one.getFirst().name())), installed.loaders());
    byte[] script = arguments.isEmpty() ? new byte[0] : read(arguments.getFirst());
    Output output = new Output();
    try (OutputStream out = new BufferedOutputStream(output, 1 << 16)) {
      int status = run(lua, script, out, err);
      out.flush();
      String problem = output.problem();
      if (problem != null) {
        err.println("gleaner: " + problem);
        return Math.max(status, Main.FAILED);
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
      result = result.withValue("gleaner.lua.max-time", ConfigValueFactory.fromAnyRef(time));
    }
    return result;
  }

  private static byte[] read(String file) throws IOException {
    if (file.equals(STANDARD_INPUT)) {
      return System.in.readAllBytes();
    }
    try {
      return Files.readAllBytes(Path.of(file));
    } catch (NoSuchFileException e) {
      throw new RequestException(file + ": there is no such file", e);
    } catch (IOException e) {
      throw new RequestException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  @SuppressWarnings("ClosingStandardOutputStreams") // a guest leaves them open
  private int run(Lua lua, byte[] script, OutputStream out, PrintWriter err) throws IOException {
    int status = 0;
    try (Guest guest = sandbox ? lua.open(out) : lua.openTrusted(System.in, out, System.err)) {
      status = guest.exitStatus(() -> runAll(guest, script));
    } catch (LuaException e) {
      out.flush();
      err.println("lua: " + e.getMessage());
      if (!e.traceback().isEmpty()) {
        err.println(e.traceback());
      }
      status = Main.FAILED;
    } catch (LuaLimitException e) {
      out.flush();
      err.println("lua: " + e.getMessage());
      status = LIMIT;
    } catch (HeapExhaustedException e) {
      out.flush();
      err.println(
          "lua: not enough memory (limit %s, asked %s)"
              .formatted(Units.bytes((double) e.limit()), Units.bytes((double) e.requested())));
      status = LIMIT;
    }
    err.flush();
    return status;
  }

  private void runAll(Guest guest, byte[] script) {
    String file = arguments.isEmpty() ? "lua" : arguments.getFirst();
    String[] rest =
        arguments.isEmpty()
            ? new String[0]
            : arguments.subList(1, arguments.size()).toArray(String[]::new);
    guest.setArguments(file, rest);
    for (String statement : statements) {
      guest.run(statement.getBytes(StandardCharsets.UTF_8), "=(command line)");
    }
    if (!arguments.isEmpty()) {
      String source = file.equals(STANDARD_INPUT) ? "=stdin" : "@" + file;
      guest.run(script, source, Arrays.copyOf(rest, rest.length, Object[].class));
    }
  }
}
