package dev.gleaner.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code gleaner lua} in a JVM of its own, since it uses the standard streams. */
class LuaCommandTest {
  /** Sorts in a coroutine that yields where two elements are compared; parks itself if told. */
  private static final String SORT =
      """
      local parks = ... == "parks"
      local compared, parked = 0, 0
      local item = {__lt = function(a, b)
        compared = compared + 1
        coroutine.yield()
        return a.key < b.key
      end}
      local function sort(t, low, high)
        if low >= high then return end
        local pivot <const> = t[(low + high) // 2]
        local i, j = low, high
        while i <= j do
          while t[i] < pivot do i = i + 1 end
          while pivot < t[j] do j = j - 1 end
          if i <= j then
            t[i], t[j], i, j = t[j], t[i], i + 1, j - 1
          end
        end
        sort(t, low, j)
        return sort(t, i, high)
      end
      local t = {}
      for i = 1, 300 do t[i] = setmetatable({key = i * 7919 % 1009}, item) end
      local job = coroutine.create(function() sort(t, 1, #t) end)
      while coroutine.status(job) ~= "dead" do
        assert(coroutine.resume(job))
        if parks and parked < 20 and compared >= 100 * (parked + 1) then
          parked = parked + 1
          coroutine.yield()
        end
      end
      for i = 2, #t do assert(t[i - 1].key <= t[i].key) end
      print("sorted " .. #t .. " in " .. compared .. " comparisons")
      print(t[1].key, t[150].key, t[300].key, #t)
      """;

  @TempDir private Path dir;

  private Result lua(String input, String... arguments) throws Exception {
    String[] all = new String[arguments.length + 1];
    all[0] = "lua";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    Path in = Files.writeString(dir.resolve("in"), input);
    File out = dir.resolve("out").toFile();
    File err = dir.resolve("err").toFile();
    Process process =
        new ProcessBuilder(Forked.command(List.of(), Main.class, all))
            .directory(dir.toFile())
            .redirectInput(in.toFile())
            .redirectOutput(out)
            .redirectError(err)
            .start();
    int status = process.waitFor();
    return new Result(status, text(out), text(err));
  }

  private static String[] with(String[] first, String... more) {
    return Stream.of(first, more).flatMap(Stream::of).toArray(String[]::new);
  }

  private static String text(File file) throws IOException {
    return Files.readString(file.toPath(), StandardCharsets.UTF_8);
  }

  private void script(String text) throws IOException {
    Files.writeString(dir.resolve("s.lua"), text);
  }

  @Test
  void theStandardInputIsAScriptUnlessAskedOtherwise() throws Exception {
    assertThat(lua("print(1, ...)\n")).isEqualTo(new Result(0, "1\n", ""));
    assertThat(lua("print(1, ...)", "-", "a", "-b")).isEqualTo(new Result(0, "1\ta\t-b\n", ""));
    Result failed = lua("local x = nil + 1");
    assertThat(failed.status()).isEqualTo(1);
    assertThat(failed.err()).startsWith("lua: stdin:1: attempt to perform arithmetic on a nil");
  }

  @Test
  void aScriptIsSavedAndGoesOn() throws Exception {
    script(
        """
        local woken = 0
        while woken < 2 do
          print(arg[0], ..., "woken", woken)
          coroutine.yield()
          woken = woken + 1
        end
        print("done", io.stdout, io.type(io.stdout))
        """);
    assertThat(lua("", "--save", "job.img", "s.lua", "a"))
        .isEqualTo(new Result(0, "s.lua\ta\twoken\t0\n", ""));
    String[] again = {"--image", "job.img", "--save", "job.img"};
    assertThat(lua("", again)).isEqualTo(new Result(0, "s.lua\ta\twoken\t1\n", ""));
    String[] other = {"--collector", "semispace", "--max-memory", "2MiB"};
    assertThat(lua("", with(other, again)))
        .matches(r -> r.status() == 0 && r.out().matches("done\tfile \\(0x.*\\)\tfile\n"));
    assertThat(lua("", again))
        .isEqualTo(
            new Result(2, "", "gleaner: job.img: no script has yielded in it; name one to run\n"));
  }

  /**
   * Of each pair of collectors the second one wakes, in a JVM of its own, what the first parked.
   */
  @Test
  @Tag("exhaustive")
  void aSortGoesOnUnderEachOtherCollector() throws Exception {
    script(SORT);
    Result expected = lua("", "s.lua");
    assertThat(expected.out()).startsWith("sorted 300 in ").hasLineCount(2);
    String[] collectors = {"marksweep", "refcount", "hybrid", "semispace", "framestack"};
    List<String> woken = new ArrayList<>();
    Result result = lua("", "--save", "job.img", "s.lua", "parks");
    int c = 0;
    for (int i = 0; i < 20; i++) {
      assertThat(result).as("after " + woken).isEqualTo(new Result(0, "", ""));
      c = (c + 1 + i / 5) % 5; // in steps of one to four
      String limit = 2 + i % 3 + "MiB";
      String[] wake = {"--collector", collectors[c], "--max-memory", limit};
      result = lua("", with(wake, "--image", "job.img", "--save", "job.img"));
      woken.add(collectors[c]);
    }
    assertThat(result).as("after " + woken).isEqualTo(expected);
  }

