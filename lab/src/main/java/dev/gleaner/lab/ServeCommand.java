package dev.gleaner.lab;

import com.typesafe.config.ConfigException;
import dev.gleaner.heap.HeapFactory;
import dev.gleaner.lab.output.Words;
import dev.gleaner.lab.serve.LiveCollectors;
import dev.gleaner.lab.serve.WebServer;
import dev.gleaner.lab.workload.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a workload in a loop and serves its meters. */
@Command(
    name = "serve",
    description = {
      "Run a workload in a loop under several collectors and serve its meters: a live page at /,"
          + " Prometheus text at /metrics, the page's figures at /data.json.",
      "All collectors run at once in this one JVM and share its cores: compare their memory and"
          + " pauses, and their speed with gleaner compare. Ends on SIGINT (Ctrl-C) and SIGTERM,"
          + " all heaps closed, with status 0."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "  gleaner serve",
      "      gcbench under all collectors, at http://127.0.0.1:8642/",
      "  gleaner serve --collector hybrid --workload strings:distinct=1_000 --port 0",
      "      one collector, at any port that is free: the first line says which"
    },
    exitCodeList = {
      "0:a signal ended it, and all heaps are closed",
      "1:a collector did not stop",
      "2:the request was wrong, such as a port that is taken"
    },
    sortOptions = false)
final class ServeCommand implements Callable<Integer> {
  private static final int LARGEST_PORT = 65535;

  @Mixin private CollectorOption collectors;

  @Option(
      names = "--workload",
      paramLabel = "NAME[:key=value,...]",
      defaultValue = "gcbench",
      description = "A workload with its parameters; default: ${DEFAULT-VALUE}.")
  private String workload = "gcbench";

  @Mixin private MemoryLimit limit;

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "8642",
      description = "The port; 0 takes any that is free; default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      defaultValue = "127.0.0.1",
      description =
          "The name or address to listen at; other machines reach one that is not loopback, and"
              + " nobody is asked for a password; default: ${DEFAULT-VALUE}.")
  private String host = "127.0.0.1";

  @Mixin private HeapOptions options;
  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  ServeCommand() {}

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Settings settings = options.settings(limit.size());
    Installed installed = new Installed(settings);
    installed.problems().forEach(err::println);
    WorkloadSpec work = WorkloadSpec.parse(workload);
    List<HeapFactory> factories = factories(installed, work);
    Workload ready = installed.under(factories.getFirst().collector(), work);
    InetSocketAddress address = address();
    try (StopRequest stop = new StopRequest()) {
      try (LogLines _ = LogLines.open(err);
          LiveCollectors live =
              new LiveCollectors(factories, ready, work.parameters(), err::println);
          WebServer server = listen(address, live, work)) {
        live.start();
        out.println(
            "gleaner: at http://%s/, Prometheus text at /metrics; Ctrl-C ends"
                .formatted(authority(address, server.port())));
        String names =
            factories.stream().map(HeapFactory::collector).collect(Collectors.joining(", "));
        Words.wrapped(work.workload().name() + " under " + names, Terminal.columns())
            .forEach(out::println);
        stop.await();
      }
      stop.succeeded();
    }
    return 0;
  }

  private List<HeapFactory> factories(Installed installed, WorkloadSpec work) {
    try {
      return installed.select(collectors.names()).stream()
          .map(contender -> installed.factory(contender.name(), work))
          .toList();
    } catch (IllegalArgumentException e) {
      throw new RequestException(String.valueOf(e.getMessage()), e);
    } catch (ConfigException e) {
      throw new RequestException("--max-memory: " + e.getMessage(), e);
    }
  }

  private InetSocketAddress address() {
    if (port < 0 || port > LARGEST_PORT) {
      throw new RequestException("--port " + port + ": from 0 to " + LARGEST_PORT);
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(host), port);
    } catch (UnknownHostException e) {
      throw new RequestException("--host " + host + ": no such host or address", e);
    }
  }

  private WebServer listen(InetSocketAddress address, LiveCollectors live, WorkloadSpec work) {
    try {
      return new WebServer(address, live.pages(work.workload(), work.parameters()));
    } catch (BindException e) {
      throw new RequestException(
          "--port %d: cannot listen at %s: %s (--port 0 takes any that is free)"
              .formatted(port, host, e.getMessage()),
          e);
    } catch (IOException e) {
      throw new RequestException("--host " + host + ": cannot listen: " + e.getMessage(), e);
    }
  }

  /** Returns host and port as a URL has them. */
  private static String authority(InetSocketAddress address, int port) {
    String text = address.getAddress().getHostAddress();
    return (text.contains(":") ? "[" + text + "]" : text) + ":" + port;
  }
}
