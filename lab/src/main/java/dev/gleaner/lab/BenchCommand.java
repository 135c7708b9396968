package dev.gleaner.lab;

import dev.gleaner.lab.measure.ProgramTimes;
import dev.gleaner.lab.output.BenchTable;
import dev.gleaner.lab.output.Machine;
import dev.gleaner.lab.script.LuaProgram;
import dev.gleaner.lab.workload.UnknownName;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

/** Measures Lua programs under collectors, beside other implementations of Lua. */
@Command(
    name = "bench",
    description =
        "Measure Lua programs under several collectors, beside lua5.4 and LuaJ: the first run in a"
            + " JVM and the best of some, each in a guest of its own, by the CPU time of the"
            + " thread.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner bench lua",
      "      all programs under all collectors: takes half an hour",
      "  gleaner bench lua --collector marksweep --runs 3 fib sieve",
      "      two programs under one collector",
      "  gleaner bench lua --luaj luaj-jse-3.0.1.jar",
      "      beside LuaJ's interpreter as well"
    },
    exitCodeList = {
      "0:done",
      "1:a program failed under a collector, or printed another thing than lua5.4",
      "2:the request was wrong; the message says what would be right"
    },
    sortOptions = false)
final class BenchCommand implements Callable<Integer> {
  private static final String LUA = "lua";

  /** What shells can complete. */
  static final class Words extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    Words() {
      super(LuaProgram.names());
      addFirst(LUA);
    }
  }

  @Mixin private CollectorOption collectors;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "10",
      description = "Runs in each process, fewer after a minute; default: ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = "--size",
      paramLabel = "N",
      description =
          "The argument of each program; default: its own, for some tenths of a second under"
              + " lua5.4.")
  private @Nullable Integer size;

  @Option(
      names = "--luaj",
      paramLabel = "JAR",
      description = "The jar of LuaJ (org.luaj:luaj-jse), to run beside; default: none.")
  private @Nullable Path luaj;

  @Parameters(
      paramLabel = "lua [PROGRAM]",
      arity = "1..*",
      completionCandidates = Words.class,
      description =
          "The word lua, then programs of: fib, binary-trees, queens, n-body, spectral-norm,"
              + " fannkuch, mandelbrot, sieve, strings, patterns, sort, closures, methods, ring,"
              + " json, tokens, lru, life; default: all.")
  private List<String> names = new ArrayList<>();

  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  BenchCommand() {}

  @Override
  public Integer call() {
    if (!names.getFirst().equals(LUA)) {
      throw new RequestException(UnknownName.message("", names.getFirst(), "bench", List.of(LUA)));
    }
    if (runs < 1) {
      throw new RequestException("--runs " + runs + ": at least 1 is needed");
    }
    if (luaj != null && !Files.isReadable(luaj)) {
      throw new RequestException("--luaj " + luaj + ": there is no such file to read");
    }
    Settings settings = common.settings(null);
    Installed installed = new Installed(settings);
    PrintWriter err = spec.commandLine().getErr();
    installed.problems().forEach(err::println);
    List<LuaProgram> programs = programs();
    List<Contender> contenders = installed.select(collectors.names());
    for (Contender each : contenders) {
      var _ = installed.factory(each.name(), 0); // says now what is wrong with the settings
    }
    boolean lua = BenchRun.isLuaInstalled();
    if (!lua) {
      err.println("gleaner: there is no lua5.4 on the PATH to compare with");
    }
    BenchTable table = measured(programs, contenders, settings, lua);
    PrintWriter out = spec.commandLine().getOut();
    out.println(table.text(common.format(), Machine.current(), Terminal.columns()));
    out.flush();
    return table.ok() ? 0 : ExitStatus.FAILED;
  }

  private List<LuaProgram> programs() {
    List<String> asked = names.subList(1, names.size());
    List<String> known = LuaProgram.names();
    for (String name : asked) {
      if (!known.contains(name)) {
        throw new RequestException(UnknownName.message("", name, "program", known));
      }
    }
    return LuaProgram.ALL.stream()
        .filter(each -> asked.isEmpty() || asked.contains(each.name()))
        .map(each -> size == null ? each : each.ofSize(size))
        .toList();
  }

  private BenchTable measured(
      List<LuaProgram> programs, List<Contender> contenders, Settings settings, boolean lua) {
    List<String> collectors = contenders.stream().map(Contender::name).toList();
    List<String> interpreters = new ArrayList<>(collectors);
    if (lua) {
      interpreters.addFirst(BenchRun.LUA);
    }
    if (luaj != null) {
      interpreters.add(BenchWorker.LUAJ);
    }
    Map<String, List<ProgramTimes>> times = new LinkedHashMap<>();
    try (ProgressDisplay display = ProgressDisplay.of(common.quiet())) {
      display.steps(programs.size() * interpreters.size());
      for (LuaProgram program : programs) {
        List<ProgramTimes> row = new ArrayList<>();
        for (String by : interpreters) {
          display.start(program.name() + " under " + by);
          row.add(measured(program, by, settings));
          display.finish();
        }
        times.put(program.name(), row);
      }
    }
    return new BenchTable(BenchRun.LUA, interpreters, times, runs, collectors);
  }

  private ProgramTimes measured(LuaProgram program, String by, Settings settings) {
    if (by.equals(BenchRun.LUA)) {
      return BenchRun.byLua(program, runs);
    }
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put(BenchWorker.SIZE, Integer.toString(program.size()));
    List<String> startup = StartupCache.flags();
    List<String> flags = JvmFlags.forCollector(0, startup);
    if (by.equals(BenchWorker.LUAJ)) {
      parameters.put(BenchWorker.JAR, String.valueOf(luaj));
      flags = JvmFlags.forBaseline(null, startup);
    }
    return BenchRun.inJvm(
        new WorkerRequest(by, program.name(), parameters, runs, 0, settings, null), flags);
  }
}