  @Test
  @Tag("exhaustive")
  void aScriptBeginsWithAnImage() throws Exception {
    Files.writeString(dir.resolve("prelude.lua"), "function double(x) return 2 * x end");
    script("print(double(21), ...)");
    assertThat(lua("", "--save", "warm.img", "prelude.lua")).isEqualTo(new Result(0, "", ""));
    assertThat(lua("", "--image", "warm.img", "s.lua", "x"))
        .isEqualTo(new Result(0, "42\tx\n", ""));
    assertThat(lua("", "--image", "warm.img", "-e", "print(double(4))"))
        .isEqualTo(new Result(0, "8\n", ""));
    assertThat(lua("", "--sandbox", "--image", "warm.img", "s.lua").err())
        .startsWith(
            "gleaner: warm.img: the image needs functions or objects that this host does not")
        .contains("io.open");
  }

  @Test
  @Tag("exhaustive")
  void whatCannotBeSavedIsToldWithItsPath() throws Exception {
    script("file = io.open('s.lua')");
    Result result = lua("", "--save", "s.img", "s.lua");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).contains("s.img").contains("open file").contains("file");
    assertThat(dir.resolve("s.img")).doesNotExist();
    assertThat(lua("", "--image", "s.img", "s.lua").err())
        .isEqualTo("gleaner: s.img: there is no such file\n");
    script("print(1)");
    assertThat(lua("", "--save", "none/s.img", "s.lua"))
        .isEqualTo(new Result(2, "1\n", "gleaner: none/s.img: there is no such folder\n"));
    assertThat(lua("", "--image", "/dev/zero").err())
        .isEqualTo("gleaner: /dev/zero: no heap image: it does not begin as one\n");
    assertThat(lua("", "--image", "s.lua", "s.lua").err())
        .startsWith("gleaner: s.lua: ")
        .doesNotContain("\tat ");
  }

  /** The output is that of lua5.4 for the same input, but for the first line. */
  @Test
  void thePromptIsThatOfLua() throws Exception {
    String input =
        """
        1 + 1
        =2, "ä"
        x = 5
        for i = 1, 2 do
        print(i)
        end
        error("no")
        )
        x
        _PROMPT = "$ "
        x = x +
        1
        x
        os.exit(4)
        never
        """;
    Result result = lua(input, "-i");
    assertThat(result.out())
        .startsWith("Lua 5.4 in a heap of ")
        .endsWith(
            """
            ; Ctrl-D ends
            > 1 + 1
            2
            > =2, "ä"
            2	ä
            > x = 5
            > for i = 1, 2 do
            >> print(i)
            >> end
            1
            2
            > error("no")
            > )
            > x
            5
            > _PROMPT = "$ "
            $ x = x +
            >> 1
            $ x
            6
            $ os.exit(4)
            """);
    assertThat(result.err())
        .isEqualTo(
            """
            stdin:1: no
            stack traceback:
            \t[C]: in function 'error'
            \tstdin:1: in main chunk
            \t[C]: in ?
            stdin:1: unexpected symbol near ')'
            """);
    assertThat(result.status()).isEqualTo(4);
  }

  @Test
  @Tag("exhaustive")
  void thePromptFollowsAScriptThatDoesNotFail() throws Exception {
    script("x = ... print(arg[0])");
    Result result = lua("x\nfor", "-i", "s.lua", "7");
    assertThat(result.out()).endsWith("; Ctrl-D ends\ns.lua\n> x\n7\n> for\n>> \n");
    assertThat(result.err()).isEqualTo("stdin:1: <name> expected near <eof>\n");
    assertThat(result.status()).isZero();
    script("error('no')");
    result = lua("1\n", "-i", "s.lua");
    assertThat(result.out()).doesNotContain(">");
    assertThat(result.status()).isEqualTo(1);
  }

  @Test
  void limitsEndThePromptAndMemoryDoesNot() throws Exception {
    Result result =
        lua(
            "t = {} while true do t = {t} end\nt = nil\n1\nwhile true do end\n2\n",
            "-i",
            "--max-memory",
            "2MiB",
            "--max-instructions",
            "1000000");
    assertThat(result.out()).contains("> 1\n1\n").doesNotContain("2\n");
    assertThat(result.err())
        .isEqualTo("not enough memory\nlua: instruction limit reached (1000000)\n");
    assertThat(result.status()).isEqualTo(3);
  }

  @Test
  @Tag("exhaustive")
  void statsAreTheTableOfCompare() throws Exception {
    script("local t = {} for i = 1, 20000 do t = {t} end print('done', ...)");
    Result result = lua("", "--stats", "--collector", "hybrid", "s.lua", "a");
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(result.out()).isEqualTo("done\ta\n");
    assertThat(result.err())
        .startsWith("s.lua a, one run\n")
        .containsPattern("\nhybrid +\\d")
        .contains("collec-", "peak", "\ninstructions ");
    Result failed = lua("", "--stats", "--sandbox", "-e", "print(io.open) error('no')");
    assertThat(failed.status()).isEqualTo(1);
    assertThat(failed.out()).isEqualTo("nil\n");
    assertThat(failed.err())
        .startsWith("lua: (command line):1: no\n")
        .contains("failed: (command line):1: no (1 of 1 runs)");
  }
}
