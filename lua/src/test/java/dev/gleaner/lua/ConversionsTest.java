package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.script.LuaEngine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.script.ScriptEngine;
import javax.script.ScriptEngineManager;
import javax.script.ScriptException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Collections become tables, and tables collections. */
class ConversionsTest {
  private static final String CONVERT = "gleaner.lua.convert-tables = true";

  private static Guest open(String settings) {
    return Lua.of(
            ConfigFactory.parseString("gleaner.memory.max = 4MiB\n" + settings)
                .withFallback(ConfigFactory.load()))
        .open();
  }

  private static LuaValue value(@Nullable Object value) {
    return (LuaValue) Objects.requireNonNull(value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"framestack", "hybrid", "marksweep", "refcount", "semispace"})
  void whatGoesInComesOut(String collector) {
    for (String more : List.of("", "\ngleaner.torture.gc = 7")) {
      try (Guest guest = open("gleaner.collector = " + collector + "\n" + CONVERT + more)) {
        Map<Object, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", "wörld");
        map.put("list", List.of(1L, 2.5, true, "x", List.of(List.of(), List.of(7L))));
        map.put(5, new int[] {3, 4});
        map.put(true, new Object[] {"a", new String[] {"b"}});
        map.put(1.5, Map.of("deep", Map.of("deeper", new LinkedHashSet<>(List.of(1L)))));
        map.put("bytes", new byte[] {65, 66});
        map.put("nothing", null);
        Map<Object, Object> out = new HashMap<>();
        out.put("name", "wörld");
        out.put("list", List.of(1L, 2.5, true, "x", List.of(List.of(), List.of(7L))));
        out.put(5L, List.of(3L, 4L));
        out.put(true, List.of("a", List.of("b")));
        out.put(1.5, Map.of("deep", Map.of("deeper", List.of(1L))));
        out.put("bytes", "AB");
        assertThat(guest.run("return ...", map)).containsExactly(out);
        guest.set("m", map);
        assertThat(guest.run("return m, #m.list, m[5][2], m[true][2][1], m.nothing"))
            .containsExactly(out, 5L, 4L, "b", null);
        guest.set("host", a -> new Object[] {a[0], List.of(Objects.requireNonNull(a[0]))});
        assertThat(guest.run("local a, b = host({x = {1, 2}}) return a.x[2], b[1].x[1], a"))
            .containsExactly(2L, 1L, Map.of("x", List.of(1L, 2L)));
        assertThat(guest.heap().inspect().verify()).isEmpty();
        assertThat(guest.heap().mutator().frameDepth()).isOne();
      }
    }
  }

  @Test
  void nullIsNoEntryAndHolesMakeMaps() {
    try (Guest guest = open(CONVERT)) {
      List<@Nullable Object> holes = Arrays.asList(1L, null, 3L);
      assertThat(guest.run("return ..., (...)[2], (...)[3]", holes))
          .containsExactly(Map.of(1L, 1L, 3L, 3L), null, 3L);
      assertThat(guest.run("return {1, nil, 3}, {nil, 2}, {[0] = 1}, {1, x = 1}, {[1.0] = 1}, {}"))
          .containsExactly(
              Map.of(1L, 1L, 3L, 3L),
              Map.of(2L, 2L),
              Map.of(0L, 1L),
              Map.of(1L, 1L, "x", 1L),
              List.of(1L),
              List.of());
      assertThat(guest.run("return {[1 << 40] = 1, [-1] = 2, [2.5] = 3}"))
          .containsExactly(Map.of(1L << 40, 1L, -1L, 2L, 2.5, 3L));
      assertThat(guest.run("local t = {} for i = 1, 9 do t[i] = i end t[5] = nil return t"))
          .allSatisfy(t -> assertThat(t).isInstanceOf(Map.class));
    }
  }

  @Test
  void valuesAreLiveUnlessTheyAreAskedFor() {
    try (Guest guest = open("")) {
      LuaValue t = value(guest.run("t = {1, 2, nil, 4, x = {y = {}}, f = print} return t")[0]);
      assertThat(t.toList()).containsExactly(1L, 2L);
      Map<Object, @Nullable Object> map = t.toMap();
      assertThat(map).containsEntry("x", Map.of("y", List.of())).containsEntry(4L, 4L);
      assertThat(value(map.get("f")).type()).isEqualTo("function");
      assertThat(t.toJava()).isInstanceOf(Map.class);
      map.put("z", 1L);
      assertThat(guest.run("return t.z")).containsExactly((Object) null);
      assertThatThrownBy(() -> value(guest.get("print")).toJava())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no table");
      Object called =
          value(
                  guest
                      .run(
                          "return setmetatable({1}, {__index = error, __len = error,"
                              + " __pairs = error})")[0])
              .toJava();
      assertThat(called).isEqualTo(List.of(1L));
    }
  }

  @Test
  void sharedOnesStayShared() {
    try (Guest guest = open(CONVERT)) {
      List<Object> leaf = List.of("leaf");
      assertThat(guest.run("local t = ... return t[1] == t[2], t[1][1]", List.of(leaf, leaf)))
          .containsExactly(true, "leaf");
      Object shared = guest.run("local leaf = {1} return {leaf, leaf, {leaf}}")[0];
      List<?> list = (List<?>) Objects.requireNonNull(shared);
      assertThat(list.get(0)).isSameAs(list.get(1)).isSameAs(((List<?>) list.get(2)).get(0));
      // 2 to the power of 90 leaves, if each one were copied.
      Object wide = guest.run("local t = {1} for i = 1, 90 do t = {t, t} end return t")[0];
      assertThat(guest.run("return #(...)", wide)).containsExactly(2L);
    }
  }

