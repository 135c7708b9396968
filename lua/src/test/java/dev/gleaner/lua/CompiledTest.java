package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.random.RandomLua;
import dev.gleaner.testing.Tier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions that are compiled to code of the JVM do what the interpreter does, step by step. */
class CompiledTest {
  private static final Path FOLDER = Path.of("src", "test", "resources", "programs");
  private static final List<String> COLLECTORS =
      List.of("marksweep", "refcount", "hybrid", "semispace", "framestack");
  private static final int NEVER = 0;
  private static final int AT_ONCE = 1;

  /** Calls, cycles and tables, all of them with cases that a compiled function leaves. */
  private static final String BUSY =
      """
      local Box = {}
      Box.__index = Box
      function Box:add(n) self.sum = self.sum + n return self end
      Box.__add = function(a, b) return a.sum + b.sum end
      local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
      local function loop(n, ...) if n == 0 then return ... end return loop(n - 1, n, ...) end
      local box, list = setmetatable({sum = 0}, Box), {}
      for i = 1, 12 do
        box:add(i):add(i / 2)
        list[#list + 1] = i % 3 == 0 and i * 2147483647 or "s" .. i
        for k, v in pairs(list) do if k ~= 1 and v == "s" .. k then box:add(k // 1) end end
        for j = i, 1, -2 do list[i] = list[i] ~= nil and j or list[j] end
        print(i, box.sum, fib(i % 7), select("#", loop(i)), box + box, pcall(fib, {}))
        local ok, message = pcall(function() return list[i] + nothing.there end)
        print(ok, message, 1 < 1.5, -i, not i, #list, i & 7, i << 2, 7 // i, i ^ 2)
      end
      """;

  /** Short loops over tables, whose registers are held, and what looks at them or leaves them. */
  private static final String LOOPS =
      """
      local function state()
        local text = ""
        for k = 1, 20 do
          local name, v = debug.getlocal(3, k)
          if name then text = text .. name .. "=" .. tostring(math.type(v) and v) .. " " end
        end
        print(text)
      end
      local odd = setmetatable({}, {
        __index = function(_, k) if k % 3 == 0 then state() end return k end,
        __newindex = function(_, k, v) if k == 4 then state() end if k == 99 then error("99") end end,
        __add = function(_, k) if k == 2 then state() end return k end,
        __lt = function(_, k) state() return k == 3 end,
        __unm = function() state() return 1 end,
      })
      local asking = setmetatable({}, {__index = function(_, k) return coroutine.yield(k) end})
      local function fill(t, from, to, by) for i = from, to, by do t[i] = true end end
      local function copy(to, from, n) for i = 1, n do to[i] = from[i] end return to end
      local function sum(t, n) local all = 0 for i = 1, n do all = all + t[i] end return all end
      local function triangle(t, n)
        local all = 0
        for i = 1, n do
          for j = i, n, i do all = all + t[j] end
          t[i] = all
        end
        return all
      end
      local function added(t, n, o) local x for i = 1, n do o[i] = i x = t + i end return x end
      local function negated(t, n, o) local x for i = n, 1, -1 do o[i] = i x = -t end return x end
      local function less(t, n, o) local x for i = 1, n do o[i] = i x = t < i end return x end
      local function plus(t, n) local x for i = 1, n do x = t[i] + i end return x end
      local function search(t, v, n) for i = 1, n do if t[i] == v then return i end end end
      local function change(t, n) for i = 1, n do i = i + 1 t[i] = i i = t end return #t end
      local function away(t, n)
        local all = 0
        for i = 1, n do
          for j = 1, n do
            if t[j] == i then goto on end
            if j > i then goto out end
            all = all + j
          end
          ::on::
          all = all + i
        end
        ::out::
        return all
      end
      local function ends(t) while true do for i = 1, 9 do if t[i] then goto out end end end
        ::out:: for i = 1, 3 do t[i] = nil end return #t end
      local numbers = copy({}, odd, 12)
      for k = 1, 9 do
        print(sum(numbers, 12), triangle(numbers, 12), sum(odd, k), triangle(odd, k))
        print(pcall(fill, odd, k, 99, 7), pcall(fill, odd, k, 1, -1), pcall(fill, nil, 1, k))
        print(plus({1, 2, odd, 4, 5, odd, 7, 8, odd}, k), added(odd, k, {}), negated(odd, k, {}), less(odd, k, {}))
        print(pcall(added, {}, k, {}), pcall(sum, {}, 1))
        print(search(copy({}, numbers, k), k, 12), change({}, k), away({1, 2, k, 4, 5}, 5))
        local far = {}
        fill(far, 2147483640, 2147483640 + k, 3)
        fill(far, 0.5, k, 0.25)
        fill(far, k, -2147483648, -1073741824)
        local keys = 0
        for _ in pairs(far) do keys = keys + 1 end
        print(keys, ends({1, 2, 3, k}), pcall(fill, {}, "x", 1), pcall(fill, {}, 1, k, 0))
        local co = coroutine.wrap(sum)
        local step = co(asking, k)
        for i = 1, k do step = co(i * step) end
        print(step)
      end
      """;

