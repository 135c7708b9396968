package dev.gleaner.lab;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Map;

/**
 * Loads what the front end and its workers load, for the {@link StartupCache}: lists the
 * collectors, shows help, and runs a Lua script and a tiny workload under the first collector, the
 * workload as a worker does.
 */
final class StartupTraining {
  /** Hot, so that what compiles functions is loaded as well. */
  private static final String SCRIPT =
      "local t = {} for i = 1, 9999 do t[i] = ('%d'):format(i) end table.sort(t)";

  private StartupTraining() {}

  /** Ends with status 1 if any of it fails. */
  public static void main(String... arguments) {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Settings settings = new Settings(null, List.of(), null, List.of());
    int status = Main.run(nowhere, nowhere, "collectors");
    status |= Main.run(nowhere, nowhere, "compare", "--help");
    String collector = new Installed(settings).plugins().getFirst().name();
    status |= Main.run(nowhere, nowhere, "lua", "-e", SCRIPT);
    status |= Main.run(nowhere, nowhere, "lua", "--stats", "-e", SCRIPT);
    Worker.main(
        new WorkerRequest(collector, "binary-trees", Map.of("depth", "6"), 1, 0, settings, null)
            .toArguments()
            .toArray(String[]::new));
    if (status != 0) {
      System.exit(ExitStatus.FAILED);
    }
  }
}
