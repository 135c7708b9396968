package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a prompt makes of lines. */
class ConsoleTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Guest guest = Lua.of(ConfigFactory.load()).open(out);
  private final Console console = new Console(guest);

  @AfterEach
  void close() {
    guest.close();
  }

  private String take(String... lines) {
    out.reset();
    for (String line : lines) {
      console.take(bytes(line));
    }
    return out.toString(StandardCharsets.ISO_8859_1);
  }

  @Test
  void printsWhatExpressionsAre() {
    assertThat(take("1 + 1, 'a', nil", "=2", "return 3")).isEqualTo("2\ta\tnil\n2\n3\n");
    assertThat(take("x = 5", "", "local y = 6", "x, y")).isEqualTo("5\tnil\n");
  }

  @Test
  void aStatementGoesOnOverLines() {
    assertThat(console.prompt()).isEqualTo("> ");
    assertThat(take("for i = 1, 2 do")).isEmpty();
    assertThat(console.prompt()).isEqualTo(">> ");
    assertThat(take("print(i)", "end")).isEqualTo("1\n2\n");
    assertThat(console.prompt()).isEqualTo("> ");
    assertThat(take("=1 +", "2")).isEqualTo("3\n");
    take("if x then");
    assertThatThrownBy(console::end)
        .isInstanceOf(LuaException.class)
        .hasMessage("stdin:1: 'end' expected near <eof>");
    assertThat(console.prompt()).isEqualTo("> ");
  }

  @Test
  void errorsGoOn() {
    assertThatThrownBy(() -> take(")"))
        .isInstanceOf(LuaException.class)
        .hasMessage("stdin:1: unexpected symbol near ')'");
    assertThatThrownBy(() -> take("error('no')"))
        .isInstanceOfSatisfying(
            LuaException.class,
            e ->
                assertThat(e.traceback())
                    .isEqualTo(
                        "stack traceback:\n\t[C]: in function 'error'\n"
                            + "\tstdin:1: in main chunk\n\t[C]: in ?"));
    take("kept = print", "print = 1");
    assertThatThrownBy(() -> take("2"))
        .hasMessage("error calling 'print' (attempt to call a number value)");
    assertThat(take("print = kept", "2")).isEqualTo("2\n");
  }

  @Test
  void theScriptNamesThePrompts() {
    take("_PROMPT = setmetatable({}, {__tostring = function() return '$ ' end})", "_PROMPT2 = 7");
    assertThat(console.prompt()).isEqualTo("$ ");
    take("x =");
    assertThat(console.prompt()).isEqualTo("7");
    take("1", "_PROMPT = setmetatable({}, {__tostring = error})");
    assertThat(console.prompt()).isEqualTo("> ");
  }

  @Test
  void aFullGuestStillTakesLines() {
    for (String filler : List.of("{}", "function() return i end", "{i}", "('x'):rep(100) .. i")) {
      try (Guest full = Lua.of(ConfigFactory.parseString("gleaner.memory.max = 1MiB")).open(out)) {
        Console lines = new Console(full);
        lines.take(bytes("t, n = {}, 0"));
        assertThatThrownBy(
                () -> lines.take(bytes("for i = 1, 1e9 do t[i] = " + filler + " n = i end")))
            .isInstanceOf(LuaMemoryException.class);
        lines.take(bytes("while pcall(function() local i = n t[n + 1] = {} n = n + 1 end) do end"));
        out.reset();
        lines.take(bytes("n > 1000"));
        lines.take(bytes("for i = 1, n // 2 do t[i] = nil end"));
        lines.take(bytes("t = nil"));
        lines.take(bytes("#('x'):rep(100000)"));
        assertThat(out.toString(StandardCharsets.ISO_8859_1)).isEqualTo("true\n100000\n");
      }
    }
  }

  private static byte[] bytes(String line) {
    return line.getBytes(StandardCharsets.ISO_8859_1);
  }
}