  /** Registers that hold numbers at times, and what looks at them. */
  private static final String NUMBERS =
      """
      local weak = setmetatable({}, {__mode = "v"})
      local function turned(kind, n)
        local x = 0
        for i = 1, n do
          if i == 3 then
            if kind == 1 then x = "s" elseif kind == 2 then x = nil elseif kind == 3 then x = 1.5
            elseif kind == 4 then x = {} elseif kind == 5 then x = 2147483647 else x = false end
          end
          if type(x) == "number" then x = x + i end
        end
        return x
      end
      local function gone(n)
        local live, y = 0, {}
        weak[0] = y
        y = 1
        for i = 1, n do
          local x = {}
          weak[i] = x
          x = i * 2
          x = x + y
          y = y + x / 2
          collectgarbage()
          if weak[i] or weak[0] then live = live + 1 end
        end
        return live, y
      end
      local function hash(n)
        local h, m = 17, -1
        for i = 1, n do
          h = h * 31 + i
          m = -m ~ i
          if h > 1 << 40 then h = h % 1009 end
        end
        return h, m, h // 7, h % 2.5, not h, h == 3, h ~= m, h <= m
      end
      local function seen()
        for level = 2, 4 do
          for k = 1, 9 do
            local name, v = debug.getlocal(level, k)
            if name == "sum" or name == "step" or name == "i" then print(level, name, v) end
          end
        end
        return "seen"
      end
      local function fails(n, how)
        local sum, step = 0, 0.5
        local t = {}
        for i = 1, n do
          sum = sum + i * step
          t[i] = sum
          if i == n then
            if how == 1 then sum = sum .. {} elseif how == 2 then sum = sum + nil
            elseif how == 3 then t.x.y = sum elseif how == 4 then t[nil] = sum
            elseif how == 5 then t = i[sum] elseif how == 6 then sum(i)
            elseif how == 7 then t = t < sum else t = #sum end
          end
        end
      end
      local function put(wanted, v)
        for k = 1, 20 do
          if debug.getlocal(2, k) == wanted then debug.setlocal(2, k, v) end
        end
      end
      local function changed(n)
        local x, sum = 1, 0
        for i = 1, n do
          x = x + 1
          if i % 3 == 0 then put("x", sum > 9 and "7" or 100) end
          sum = sum + x
        end
        return sum, x
      end
      local yielding = coroutine.wrap(function()
        local a, b = 1, 1.5
        while true do
          a = a + 1
          b = b * 2
          if a % 4 == 0 then coroutine.yield(a, b) end
        end
      end)
      for k = 1, 8 do
        print(tostring(turned(k, k + 1)):sub(1, 5), gone(k))
        print(hash(k * 9))
        print(yielding())
        print(xpcall(fails, seen, k, k))
        print(pcall(fails, k, k))
        print(changed(k * 2))
      end
      local total, count = 0, 0
      debug.sethook(function()
        for k = 1, 20 do
          local name, v = debug.getlocal(2, k)
          if name == "n" then total = total + v end
        end
      end, "", 3)
      do local n = 0 for i = 1, 20 do n = n + i count = count + n end end
      debug.sethook()
      print(total, count)
      """;