  @Test
  void loopsAndDepthAreRefused() {
    try (Guest guest = open(CONVERT)) {
      List<Object> loop = new ArrayList<>();
      loop.add(Map.of("loop", loop));
      assertThatThrownBy(() -> guest.set("x", loop))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "a container that contains itself is no Lua value, under the key loop, under the key"
                  + " 1");
      Object deep = 1L;
      for (int i = 0; i < 101; i++) {
        deep = List.of(deep);
      }
      Object tooDeep = deep;
      assertThatThrownBy(() -> guest.set("x", tooDeep))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("containers that are more than 100 deep");
      for (String script :
          List.of(
              "local t = {} t.t = {t} return t",
              "local t = {} for i = 1, 101 do t = {t} end return t",
              "host((function() local t = {} t[1] = t return t end)())")) {
        guest.set("host", a -> a);
        assertThatThrownBy(() -> guest.run(script))
            .as(script)
            .isInstanceOf(LuaException.class)
            .hasMessageContaining("table");
        assertThat(guest.heap().mutator().frameDepth()).isOne();
      }
      assertThat(guest.run("local t = {} t[1] = t return pcall(host, t)"))
          .containsExactly(false, "a table that contains itself is no list and no map");
      guest.set("back", a -> new Object[] {loop});
      assertThat(guest.run("return (pcall(back))")).containsExactly(false);
      assertThat(guest.run("return 1 + 1")).containsExactly(2L);
      assertThat(guest.heap().inspect().verify()).isEmpty();
    }
  }

  @Test
  void keysAreChecked() {
    try (Guest guest = open("")) {
      Map<@Nullable Object, Object> none = new HashMap<>();
      none.put(null, 1);
      for (Map<?, ?> wrong :
          List.of(
              none,
              Map.of(Double.NaN, 1),
              Map.of(List.of(), 1),
              Map.of(1, 1, 1L, 2),
              Map.of(1, 1, 1.0, 2),
              Map.of(new Object(), 1),
              Map.of("x", new Object()))) {
        assertThatThrownBy(() -> guest.set("x", wrong))
            .as(wrong.toString())
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThat(guest.get("x")).isNull();
      assertThat(guest.heap().mutator().frameDepth()).isOne();
    }
  }

  @Test
  void copiesAreChargedBeforeTheyAreMade() {
    try (Guest guest = open(CONVERT)) {
      guest.run("s = ('x'):rep(1 << 19)");
      assertThatThrownBy(() -> guest.run("local t = {} for i = 1, 1000 do t[i] = s end return t"))
          .isInstanceOf(LuaMemoryException.class);
      assertThatThrownBy(() -> guest.set("x", new int[1 << 20]))
          .isInstanceOf(LuaMemoryException.class);
      guest.set("host", a -> new Object[] {new int[1 << 20]});
      assertThat(guest.run("return pcall(host)")).containsExactly(false, "not enough memory");
      assertThatThrownBy(() ->
              guest.run(
                  "local t = {} for i = 1, 9999 do t[i] = i end return t",
                  Budget.ofInstructions(35_000)))
          .isInstanceOf(LuaLimitException.class);
      guest.run("collectgarbage()");
      assertThat(guest.run("return {s}")).hasSize(1);
    }
  }

  @Test
  void objectsOfAClassStayObjects() {
    try (Guest guest = open("")) {
      LuaValue meta = value(guest.run("return {__index = function(_, k) return k end}")[0]);
      guest.setMetatable(List.class, meta, null);
      assertThat(guest.run("return type(...), (...).x", List.of(1)))
          .containsExactly("userdata", "x");
      assertThat(guest.run("return type((...).l)", Map.of("l", List.of(1))))
          .containsExactly("userdata");
    }
  }

  @Test
  void engineOfTheScriptingApi() throws ScriptException {
    ScriptEngine engine = new ScriptEngineManager().getEngineByName("lua");
    engine.put("gleaner.lua.convert-tables", true);
    try (LuaEngine lua = (LuaEngine) engine) {
      lua.put("rows", List.of(Map.of("id", 1), Map.of("id", 2)));
      assertThat(lua.eval("local n = 0 for _, r in ipairs(rows) do n = n + r.id end return n"))
          .isEqualTo(3L);
      assertThat(lua.eval("rows[1].id = 5 return rows"))
          .isEqualTo(List.of(Map.of("id", 5L), Map.of("id", 2L)));
      assertThat(lua.eval("return rows[1].id")).isEqualTo(1L);
      assertThat(lua.eval("t = {x = {1}} t.y = 2 return t.x[1] + t.y")).isEqualTo(3L);
      assertThat(((LuaValue) lua.get("t")).toJava()).isEqualTo(Map.of("x", List.of(1L), "y", 2L));
      assertThat(lua.eval("function f(a) return {a[2], n = #a} end return f({1, 2})"))
          .isEqualTo(Map.of(1L, 2L, "n", 2L));
      assertThatThrownBy(() -> lua.eval("local t = {} t.t = t return t"))
          .isInstanceOf(ScriptException.class);
    }
  }
}
