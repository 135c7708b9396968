package dev.gleaner.lab.serve;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Serves a few pages for reading.
 *
 * <p>A page answers GET and HEAD; another method has the status 405, another path 404, a request
 * without one {@code Host} 400, and what is no HTTP at all the JDK's server refuses with 400 by
 * itself. Nothing may be stored by caches, and nothing loaded from elsewhere by a page.
 *
 * <p>A server that listens at a loopback address answers only what names one ({@link #hosts}), else
 * 421: a page from elsewhere could have its own name lead to this machine, and read what is served.
 */
public final class WebServer implements AutoCloseable {
  private static final String NOTHING_ALLOWED = "default-src 'none'; frame-ancestors 'none'";
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final List<String> METHODS = List.of("GET", "HEAD");
  private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
  private static final String LOOPBACK = "localhost|127(?:\\." + OCTET + "){3}|\\[::1]";

  static {
    // Read once by the JDK's server: answer at once, and do not wait for ever for a slow client.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    System.setProperty("sun.net.httpserver.maxRspTime", "30");
  }

  private final Map<String, Page> pages;
  private final Predicate<String> hosts;
  private final HttpServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

  /** What is at a path. */
  public interface Page {
    /** Returns the media type, with its charset. */
    String contentType();

    /** Returns what is there now; from any thread. */
    String text();

    /** Returns the Content-Security-Policy. */
    default String policy() {
      return NOTHING_ALLOWED;
    }

    /** Makes a page of a type and of what answers its text. */
    static Page of(String contentType, Supplier<String> text) {
      return new Page() {
        @Override
        public String contentType() {
          return contentType;
        }

        @Override
        public String text() {
          return text.get();
        }
      };
    }
  }

  /**
   * Takes the port and begins to answer.
   *
   * @param address where to listen; port 0 takes any
   * @throws IOException if the port cannot be had
   */
  public WebServer(InetSocketAddress address, Map<String, Page> pages) throws IOException {
    this.pages = Map.copyOf(pages);
    this.hosts = hosts(address);
    server = HttpServer.create(address, 0);
    server.setExecutor(executor);
    server.createContext("/", this::handle);
    server.start();
  }

  /**
   * Returns which hosts a request may be for: at a loopback address {@code localhost}, 127.0.0.0/8,
   * {@code [::1]} and the name that the address was given by, with any port; elsewhere all.
   */
  static Predicate<String> hosts(InetSocketAddress address) {
    if (!address.getAddress().isLoopbackAddress()) {
      return host -> true;
    }
    String names = LOOPBACK + "|" + Pattern.quote(address.getHostString());
    return Pattern.compile("(?:" + names + ")(?::\\d*)?", Pattern.CASE_INSENSITIVE)
        .asMatchPredicate();
  }

  /**
   * Whether the request is for a host of this server, in its header and in its URI if that says.
   */
  private boolean isForThis(List<String> header, URI uri) {
    return header.stream().allMatch(hosts)
        && (uri.getRawAuthority() == null || hosts.test(uri.getRawAuthority()));
  }

  /** Returns the port. */
  public int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      List<String> named = exchange.getRequestHeaders().getOrDefault("Host", List.of());
      Page page = pages.get(exchange.getRequestURI().getPath());
      if (named.size() != 1 && exchange.getProtocol().equals("HTTP/1.1")) {
        send(exchange, 400, "a request has one Host header\n");
      } else if (!isForThis(named, exchange.getRequestURI())) {
        send(exchange, 421, "this server answers for localhost, 127.0.0.1 and [::1] only\n");
      } else if (page == null) {
        send(exchange, 404, "there are " + String.join(", ", new TreeSet<>(pages.keySet())) + "\n");
      } else if (!METHODS.contains(exchange.getRequestMethod())) {
        String allowed = String.join(", ", METHODS);
        exchange.getResponseHeaders().set("Allow", allowed);
        send(exchange, 405, "allowed are " + allowed + "\n");
      } else {
        send(exchange, page);
      }
    }
  }

  private static void send(HttpExchange exchange, Page page) throws IOException {
    String text;
    try {
      text = page.text();
    } catch (RuntimeException e) {
      send(exchange, 500, e + "\n");
      return;
    }
    send(exchange, 200, page.contentType(), page.policy(), text);
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    send(exchange, status, TEXT, NOTHING_ALLOWED, text);
  }

  private static void send(
      HttpExchange exchange, int status, String type, String policy, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type);
    headers.set("Cache-Control", "no-store");
    headers.set("Content-Security-Policy", policy);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    if (exchange.getRequestMethod().equals("HEAD")) {
      headers.set("Content-Length", Integer.toString(bytes.length));
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, bytes.length);
    try (OutputStream body = exchange.getResponseBody()) {
      body.write(bytes);
    }
  }

  /** Gives the port back; answers that are on their way are cut off. */
  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
