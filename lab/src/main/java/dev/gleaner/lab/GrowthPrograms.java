package dev.gleaner.lab;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.gleaner.Gleaner;
import dev.gleaner.heap.Heap;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.heap.HeapStatistics;
import dev.gleaner.kit.Verdict.Status;
import dev.gleaner.kit.scenario.Scenario;
import dev.gleaner.kit.scenario.ScenarioResult;
import dev.gleaner.kit.scenario.ScenarioRunner;
import dev.gleaner.kit.scenario.ScenarioSyntaxException;
import dev.gleaner.lab.growth.GrowthCurve.GrowthException;
import dev.gleaner.lab.growth.GrowthCurve.Program;
import dev.gleaner.lab.growth.Peak;
import dev.gleaner.lab.script.LuaWorkload;
import dev.gleaner.lab.workload.Parameters;
import dev.gleaner.lab.workload.UnmeasuredRun;
import dev.gleaner.lab.workload.Workload;
import dev.gleaner.lab.workload.WorkloadFailedException;
import dev.gleaner.refusal.HeapException;
import dev.gleaner.refusal.HeapExhaustedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program with a size, of any sort, under any collector: each run has a heap of its own, in this
 * JVM, since a peak is the heap's own figure and needs no worker.
 *
 * <pre>
 *   FILE.heap                 the scenario's parameter n
 *   FILE.lua                  the script's first argument
 *   WORKLOAD[:key=value,...]  the workload's parameter n
 * </pre>
 */
abstract class GrowthPrograms {
  private static final String SIZE = "n";

  private final String title;

  private GrowthPrograms(String title) {
    this.title = title;
  }

  /** Returns the program's name. */
  String title() {
    return title;
  }

  /**
   * Returns the program under a collector.
   *
   * @param largest the largest n that it is to be run with, which is checked
   * @throws RequestException if it cannot be run so
   * @throws dev.gleaner.settings.ConfigurationException if the settings cannot be used
   */
  abstract Program under(String collector, long largest);

  /**
   * Returns the program that was named.
   *
   * @throws RequestException if there is none, or if it has no n
   */
  static GrowthPrograms of(String text, Installed installed) {
    if (text.endsWith(".heap")) {
      return new OfScenario(file(text), installed);
    }
    if (text.endsWith(".lua")) {
      return new OfLua(file(text), installed);
    }
    return new OfWorkload(text, installed);
  }

  private static Path file(String text) {
    Path file = Path.of(text);
    if (!Files.isRegularFile(file)) {
      throw new RequestException("%s: there is no such file to read".formatted(text));
    }
    return file;
  }

  private static final class OfScenario extends GrowthPrograms {
    private final Path file;
    private final Installed installed;

    OfScenario(Path file, Installed installed) {
      super(file.toString());
      this.file = file;
      this.installed = installed;
      Scenario _ = read(1);
    }

    private Scenario read(long n) {
      try {
        return Scenario.read(file, Map.of(SIZE, n));
      } catch (ScenarioSyntaxException e) {
        throw new RequestException(String.valueOf(e.getMessage()), e);
      } catch (IOException e) {
        throw new RequestException(file + ": this file cannot be read: " + e, e);
      }
    }

    @Override
    Program under(String collector, long largest) {
      Scenario _ = read(largest);
      Config config = installed.config(collector);
      return (n, limit) -> {
        HeapStatistics[] last = new HeapStatistics[1];
        ScenarioResult result =
            new ScenarioRunner(limited(config, limit), installed.loaders())
                .givingFiguresTo(all -> last[0] = all)
                .run(read(n));
        if (last[0] == null || result.status() != Status.PASSED) {
          String where = result.line() > 0 ? "line " + result.line() + ": " : "";
          throw failed(n, where + result.message(), null);
        }
        return new Peak(n, last[0].peakBytes(), last[0].collections(), 0);
      };
    }
  }

  private static Config limited(Config config, long limit) {
    return limit == 0
        ? config
        : config.withValue("gleaner.memory.max", ConfigValueFactory.fromAnyRef(limit));
  }

  private static GrowthException failed(long n, String message, @Nullable Throwable cause) {
    String size = "n = " + n + ": ";
    return new GrowthException(message.startsWith(size) ? message : size + message, cause);
  }

  private static final class OfLua extends GrowthPrograms {
    private final Path file;
    private final Installed installed;

    OfLua(Path file, Installed installed) {
      super(file.toString());
      this.file = file;
      this.installed = installed;
    }

    @Override
    Program under(String collector, long largest) {
      Workload lua = Catalog.find("lua");
      return workload(
          installed,
          collector,
          n -> WorkloadSpec.of(lua, LuaWorkload.given(file, List.of(Long.toString(n)))),
          largest);
    }
  }

  private static final class OfWorkload extends GrowthPrograms {
    private final WorkloadSpec spec;
    private final Installed installed;

    OfWorkload(String text, Installed installed) {
      super(text);
      this.spec = WorkloadSpec.parse("", text);
      this.installed = installed;
      if (!spec.workload().defaults().containsKey(SIZE)) {
        throw new RequestException(
            "%s has no parameter n; growth needs one, or FILE.heap or FILE.lua"
                .formatted(spec.workload().name()));
      }
      if (spec.given().containsKey(SIZE)) {
        throw new RequestException(text + ": --n says what n is");
      }
    }

    @Override
    Program under(String collector, long largest) {
      return workload(
          installed,
          collector,
          n -> {
            Map<String, String> given = new LinkedHashMap<>(spec.given());
            given.put(SIZE, Long.toString(n));
            return WorkloadSpec.of(spec.workload(), given);
          },
          largest);
    }
  }

  /** A workload with its parameters, by n. */
  @FunctionalInterface
  private interface Sized {
    WorkloadSpec at(long n);
  }

  private static Program workload(
      Installed installed, String collector, Sized sized, long largest) {
    HeapFactory _ = installed.factory(collector, sized.at(largest));
    return (n, limit) -> {
      WorkloadSpec at = sized.at(n);
      HeapFactory factory =
          Gleaner.factory(limited(installed.config(collector, at), limit), installed.loaders());
      try (LastFigures run = new LastFigures(factory, at.parameters())) {
        long checksum = installed.under(collector, at).run(run);
        return run.peak(n, checksum);
      } catch (HeapExhaustedException e) {
        throw failed(n, "out of memory: " + e.getMessage(), e);
      } catch (HeapException | WorkloadFailedException | IllegalArgumentException e) {
        throw failed(n, String.valueOf(e.getMessage()), e);
      }
    };
  }

  /** A run whose heap is looked at before it is closed. */
  private static final class LastFigures extends UnmeasuredRun {
    LastFigures(HeapFactory factory, Parameters parameters) {
      super(factory, parameters);
    }

    Peak peak(long n, long checksum) {
      Heap heap = opened();
      if (heap == null) {
        throw new IllegalArgumentException("it opens heaps of its own");
      }
      HeapStatistics last = heap.statistics();
      return new Peak(n, last.peakBytes(), last.collections(), checksum);
    }
  }
}
