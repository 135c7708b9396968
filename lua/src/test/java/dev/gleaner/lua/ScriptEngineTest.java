package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gleaner.lua.script.LuaEngine;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.function.IntBinaryOperator;
import javax.script.Bindings;
import javax.script.Compilable;
import javax.script.CompiledScript;
import javax.script.Invocable;
import javax.script.ScriptContext;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;
import javax.script.ScriptException;
import javax.script.SimpleBindings;
import org.junit.jupiter.api.Test;

/** The engine of javax.script. */
class ScriptEngineTest {
  private static LuaEngine engine() {
    ScriptEngine engine = new ScriptEngineManager().getEngineByName("lua");
    assertThat(engine).isInstanceOf(LuaEngine.class);
    return (LuaEngine) engine;
  }

  @Test
  void isFoundByNameExtensionAndType() {
    ScriptEngineManager manager = new ScriptEngineManager();
    assertThat(manager.getEngineByExtension("lua")).isInstanceOf(LuaEngine.class);
    assertThat(manager.getEngineByMimeType("text/x-lua")).isInstanceOf(LuaEngine.class);
    assertThat(engine().getFactory().getLanguageVersion()).isEqualTo("5.4");
  }

  @Test
  void bindingsAreGlobalVariables() throws ScriptException {
    try (LuaEngine engine = engine()) {
      engine.put("name", "wörld");
      engine.put("add", (HostFunction) a -> new Object[] {(Long) a[0] + (Long) a[1]});
      assertThat(engine.eval("return 'hello, ' .. name")).isEqualTo("hello, wörld");
      assertThat(engine.eval("x = add(40, 2) y = 1 y = nil return x, 2")).isEqualTo(42L);
      assertThat(engine.get("x")).isEqualTo(42L);
      assertThat(engine.getBindings(ScriptContext.ENGINE_SCOPE)).doesNotContainKey("y");
      Bindings other = new SimpleBindings();
      other.put("x", 5);
      assertThat(engine.eval("x = x + 1 return x", other)).isEqualTo(6L);
      assertThat(other).containsEntry("x", 6L);
      assertThat(engine.get("x")).isEqualTo(42L);
      engine.getBindings(ScriptContext.GLOBAL_SCOPE).put("everywhere", true);
      assertThat(engine.eval(new StringReader("return everywhere, nothing"))).isEqualTo(true);
      Object opaque = new Object();
      engine.put("o", opaque);
      assertThat(engine.eval("return type(o) == 'userdata' and o")).isEqualTo(opaque);
      assertThat(engine.eval("return os.getenv")).isNull();
    }
  }

  @Test
  void whatIsPrintedGoesToTheContext() throws ScriptException {
    try (LuaEngine engine = engine()) {
      StringWriter out = new StringWriter();
      engine.getContext().setWriter(out);
      engine.eval("print('ä', 1) " + engine.getFactory().getOutputStatement("a\n\"b\""));
      engine.eval("io.write(string.rep('é', 10000))");
      assertThat(out).hasToString("ä\t1\na\n\"b\"" + "é".repeat(10000));
    }
  }

  @Test
  void errorsHaveMessagesAndCauses() {
    try (LuaEngine engine = engine()) {
      engine.put(ScriptEngine.FILENAME, "my.lua");
      assertThatThrownBy(() -> engine.eval("\nerror('bad')"))
          .isInstanceOf(ScriptException.class)
          .hasMessageStartingWith("my.lua:2: bad")
          .hasCauseInstanceOf(LuaException.class);
      assertThatThrownBy(() -> engine.eval("x = = 1"))
          .hasMessageStartingWith("my.lua:1: unexpected symbol near '='");
    }
  }

  @Test
  void attributesAreSettings() {
    try (LuaEngine engine = engine()) {
      engine.put("gleaner.memory.max", "1MiB");
      engine.put("gleaner.lua.max-instructions", 1_000_000);
      assertThatThrownBy(() -> engine.eval("local t = {} while true do t = {t} end"))
          .hasCauseInstanceOf(LuaMemoryException.class);
      assertThatThrownBy(() -> engine.eval("while true do end"))
          .hasMessage("instruction limit reached (1000000)")
          .hasCauseInstanceOf(LuaLimitException.class);
    }
  }

  @Test
  void scriptsAreCompiledAndFunctionsInvoked() throws Exception {
    try (LuaEngine engine = engine()) {
      CompiledScript script =
          ((Compilable) engine)
              .compile("n = (n or 0) + 1 function applyAsInt(a, b) return a * b end return n");
      assertThat(script.eval()).isEqualTo(1L);
      assertThat(script.eval()).isEqualTo(2L);
      Invocable invocable = engine;
      assertThat(invocable.invokeFunction("applyAsInt", 6, 7)).isEqualTo(42L);
      assertThatThrownBy(() -> invocable.invokeFunction("nothing"))
          .isInstanceOf(NoSuchMethodException.class);
      assertThat(invocable.getInterface(IntBinaryOperator.class).applyAsInt(3, 4)).isEqualTo(12);
      assertThat(invocable.getInterface(Runnable.class)).isNull();
      Object account =
          engine.eval(
              "local a = {n = 1} function a:applyAsInt(x, y) return self.n + x + y end return a");
      assertThat(invocable.invokeMethod(account, "applyAsInt", 2, 3)).isEqualTo(6L);
      assertThat(invocable.getInterface(account, IntBinaryOperator.class).applyAsInt(1, 1))
          .isEqualTo(3);
      assertThat(engine.eval("return math.type(applyAsInt(1, 2))")).isEqualTo("integer");
    }
  }
}