  private record Run(String output, long instructions) {}

  static Stream<Arguments> programs() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      List<String> names =
          files
              .map(f -> f.getFileName().toString())
              .filter(f -> f.endsWith(".lua"))
              .sorted()
              .toList();
      List<Arguments> cases = new ArrayList<>();
      for (int i = 0; i < names.size(); i++) {
        for (int c = 0; c < COLLECTORS.size(); c++) {
          if (Tier.has(i, c, 2 * COLLECTORS.size())) { // every other five programs
            cases.add(Arguments.of(COLLECTORS.get(c), names.get(i)));
          }
        }
      }
      return cases.stream();
    }
  }

  static Stream<String> collectors() {
    return COLLECTORS.stream();
  }

  private static Lua lua(String collector, int compileAfter, long instructions) {
    return Lua.of(
        ConfigFactory.parseString(
            """
            gleaner { collector = %s, memory.max = 64MiB
              strings.hash-seed = 1 # a page of an index more or less costs steps of a collection
              lua { compile-after = %d, max-instructions = %d } }
            """
                .formatted(collector, compileAfter, instructions)));
  }

  private static Run run(Lua lua, byte[] script, String name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (Guest guest = lua.openTrusted(InputStream.nullInputStream(), out, out)) {
      guest.setArguments(name);
      String end = "";
      try {
        guest.run(script, "@" + name);
      } catch (LuaException e) {
        end = e.getMessage() + "\n" + e.traceback();
      } catch (LuaLimitException e) {
        end = e.getMessage();
      }
      String text = out.toString(StandardCharsets.ISO_8859_1) + end;
      return new Run(text.replaceAll("0x[0-9a-f]{6,}", "ADDRESS"), guest.instructions());
    }
  }

  private static byte[] bytes(String script) {
    return script.getBytes(StandardCharsets.ISO_8859_1);
  }

  @ParameterizedTest
  @MethodSource("programs")
  @Tag("seeds")
  void programsRunTheSameInstructions(String collector, String program) throws IOException {
    byte[] script = Files.readAllBytes(FOLDER.resolve(program));
    Run interpreted = run(lua(collector, NEVER, 0), script, program);
    for (int after : Tier.exhaustive() ? new int[] {AT_ONCE, 20} : new int[] {AT_ONCE}) {
      Run compiled = run(lua(collector, after, 0), script, program);
      if (program.equals("overflow.lua")) { // a part ends where the Java stack does
        assertThat(compiled.output()).isEqualTo(interpreted.output());
      } else {
        assertThat(compiled).isEqualTo(interpreted);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("exhaustive")
  void randomProgramsRunTheSameInstructions(String collector) {
    Lua interpreting = lua(collector, NEVER, 0);
    Lua compiling = lua(collector, AT_ONCE, 0);
    for (long seed = 0; seed < 200; seed++) {
      boolean weak = seed % 2 == 0;
      byte[] script = bytes(weak ? RandomLua.programWithGarbage(seed) : RandomLua.program(seed));
      assertThat(run(compiling, script, "random"))
          .as("seed %s", seed)
          .isEqualTo(run(interpreting, script, "random"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {BUSY, NUMBERS, LOOPS})
  @Tag("exhaustive")
  void aLimitIsReachedAtTheSameInstruction(String script) {
    long all = run(lua("marksweep", NEVER, 0), bytes(script), "busy").instructions();
    assertThat(all).isGreaterThan(2000);
    for (long most = 1; most < all; most += 1 + most / 40) {
      Run interpreted = run(lua("marksweep", NEVER, most), bytes(script), "busy");
      assertThat(interpreted.instructions()).isEqualTo(most);
      assertThat(run(lua("marksweep", AT_ONCE, most), bytes(script), "busy"))
          .as("%s instructions", most)
          .isEqualTo(interpreted);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "local function f(n) if n == 0 then error('deep') end f(n - 1) return 1 end f(400)",
        "local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end print(f(100000))",
        "local function f() return 1 + f() end print(pcall(f))",
        "local t = {} for i = 1, 10 do t.x = t.x.y end",
        "local c = coroutine.wrap(function() for i = 1, 9 do coroutine.yield(i) end end)"
            + " for i = 1, 10 do print(c()) end print(c())",
        "local t = setmetatable({}, {__index = function(_, k) return k .. k end})"
            + " for i = 1, 9 do print(t.a, t[i], t['b' .. i]) end",
        "for i = 1, 3 do local x <close> = setmetatable({}, {__close = function() print(i) end})"
            + " if i == 2 then goto out end end ::out:: print('out')",
        "local n = 0 while true do n = n + 1 if n > 2147483640 then break end n = n + 2147483630"
            + " end print(n)",
        "for i = 2147483640, 2147483650 do io.write(i, ' ') end for i = 1, 2, 0.25 do print(i) end",
        "local function f(a) return function() a = a + 1 return a end end local g = f(1)"
            + " for i = 1, 9 do print(g(), f(i)()) end",
        "for i = 1, 9 do print(pcall(function() return #i end), pcall(function() return -{} end))"
            + " end"
      })
  @Tag("seeds")
  void whatLeavesACompiledFunctionIsTheSame(String script) {
    Run interpreted = run(lua("marksweep", NEVER, 0), bytes(script), "script");
    for (int c = 0; c < COLLECTORS.size(); c++) {
      for (int after = 1; after < 5; after++) {
        if (Tier.has(c, after - 1, 4)) {
          assertThat(run(lua(COLLECTORS.get(c), after, 0), bytes(script), "script"))
              .as("%s, compiled after %s", COLLECTORS.get(c), after)
              .isEqualTo(interpreted);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void registersInJavaLocalsAreSeenAsInTheFrame(String collector) {
    Run interpreted = run(lua(collector, NEVER, 0), bytes(NUMBERS), "numbers");
    assertThat(interpreted.output()).contains("sum\t0.5", "seen").doesNotContain("limit");
    for (int after = 1; after < 8; after++) {
      if (Tier.has(COLLECTORS.indexOf(collector) + 1, (after - 1) % 4, 4)) {
        assertThat(run(lua(collector, after, 0), bytes(NUMBERS), "numbers"))
            .as("compiled after %s", after)
            .isEqualTo(interpreted);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("collectors")
  @Tag("seeds")
  void registersOfShortLoopsAreSeenAsInTheFrame(String collector) {
    Run interpreted = run(lua(collector, NEVER, 0), bytes(LOOPS), "loops");
    assertThat(interpreted.output()).contains("i=3 ", "99", "(for state)=").doesNotContain("limit");
    for (int after = 1; after < 8; after++) {
      if (Tier.has(COLLECTORS.indexOf(collector) + 1, (after - 1) % 4, 4)) {
        assertThat(run(lua(collector, after, 0), bytes(LOOPS), "loops"))
            .as("compiled after %s", after)
            .isEqualTo(interpreted);
      }
    }
  }

  @Test
  void aFunctionThatIsTooLargeIsInterpreted() {
    String script = "local n = 0 for i = 1, 50 do " + "n = n + i ".repeat(3000) + "end print(n)";
    assertThat(run(lua("marksweep", AT_ONCE, 0), bytes(script), "large").output())
        .isEqualTo(3000 * 50 * 51 / 2 + "\n");
  }

  @Test
  void guestsShareWhatIsCompiled() {
    Lua lua = lua("marksweep", AT_ONCE, 0);
    Run first = run(lua, bytes(BUSY), "busy");
    try (Guest one = lua.open(OutputStream.nullOutputStream());
        Guest other = lua.open(OutputStream.nullOutputStream())) {
      one.run("function f(n) return n < 2 and n or f(n - 1) + f(n - 2) end x = 'one'");
      other.run("function f(n) return n < 2 and n or f(n - 1) + f(n - 2) end x = 'other'");
      assertThat(one.run("return f(15), x")).containsExactly(610L, "one");
      assertThat(other.run("return f(15), x")).containsExactly(610L, "other");
    }
    assertThat(run(lua, bytes(BUSY), "busy")).isEqualTo(first);
  }
}
