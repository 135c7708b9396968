package dev.gleaner.lab;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;
import java.util.Map;

/**
 * Loads what the front end and its workers load, for the {@link StartupCache}: lists the
 * collectors, shows help, and runs a tiny workload under the first collector as a worker does.
 */
final class StartupTraining {
  private StartupTraining() {}

  /** Ends with status 1 if any of it fails. */
  public static void main(String... arguments) {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    Settings settings = new Settings(null, List.of(), null, List.of());
    int status = Main.run(nowhere, nowhere, "collectors");
    status |= Main.run(nowhere, nowhere, "compare", "--help");
    String collector = new Installed(settings).plugins().getFirst().name();
    Worker.main(
        new WorkerRequest(collector, "binary-trees", Map.of("depth", "6"), 1, 0, settings, null)
            .toArguments()
            .toArray(String[]::new));
    if (status != 0) {
      System.exit(Main.FAILED);
    }
  }
}
