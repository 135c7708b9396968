package dev.gleaner.lua.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gleaner.lua.example.Visitors.Reply;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example: visitors of all sorts, many at once, parked and woken. */
class VisitorServerTest {
  private static final String PRELUDE =
      """
      function counter()
        return coroutine.wrap(function() local i = 0 while true do i = i + 1 coroutine.yield(i) end end)
      end
      """;

  /** Counts in a variable and in a coroutine, which must agree. */
  private static final String COUNT =
      "n = (n or 0) + 1 c = c or counter() local k = c() assert(k == n, k) print(n)";

  private static final Duration NEVER = Duration.ofDays(1);

  @TempDir private Path dir;

  private Visitors visitors() throws IOException {
    return new Visitors(PRELUDE, dir.resolve("parked"));
  }

  private static String run(Visitors visitors, String name, String script) {
    Reply reply = visitors.run(name, script.getBytes(StandardCharsets.UTF_8));
    return reply.status() + " " + reply.output() + reply.end();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(dir.resolve("parked"))) {
      return files.sorted().toList();
    }
  }

  private static HttpRequest post(int port, String name, String script) {
    String path = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/run/" + path))
        .POST(BodyPublishers.ofString(script))
        .build();
  }

  private static String answer(HttpResponse<String> response) {
    return response.statusCode() + " " + response.body();
  }

  @Test
  void runsTheScriptsOfVisitors() throws Exception {
    try (VisitorServer server = new VisitorServer(0, PRELUDE, dir.resolve("parked"), NEVER);
        HttpClient client = HttpClient.newHttpClient()) {
      List<CompletableFuture<HttpResponse<String>>> many = new ArrayList<>();
      String[] scripts = {
        "print('hello')",
        "while true do end",
        "local t = {} while true do t = {t} end",
        "error('mine')",
        "print(os.execute, io.open, require)",
        "print(('x'):rep(1 << 30))",
        "x = = 1",
      };
      for (int i = 0; i < 21; i++) {
        HttpRequest request = post(server.port(), "visitor " + i, scripts[i % 7]);
        many.add(client.sendAsync(request, BodyHandlers.ofString()));
      }
      for (int i = 0; i < 21; i++) {
        String expected =
            switch (i % 7) {
              case 0 -> "200 hello\nok\n";
              case 1 -> "422 instruction limit of this call reached (2000000)\n";
              case 2, 5 -> "422 not enough memory\n";
              case 3 -> "422 script:1: mine\n";
              case 4 -> "200 nil\tnil\tnil\nok\n";
              default -> "422 script:1: unexpected symbol near '='\n";
            };
        assertThat(answer(many.get(i).get())).isEqualTo(expected);
      }
      HttpRequest get =
          HttpRequest.newBuilder(URI.create("http://localhost:" + server.port() + "/")).build();
      String page = client.send(get, BodyHandlers.ofString()).body();
      assertThat(page.split("<tr><td>", -1)).hasSize(22);
      assertThat(page).contains("<td>instruction limit of this", "print('hello')<td>ok<td>");
      HttpRequest large = post(server.port(), "x", " ".repeat(70_000));
      assertThat(client.send(large, BodyHandlers.ofString()).statusCode()).isEqualTo(413);
    }
    assertThat(files()).hasSize(21);
  }

  @Test
  void namesOfVisitorsAreNoPaths() throws Exception {
    Path parked = dir.resolve("parked");
    String[] names = {
      "../x",
      "..",
      ".",
      "a/b",
      "a\\b",
      "/etc/x",
      "C:x",
      "a\0b",
      "a",
      "A",
      "x.img",
      "x\n",
      "con",
      "%2e%2e",
      "ä",
      "a\u0308",
      "~",
      "*",
      "x".repeat(100),
      "\uD83D\uDE00",
    };
    try (VisitorServer server = new VisitorServer(0, PRELUDE, parked, NEVER);
        HttpClient client = HttpClient.newHttpClient()) {
      for (int round = 1; round <= 2; round++) {
        for (String name : names) {
          HttpRequest request = post(server.port(), name, COUNT);
          assertThat(answer(client.send(request, BodyHandlers.ofString())))
              .as(name)
              .isEqualTo("200 " + round + "\nok\n");
        }
        server.visitors().park(Duration.ZERO);
        assertThat(server.visitors().open()).isZero();
        assertThat(files())
            .hasSize(names.length)
            .allMatch(f -> f.getFileName().toString().matches("[0-9a-f]{64}\\.img"));
      }
      for (String name : List.of("", "x".repeat(101), "\uD83D")) {
        HttpRequest request = post(server.port(), name.replace("\uD83D", "\uFFFD"), COUNT);
        assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(400);
      }
    }
    try (Stream<Path> all = Files.list(dir)) {
      assertThat(all).containsExactly(parked);
    }
  }

  @Test
  void visitorsGoOnAfterARestart() throws Exception {
    try (Visitors first = visitors()) {
      assertThat(run(first, "ann", COUNT)).isEqualTo("200 1\nok");
      assertThat(run(first, "bob", "x = 'kept' while true do end")).startsWith("422 instr");
      first.park(NEVER);
      assertThat(first.open()).isEqualTo(2);
      first.park(Duration.ZERO);
      assertThat(first.open()).isZero();
      assertThat(run(first, "ann", COUNT)).isEqualTo("200 2\nok");
    }
    Files.createFile(dir.resolve("parked").resolve("x.img.1f.tmp")); // as if it had been killed
    try (Visitors second = visitors()) {
      assertThat(files()).hasSize(2);
      assertThat(run(second, "ann", COUNT)).isEqualTo("200 3\nok");
      assertThat(run(second, "bob", "print(x)")).isEqualTo("200 kept\nok");
      assertThat(run(second, "carl", "print(x, n)")).isEqualTo("200 nil\tnil\nok");
    }
  }

  @Test
  void aDamagedFileIsToldToItsVisitorAlone() throws Exception {
    try (Visitors visitors = visitors()) {
      assertThat(run(visitors, "ann", COUNT)).isEqualTo("200 1\nok");
      visitors.park(Duration.ZERO);
      Path file = files().get(0);
      byte[] good = Files.readAllBytes(file);
      byte[] changed = good.clone();
      changed[good.length / 2] ^= 1;
      assertThat(run(visitors, "bob", COUNT)).isEqualTo("200 1\nok");
      byte[][] damaged = {
        {}, changed, Arrays.copyOf(good, 10), Arrays.copyOf(good, good.length - 1), new byte[5000],
      };
      for (int i = 0; i < damaged.length; i++) {
        Files.write(file, damaged[i]);
        assertThat(run(visitors, "ann", COUNT))
            .isEqualTo("500 what was saved of you is damaged; you begin anew");
        assertThat(file).doesNotExist();
        assertThat(damaged()).hasSize(i + 1).contains(damaged[i]);
        assertThat(run(visitors, "ann", COUNT)).isEqualTo("200 1\nok");
        assertThat(run(visitors, "bob", COUNT)).isEqualTo("200 " + (i + 2) + "\nok");
        visitors.park(Duration.ZERO);
      }
    }
  }

  private List<byte[]> damaged() throws IOException {
    List<byte[]> all = new ArrayList<>();
    for (Path file : files()) {
      if (file.toString().endsWith(".damaged")) {
        all.add(Files.readAllBytes(file));
      }
    }
    return all;
  }

  @Test
  void aVisitorWhoCannotBeParkedGoesOn() throws Exception {
    Path parked = dir.resolve("parked");
    Path away = dir.resolve("away");
    try (Visitors visitors = visitors()) {
      assertThat(run(visitors, "ann", COUNT)).isEqualTo("200 1\nok");
      Files.move(parked, away); // as if the folder could not be written
      for (int i = 2; i < 5; i++) {
        visitors.park(Duration.ZERO);
        visitors.park(Duration.ZERO);
        assertThat(visitors.open()).isEqualTo(1);
        assertThat(run(visitors, "ann", COUNT)).isEqualTo("200 " + i + "\nok");
      }
      visitors.park(Duration.ZERO);
      Files.move(away, parked);
      visitors.park(Duration.ZERO);
      assertThat(visitors.open()).isZero();
      assertThat(files()).hasSize(1);
      assertThat(run(visitors, "ann", COUNT)).isEqualTo("200 5\nok");
      String endless = "setmetatable({}, {__gc = function() while true do end end})";
      assertThat(run(visitors, "ann", endless)).isEqualTo("200 ok");
      visitors.park(Duration.ZERO);
      assertThat(visitors.open()).isEqualTo(1);
      assertThat(run(visitors, "ann", COUNT)).isEqualTo("200 6\nok");
      visitors.park(Duration.ZERO);
      assertThat(visitors.open()).isZero();
    }
  }

  @Test
  void requestsMeetParking() throws Exception {
    int each = 40;
    Set<String> counts = new HashSet<>();
    AtomicBoolean ended = new AtomicBoolean();
    try (Visitors visitors = visitors();
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      Future<?> parking =
          threads.submit(() -> {
            while (!ended.get()) {
              visitors.park(Duration.ZERO);
            }
          });
      List<Future<List<String>>> all = new ArrayList<>();
      for (int t = 0; t < 3; t++) {
        all.add(
            threads.submit(() -> {
              List<String> mine = new ArrayList<>();
              for (int i = 0; i < each; i++) {
                mine.add(run(visitors, "ann", COUNT));
              }
              return mine;
            }));
      }
      for (Future<List<String>> some : all) {
        counts.addAll(some.get());
      }
      ended.set(true);
      assertThat(parking.get()).isNull();
      assertThat(counts).hasSize(3 * each).contains("200 1\nok", "200 " + 3 * each + "\nok");
    }
  }

  @Test
  void whatWasAnsweredBeforeTheCloseIsParked() throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    int[] done = new int[4];
    try (client;
        ExecutorService threads = Executors.newFixedThreadPool(done.length)) {
      List<Future<?>> all = new ArrayList<>();
      try (VisitorServer server = new VisitorServer(0, PRELUDE, dir.resolve("parked"), NEVER)) {
        int port = server.port();
        for (int t = 0; t < done.length; t++) {
          int n = t;
          all.add(
              threads.submit(() -> {
                try {
                  HttpRequest request = post(port, "v" + n, COUNT + " for i = 1, 100000 do end");
                  while (client.send(request, BodyHandlers.ofString()).statusCode() == 200) {
                    done[n]++;
                  }
                } catch (IOException | InterruptedException _) {
                  // closed
                }
              }));
        }
        while (server.visitors().open() < done.length) {
          Thread.onSpinWait();
        }
      }
      for (Future<?> each : all) {
        assertThat(each.get()).isNull();
      }
    }
    try (Visitors visitors = visitors()) {
      for (int n = 0; n < done.length; n++) {
        String now = run(visitors, "v" + n, "print(n or 0)");
        assertThat(Integer.parseInt(now.substring(4, now.indexOf('\n'))))
            .isBetween(done[n], done[n] + 1);
      }
    }
  }

  /** A server in a process of its own is killed while it runs scripts, parks and wakes. */
  @Test
  @Tag("exhaustive")
  void visitorsGoOnAfterTheServerWasKilled() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String path = System.getProperty("java.class.path");
    String main = VisitorServer.class.getName();
    String prelude = Files.writeString(dir.resolve("prelude.lua"), PRELUDE).toString();
    String folder = dir.resolve("parked").toString();
    ProcessBuilder server =
        new ProcessBuilder(
                java,
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                path,
                main,
                "0",
                prelude,
                folder,
                "0")
            .redirectError(dir.resolve("errors").toFile());
    int[] before = new int[8];
    for (int round = 0; round < 3; round++) {
      int[] told = before.clone();
      List<byte[]> files = parked(told.length);
      Process child = server.start();
      try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8);
          HttpClient client = HttpClient.newHttpClient()) {
        int port = URI.create(out.readLine()).getPort();
        for (int i = 0; i < 100 || !areParked(files); i++) {
          int v = i % told.length;
          told[v]++;
          HttpRequest request = post(port, "v" + v, COUNT);
          assertThat(answer(client.send(request, BodyHandlers.ofString())))
              .isEqualTo("200 " + told[v] + "\nok\n");
        }
      } finally {
        int _ = child.destroyForcibly().waitFor();
      }
      try (Visitors after = visitors()) {
        for (int v = 0; v < told.length; v++) {
          String now = run(after, "v" + v, COUNT);
          assertThat(now).endsWith("\nok");
          int n = Integer.parseInt(now.substring(4, now.indexOf('\n')));
          assertThat(n - 1).isBetween(before[v] + 1, told[v]);
          before[v] = n;
        }
      }
    }
    assertThat(files()).hasSize(before.length);
  }

  /** Returns what is parked of each visitor. */
  private List<byte[]> parked(int visitors) throws IOException {
    List<byte[]> all = new ArrayList<>();
    for (int v = 0; v < visitors; v++) {
      Path file = dir.resolve("parked").resolve(Visitors.key("v" + v) + ".img");
      all.add(Files.exists(file) ? Files.readAllBytes(file) : new byte[0]);
    }
    return all;
  }

  /** Returns whether each visitor was parked again. */
  private boolean areParked(List<byte[]> before) throws IOException {
    List<byte[]> now = parked(before.size());
    return IntStream.range(0, now.size()).noneMatch(v -> Arrays.equals(now.get(v), before.get(v)));
  }
}
