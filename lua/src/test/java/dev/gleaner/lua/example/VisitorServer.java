package dev.gleaner.lua.example;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * An example: a server that runs the scripts of its visitors, each in a guest of his own with 8
 * MiB, and shows what they took. {@code POST /run/NAME} with a script answers what it prints; a
 * real server takes the name from who has logged in. {@code GET /} is the page. {@link Visitors}
 * has the guests.
 */
public final class VisitorServer implements AutoCloseable {
  private static final String RUN = "/run/";
  private static final int MOST_NAME = 100;
  private static final int MOST_SOURCE = 64 * 1024;
  private static final int MOST_ROWS = 100;

  private final LinkedBlockingDeque<Row> rows = new LinkedBlockingDeque<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(4);
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Visitors visitors;
  private final HttpServer server;

  /** What a script took, and how it ended. */
  record Row(String script, Visitors.Reply reply, long micros) {}

  /**
   * Starts it on a port of this machine; 0 for any.
   *
   * @param prelude the script that each guest has run
   * @param folder has the guests that are parked
   * @param idle the time after which a guest is parked
   */
  public VisitorServer(int port, String prelude, Path folder, Duration idle) throws IOException {
    visitors = new Visitors(prelude, folder);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext("/", this::page);
    server.createContext(RUN, this::run);
    server.start();
    long pause = Math.max(1, idle.toMillis() / 4);
    var _ =
        timer.scheduleWithFixedDelay(
            () -> visitors.park(idle), pause, pause, TimeUnit.MILLISECONDS);
  }

  /** {@return the port it listens to} */
  public int port() {
    return server.getAddress().getPort();
  }

  /** {@return the guests} */
  Visitors visitors() {
    return visitors;
  }

  private void run(HttpExchange exchange) throws IOException {
    String name = exchange.getRequestURI().getPath().substring(RUN.length());
    if (name.isEmpty() || name.length() > MOST_NAME || name.contains("\uFFFD")) {
      send(exchange, 400, "text/plain", "a name has 1 to " + MOST_NAME + " characters\n");
      return;
    }
    byte[] source = exchange.getRequestBody().readNBytes(MOST_SOURCE + 1);
    if (source.length > MOST_SOURCE) {
      send(exchange, 413, "text/plain", "the script is too large\n");
      return;
    }
    long start = System.nanoTime();
    Visitors.Reply reply = visitors.run(name, source);
    String begin = utf(Arrays.copyOf(source, Math.min(source.length, 60)));
    add(new Row(begin, reply, (System.nanoTime() - start) / 1000));
    send(exchange, reply.status(), "text/plain", reply.output() + reply.end() + "\n");
  }

  private void add(Row row) {
    rows.addFirst(row);
    while (rows.size() > MOST_ROWS) {
      Row _ = rows.pollLast();
    }
  }

  private void page(HttpExchange exchange) throws IOException {
    StringBuilder page =
        new StringBuilder(
            """
            <!DOCTYPE html><title>Scripts of visitors</title>
            <table><tr><th>script<th>end<th>instructions<th>peak, KiB<th>ms</tr>
            """);
    for (Row r : rows) {
      page.append(
          String.format(
              Locale.ROOT,
              "<tr><td>%s<td>%s<td>%d<td>%d<td>%.1f</tr>%n",
              escape(r.script),
              escape(r.reply.end()),
              r.reply.instructions(),
              r.reply.peakBytes() >> 10,
              r.micros / 1000.0));
    }
    send(exchange, 200, "text/html", page.append("</table>\n").toString());
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }

  private static String utf(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", type + "; charset=utf-8");
    exchange.sendResponseHeaders(status, bytes.length);
    try (exchange) {
      exchange.getResponseBody().write(bytes);
    }
  }

  /** Waits for the scripts that run, and parks all visitors. */
  @Override
  public void close() {
    visitors.close(); // from now on requests are refused
    server.stop(1);
    threads.close();
    timer.close();
  }

  /** Serves until it is ended. Arguments: the port, a prelude, the folder, the seconds of idle. */
  public static void main(String... arguments) throws IOException {
    VisitorServer server =
        new VisitorServer(
            Integer.parseInt(arguments[0]),
            Files.readString(Path.of(arguments[1])),
            Path.of(arguments[2]),
            Duration.ofSeconds(Long.parseLong(arguments[3])));
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    System.out.println("http://localhost:" + server.port() + "/");
  }
}
