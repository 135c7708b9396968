package dev.gleaner.lab;

import dev.gleaner.config.CollectorRegistry;
import dev.gleaner.config.PluginProbe;
import dev.gleaner.lab.output.CollectorList;
import dev.gleaner.settings.ConfigurationException;
import dev.gleaner.spi.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Lists the installed collectors. */
@Command(
    name = "collectors",
    description = "List the installed collectors: name, version, jar, capabilities.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner collectors",
      "      what is installed, as a table",
      "  gleaner collectors --plugin-path ./plugins --format json",
      "      with those of the jars in a folder, for a program to read"
    },
    exitCodeList = {
      "0:all collectors can be used",
      "1:a plug-in is broken; the others are listed",
      "2:the request was wrong; the message says what would be right"
    },
    sortOptions = false)
final class CollectorsCommand implements Callable<Integer> {
  @Mixin private CommonOptions common;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  CollectorsCommand() {}

  @Override
  public Integer call() {
    Installed installed = new Installed(common.settings(null));
    List<String> problems = new ArrayList<>(installed.problems());
    List<CollectorList.Item> items = new ArrayList<>();
    List<ConfigurationException> failures = new ArrayList<>();
    for (CollectorRegistry.Plugin plugin : installed.plugins()) {
      try {
        CollectorList.Item item = item(installed, plugin);
        String problem = PluginProbe.problem(plugin, installed.loaders());
        if (problem == null) {
          items.add(item);
        } else {
          problems.add(problem);
        }
      } catch (ConfigurationException e) {
        failures.add(e);
        problems.addAll(e.problems());
      }
    }
    if (items.isEmpty() && !failures.isEmpty()) {
      throw failures.getFirst(); // not a plug-in's fault, but that of the settings
    }
    problems.forEach(spec.commandLine().getErr()::println);
    spec.commandLine()
        .getOut()
        .println(CollectorList.text(items, common.format(), Terminal.columns()));
    return problems.isEmpty() ? 0 : ExitStatus.FAILED;
  }

  private static CollectorList.Item item(Installed installed, CollectorRegistry.Plugin plugin) {
    String name = plugin.name();
    return new CollectorList.Item(
        name,
        plugin.version(),
        plugin.location(),
        installed.factory(name, 0).traits().capabilities().stream().map(Capability::text).toList(),
        plugin.provider().description());
  }
}
