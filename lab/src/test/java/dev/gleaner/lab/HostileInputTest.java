package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Inputs that are endless, huge, nested deeply, or no files: each is told in a line with its place,
 * with status 2, all of them by one JVM with 64 MiB.
 */
@EnabledOnOs(OS.LINUX)
class HostileInputTest {
  private static final int DEEP = 100_000;
  private static final String ARGUMENTS = " --workload binary-trees:depth=4 --collector marksweep";

  @TempDir private Path folder;

  /** Makes requests, a line each, in one JVM. */
  static final class Requests {
    private Requests() {}

    public static void main(String... requests) {
      PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
      for (String request : requests) {
        out.println("status " + Main.run(out, out, request.split(" ")));
      }
    }
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private void writeSparse(String name, long bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(folder.resolve(name).toFile(), "rw")) {
      file.setLength(bytes);
    }
  }

  private static void config(List<String> requests, List<String> expected, String file, String as) {
    requests.add("compare --config " + file + ARGUMENTS);
    expected.add("gleaner: the configuration: " + as);
  }

  @Test
  void areToldInALineAndStatus() throws Exception {
    List<String> requests = new ArrayList<>();
    List<String> expected = new ArrayList<>();

    write("braces.conf", "\ngleaner " + "{ a ".repeat(DEEP) + "}".repeat(DEEP));
    config(requests, expected, "braces.conf", "braces.conf: 2: braces and brackets more than 100");
    write("brackets.json", "{\"gleaner\": {\"x\":\n" + "[".repeat(DEEP) + "]".repeat(DEEP) + "}}");
    config(requests, expected, "brackets.json", "brackets.json: 2: braces and brackets more than");
    write("path.conf", "gleaner" + ".a".repeat(DEEP) + " = 1");
    config(requests, expected, "path.conf", "path.conf: 1: a path of more than 100 parts");
    write("in.conf", "x = \"{{{ # no brace\" // {{{\ninclude \"braces.conf\"");
    config(requests, expected, "in.conf", folder.toRealPath() + "/braces.conf: 2: braces and");
    write("itself.conf", "include \"itself.conf\"");
    config(requests, expected, "itself.conf", folder.toRealPath() + "/itself.conf: include state");
    write("zero.conf", "include file(\"/dev/zero\")");
    config(requests, expected, "zero.conf", "/dev/zero: only a regular file can be included");
    config(requests, expected, "/dev/zero", "/dev/zero: 1: longer than 1048576 bytes");
    config(requests, expected, ".", ".: "); // with the text of the system
    write("cycle.conf", "gleaner.memory.max = ${gleaner.a}\ngleaner.a = ${gleaner.memory.max}");
    config(requests, expected, "cycle.conf", "cycle.conf: 1: Could not resolve substitution");
    StringBuilder chain = new StringBuilder("gleaner.memory.max = ${a0}\n");
    for (int i = 0; i < DEEP; i++) {
      chain.append("a%d = ${a%d}%n".formatted(i, i + 1));
    }
    write("chain.conf", chain.toString());
    config(requests, expected, "chain.conf", "chain.conf: 501: more than 500 substitutions");
    requests.add("compare -D gleaner.memory.max=${gleaner.memory.max}" + ARGUMENTS);
    expected.add(
        "gleaner: the configuration: -D gleaner.memory.max=${gleaner.memory.max}: 1: Could");
    requests.add("compare -D gleaner.x=" + "[".repeat(1000) + ARGUMENTS);
    expected.add("gleaner: the configuration: -D gleaner.x=");

    String line = ":1:65537: read a longer line, expected at most 65536 characters in a line";
    requests.add("run /dev/zero");
    expected.add("gleaner: /dev/zero" + line);
    writeSparse("huge.heap", 200L << 20);
    requests.add("run huge.heap");
    expected.add("gleaner: huge.heap" + line);
    write("long.heap", "record a 1\n".repeat(500_000));
    requests.add("run long.heap");
    expected.add("gleaner: long.heap:381301:1: read a longer text, expected at most 4194304 bytes");
    write("config.heap", "config { x = " + "[".repeat(50_000) + "\n}");
    requests.add("run config.heap");
    expected.add("gleaner: config.heap:1:1: read 'config', expected ");
    requests.add("run /proc/self/mem");
    expected.add("gleaner: /proc/self/mem: this file cannot be read: ");

    for (String file : List.of("/dev/zero", ".", "fifo")) {
      requests.add("replay " + file);
      expected.add("gleaner: " + file + ": there is no such file to read");
      requests.add("inspect " + file);
      expected.add("gleaner: " + file + ": there is no such file");
    }
    writeSparse("zeros", 1L << 30);
    requests.add("replay zeros");
    expected.add("gleaner: workload trace: zeros: byte 0: not a trace");
    requests.add("inspect zeros");
    expected.add("gleaner: zeros: is no HPROF heap dump");
    String tune = "tune --mult 1 --add 1024 --journal ";
    requests.add(tune + "zeros" + ARGUMENTS);
    expected.add("gleaner: --journal zeros: longer than the limit of 256 MiB");
    for (String file : List.of("/dev/zero", "fifo")) {
      requests.add(tune + file + ARGUMENTS);
      expected.add("gleaner: --journal " + file + ": that is no regular file");
    }
    String named = "fifo: a named pipe or device, expected a file; ";
    requests.add("run fifo");
    expected.add("gleaner: " + named);
    requests.add("lua fifo");
    expected.add("gleaner: " + named);
    requests.add("lua /dev/zero");
    expected.add("lua: /dev/zero: chunk too large (16777217 bytes; at most 16777216)");
    for (String file : List.of("/dev/zero", "fifo")) {
      requests.add("compare --runs 1 --workload lua:file=" + file);
      expected.add("gleaner: workload lua: " + file + ": expected a file");
    }
    requests.add("run --config fifo config.heap");
    expected.add("gleaner: --config " + named);
    requests.add("lua --config fifo a.lua");
    expected.add("gleaner: --config " + named);
    assertThat(new ProcessBuilder("mkfifo", folder.resolve("fifo").toString()).start().waitFor())
        .isZero();

    Path out = folder.resolve("out");
    List<String> command =
        Forked.command(List.of("-Xmx64m"), Requests.class, requests.toArray(String[]::new));
    try (Forked all = Forked.start(folder, Redirect.to(out.toFile()), command)) {
      assertThat(all.status()).as("%s", all.err()).isZero();
      assertThat(all.err()).isEmpty();
    }
    List<String> lines = Files.readAllLines(out);
    assertThat(lines).hasSize(2 * expected.size());
    for (int i = 0; i < expected.size(); i++) {
      assertThat(lines.get(2 * i)).startsWith(expected.get(i));
      String status = expected.get(i).startsWith("lua: ") ? "status 1" : "status 2";
      assertThat(lines.get(2 * i + 1)).as(lines.get(2 * i)).isEqualTo(status);
    }
  }
}
