package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Lua script as the workload of {@code compare}, {@code record}, {@code tune}, {@code snapshot}.
 */
class LuaWorkloadTest {
  private static final String SCRIPT =
      """
      cache = {}
      function fill(n)
        for i = 1, n do
          local t = {i}
          t.t = t
          cache[i % 10] = t
        end
      end
      fill(tonumber(arg[1]))
      waiting = coroutine.create(function() coroutine.yield(1) end)
      coroutine.resume(waiting)
      print(arg[0]:match("[^/]+$"), #arg, ...)
      """;

  @TempDir private Path dir;

  private String script(String text) throws IOException {
    return Files.writeString(dir.resolve("s.lua"), text).toString();
  }

  private Result compare(String collectors, String script, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("compare", "--lua", script(script), "--collector", collectors, "--runs", "2"));
    arguments.addAll(List.of("--quiet", "--format", "json", "--report"));
    arguments.add(dir.resolve("r.html").toString());
    arguments.addAll(List.of(more));
    return Result.of(arguments);
  }

  private static JsonNode json(Result result) throws IOException {
    return new ObjectMapper().readTree(result.out());
  }

  @Test
  @Tag("exhaustive")
  void allCollectorsRunIt() throws Exception {
    Result result = compare("all", SCRIPT, "2000", "a b");
    assertThat(result.err()).isEmpty();
    assertThat(result.status()).isZero();
    JsonNode json = json(result);
    assertThat(json.get("workload").get("name").asText()).isEqualTo("lua");
    assertThat(json.get("workload").get("parameters").get("arguments").asText())
        .isEqualTo("[\"2000\",\"a b\"]");
    CRC32 expected = new CRC32();
    expected.update("s.lua\t2\t2000\ta b\n".getBytes(StandardCharsets.UTF_8));
    assertThat(json.get("results")).hasSizeGreaterThan(4);
    for (JsonNode row : json.get("results")) {
      assertThat(row.get("runs")).hasSize(2);
      for (JsonNode run : row.get("runs")) {
        assertThat(run.get("status").asText()).as("%s", row.get("collector")).isEqualTo("ok");
        assertThat(run.get("checksum").asLong()).isEqualTo(expected.getValue());
        assertThat(run.get("live_elements_at_end").asLong()).isZero();
        assertThat(run.get("allocated_elements").asLong()).isGreaterThan(2000);
      }
    }
  }

  @Test
  @Tag("exhaustive")
  void whatEndsItIsToldAndFails() throws Exception {
    Result error = compare("marksweep", "print(1)\nerror('no luck')");
    assertThat(error.status()).isEqualTo(1);
    String file = dir.resolve("s.lua").toString();
    assertThat(status(error)).isEqualTo("failed: " + file + ":2: no luck");
    assertThat(error.err())
        .contains("marksweep: stack traceback:", "in main chunk")
        .doesNotContain("Exception");
    assertThat(status(compare("marksweep", "for"))).endsWith(":1: <name> expected near <eof>");
    String limit = "gleaner.lua.max-instructions=1000";
    assertThat(status(compare("marksweep", "while true do end", "-D", limit)))
        .isEqualTo("failed: instruction limit reached (1000)");
    assertThat(status(compare("marksweep", "os.exit(7)")))
        .isEqualTo("failed: " + file + ": os.exit with status 7");
    Result memory =
        compare("marksweep", "local t = {} while true do t = {t} end", "--max-memory", "2MiB");
    assertThat(status(memory)).isEqualTo("out-of-memory");
    assertThat(compare("refcount", "coroutine.wrap(os.exit)(0)").status()).isZero();
  }

  private static String status(Result result) throws IOException {
    return json(result).get("results").get(0).get("runs").get(0).get("status").asText();
  }

  @Test
  void itIsRecorded() throws Exception {
    String trace = dir.resolve("s.trace").toString();
    Result recorded = Result.of("record", "--lua", script(SCRIPT), "-o", trace, "300");
    assertThat(recorded.err()).isEmpty();
    assertThat(recorded.out()).contains(" operations of lua:file=", ",arguments=[\"300\"] under ");
    Result replayed = Result.of("replay", trace, "--collector", "marksweep,semispace,hybrid");
    assertThat(replayed.status()).as(replayed.out() + replayed.err()).isZero();
    Result failed = Result.of("record", "--lua", script("error('no luck', 0)"), "-o", trace);
    assertThat(failed.status()).isEqualTo(1);
    assertThat(failed.err())
        .contains("gleaner: the recording ends where the script did: no luck\n");
  }

  @Test
  void aSnapshotShowsWhatScriptsCallThings() throws Exception {
    String file = dir.resolve("s.hprof").toString();
    Result taken = Result.of("snapshot", "--lua", script(SCRIPT), "-o", file, "300");
    assertThat(taken.status()).as(taken.err()).isZero();
    Result shown = Result.of("inspect", file, "--top", "500");
    assertThat(shown.out())
        .contains(
            "\nlua.table ",
            "\nlua.coroutine ",
            "\nlua.closure fill s.lua:2 ",
            "\nlua.closure string.format ",
            "\nlua.userdata ")
        .doesNotContain("gleaner.Function", "gleaner.Object", "lua.table_");
    assertThat(Result.of("snapshot", "--lua", script("error('no', 0)"), "-o", file).err())
        .isEqualTo("gleaner: no\n");
  }

  @Test
  @Tag("exhaustive")
  void itIsTuned() throws Exception {
    List<String> tune =
        List.of("tune", "--collector", "marksweep", "--lua", script(SCRIPT), "--mult", "1,2");
    List<String> quick = List.of("--add", "1024", "--runs", "1", "--final-runs", "0", "--quiet");
    List<String> files =
        List.of("--journal", dir.resolve("j").toString(), "--report", dir + "/t.html", "3000");
    List<String> all = new ArrayList<>(tune);
    all.addAll(quick);
    all.addAll(files);
    Result result = Result.of(all);
    assertThat(result.status()).as(result.out() + result.err()).isZero();
    assertThat(result.out())
        .contains(
            "\nmarksweep on lua (file = ",
            "arguments = [\"3000\"]), 3 trials\n",
            "voluntary.mult = ");
    Result two = Result.of("tune", "--lua", script(SCRIPT), "--workload", "churn");
    assertThat(two.status()).isEqualTo(2);
    assertThat(two.err()).contains("one at a time is tuned for");
  }

  @Test
  void aWrongRequestIsRefused() throws Exception {
    String none = dir.resolve("none.lua").toString();
    for (String command : List.of("compare", "tune", "record", "snapshot")) {
      List<String> arguments = new ArrayList<>(List.of(command, "--lua", none));
      if (command.equals("record") || command.equals("snapshot")) {
        arguments.addAll(List.of("-o", dir.resolve("x").toString()));
      }
      Result result = Result.of(arguments);
      assertThat(result.status()).isEqualTo(2);
      assertThat(result.err()).isEqualTo("gleaner: " + none + ": there is no such file to read\n");
    }
    assertThat(Result.of("compare", "churn").err())
        .isEqualTo("gleaner: churn: arguments are for the script of --lua FILE.lua\n");
    assertThat(Result.of("record", "-o", none).err())
        .startsWith("gleaner: one workload is needed: ");
    assertThat(Result.of("compare", "--workload", "lua").err())
        .isEqualTo("gleaner: workload lua: file = FILE.lua is needed\n");
    assertThat(Result.of("compare", "--workload", "lua:file=" + script("") + ",arguments=1").err())
        .contains("arguments = 1: a list of texts is needed");
  }
}
