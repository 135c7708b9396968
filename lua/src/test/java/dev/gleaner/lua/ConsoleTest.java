package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
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
      console.take(line.getBytes(StandardCharsets.ISO_8859_1));
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
}
