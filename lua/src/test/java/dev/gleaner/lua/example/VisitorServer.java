package dev.gleaner.lua.example;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.GuestException;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaMemoryException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingDeque;

/**
 * An example: a server that runs the scripts of its visitors, each in a guest of its own with 8 MiB
 * and 100 ms, and shows what they took. {@code POST /run} with a script answers what it prints;
 * {@code GET /} is the page.
 */
public final class VisitorServer implements AutoCloseable {
  private static final int MOST_SOURCE = 64 * 1024;
  private static final int MOST_OUTPUT = 64 * 1024;
  private static final int MOST_ROWS = 100;

  private final Lua lua =
      Lua.of(
          ConfigFactory.parseString(
                  "gleaner { memory.max = 8MiB, lua { max-time = 100ms, max-calls = 10000 } }")
              .withFallback(ConfigFactory.load()));
  private final LinkedBlockingDeque<Row> rows = new LinkedBlockingDeque<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(4);
  private final HttpServer server;

  /** What a script took, and how it ended. */
  record Row(String script, String end, long instructions, long peakBytes, long micros) {}

  /** Keeps the beginning of what a script prints. */
  private static final class Output extends OutputStream {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public void write(int b) {
      if (bytes.size() < MOST_OUTPUT) {
        bytes.write(b);
      }
    }
  }

  /** Starts it on a port of this machine; 0 for any. */
  public VisitorServer(int port) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext("/", this::page);
    server.createContext("/run", this::run);
    server.start();
  }

  /** {@return the port it listens to} */
  public int port() {
    return server.getAddress().getPort();
  }

  private void run(HttpExchange exchange) throws IOException {
    byte[] source = exchange.getRequestBody().readNBytes(MOST_SOURCE + 1);
    if (source.length > MOST_SOURCE) {
      send(exchange, 413, "text/plain", "the script is too large\n");
      return;
    }
    Output output = new Output();
    String end = "ok";
    int status = 200;
    long start = System.nanoTime();
    try (Guest guest = lua.open(output)) {
      try {
        guest.run(source, "=script");
      } catch (LuaMemoryException _) {
        end = "not enough memory";
        status = 422;
      } catch (GuestException e) {
        end = e.getMessage();
        status = 422;
      }
      long micros = (System.nanoTime() - start) / 1000;
      long peak = guest.statistics().peakBytes();
      add(
          new Row(
              utf(Arrays.copyOf(source, Math.min(source.length, 60))),
              end,
              guest.instructions(),
              peak,
              micros));
    }
    send(exchange, status, "text/plain", utf(output.bytes.toByteArray()) + end + "\n");
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
              escape(r.end),
              r.instructions,
              r.peakBytes >> 10,
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

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
