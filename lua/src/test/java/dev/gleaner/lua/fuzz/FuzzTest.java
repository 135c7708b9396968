package dev.gleaner.lua.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Answer;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.Script;
import dev.gleaner.testing.Tier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Changed programs, patterns, formats and dumps end by results, errors of Lua or limits, and leave
 * a sound heap. {@code -Dgleanertest.changes=N} makes N changes of each sort.
 */
@Tag("seeds")
class FuzzTest {
  private static final int CHANGES = Tier.number("gleanertest.changes", 400, 4_000);
  private static final long SEED = Long.getLong("gleaner.seed", 1);
  private static final List<String> COLLECTORS =
      List.of("marksweep", "semispace", "refcount", "hybrid", "framestack");
  private static final Path PROGRAMS = Path.of("src", "test", "resources", "programs");

  /** Nothing outside is left to a trusted guest. */
  private static final String SEAL =
      """
      for _, name in ipairs {'os', 'io', 'package'} do _G[name] = nil end
      local loaded = debug.getregistry()._LOADED
      loaded.os, loaded.io, loaded.package, loaded._G = nil, nil, nil, nil
      require, dofile, loadfile, debug.debug = nil, nil, nil, nil
      """;

  private final Mutations mutations = new Mutations(SEED);
  private @Nullable Guest guest;
  private int opened;

  private static Lua lua(String collector) {
    return Lua.of(
        ConfigFactory.parseString(
            """
            gleaner { memory.max = 1MiB, collector = %s
              lua { max-instructions = 200000, max-time = 20s, compile-after = 50 } }
            """
                .formatted(collector)));
  }

  private Guest guest(boolean trusted) {
    Guest open = guest;
    if (open == null) {
      Lua lua = lua(COLLECTORS.get(opened++ % COLLECTORS.size()));
      OutputStream nowhere = OutputStream.nullOutputStream();
      if (trusted) {
        open = lua.openTrusted(InputStream.nullInputStream(), nowhere, nowhere);
        open.run(SEAL);
      } else {
        open = lua.open(nowhere);
      }
      guest = open;
    }
    return open;
  }

  private interface Work {
    void in(Guest guest);
  }

  private void check(boolean trusted, byte[] what, Work work) {
    Guest open = guest(trusted);
    try {
      work.in(open);
      if (open.instructions() > 150_000) {
        close(open);
      }
    } catch (LuaException e) {
      if (open.heap().mutator().frameDepth() != 1 || open.heap().mutator().frameSize() != 8) {
        throw new AssertionError("frames are left", e);
      }
    } catch (LuaLimitException _) {
      open.close();
      guest = null;
    } catch (RuntimeException | Error e) {
      String text = new String(what, StandardCharsets.ISO_8859_1);
      throw new AssertionError(
          "guest " + opened + ": " + text + "\n" + HexFormat.of().formatHex(what), e);
    }
  }

  private void close(Guest open) {
    assertThat(open.heap().inspect().verify()).isEmpty();
    open.close();
    guest = null;
  }

  @Test
  void changedProgramsEndByErrorsOrLimits() {
    for (int i = 0; i < CHANGES; i++) {
      byte[] program = mutations.program();
      check(false, program, g -> g.run(program, "=fuzz"));
    }
  }

  @Test
  void changedPatternsFormatsAndPackingsDo() {
    Script find =
        Lua.prepare(
            "local s, p = ... local r = {pcall(string.find, s, p)} pcall(string.gsub, s, p, '%1%0')"
                + " pcall(function() for _ in s:gmatch(p) do end end) return #r");
    Script format =
        Lua.prepare(
            "local f = ... pcall(string.format, f, 5, 'x', -1.5) pcall(string.format, f, 'a\\0b',"
                + " {}) pcall(string.format, f, 1 << 62, math.huge, true)");
    Script pack =
        Lua.prepare(
            "local f, s = ... pcall(string.unpack, f, s) pcall(string.packsize, f)"
                + " local ok, p = pcall(string.pack, f, 1, -2, 'abc', 1.5)"
                + " if ok then pcall(string.unpack, f, p, -3) end");
    Script load = Lua.prepare("local s, m = ... pcall(load, s, s, m) pcall(tonumber, s, 36)");
    for (int i = 0; i < CHANGES; i++) {
      byte[] subject = mutations.change("hello (world) 123 \u00e4\0 x=y ((a)) ");
      byte[] pattern = mutations.change(pick(Mutations.PATTERNS));
      check(false, pattern, g -> g.run(find, subject, pattern));
      byte[] formats = mutations.change(pick(Mutations.FORMATS));
      check(false, formats, g -> g.run(format, (Object) formats));
      byte[] packing = mutations.change(pick(Mutations.PACKINGS));
      check(false, packing, g -> g.run(pack, packing, subject));
      byte[] mode = mutations.change("bt");
      check(false, subject, g -> g.run(load, subject, mode));
    }
  }

  private String pick(String[] from) {
    return from[mutations.random.nextInt(from.length)];
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(PROGRAMS)) {
      return files.filter(f -> f.toString().endsWith(".lua")).sorted().toList();
    }
  }

  /** Programs that take no time. */
  static List<Path> programs() throws IOException {
    List<String> slow =
        List.of("fannkuch.lua", "binary-trees.lua", "garbage.lua", "life.lua", "errors.lua");
    return files().stream().filter(f -> !slow.contains(f.getFileName().toString())).toList();
  }

  private static List<byte[]> dumps() throws IOException {
    List<byte[]> dumps = new ArrayList<>();
    OutputStream nowhere = OutputStream.nullOutputStream();
    Lua lua = Lua.of(ConfigFactory.parseString("gleaner.memory.max = 64MiB"));
    try (Guest g = lua.openTrusted(InputStream.nullInputStream(), nowhere, nowhere)) {
      g.define(
          "keep",
          c -> {
            dumps.add(c.bytes(1));
            return Answer.results();
          });
      for (Path file : files()) {
        byte[] text = Files.readAllBytes(file);
        g.run(
            "local s = ... s = s:gsub('^#[^\\n]*', '') local f = load(s, '=p')"
                + " keep(string.dump(f)) keep(string.dump(f, true))",
            (Object) text);
      }
      for (String small :
          List.of(
              "local t = {1, 2, ...} for i = 1, #t do t[i] = t[i] + i end return table.unpack(t)",
              "local a, b = 1, ... local function f() a = a + 1 return a, b, f end return f()",
              "local x <close> = setmetatable({}, {__close = print}) for k, v in pairs({1}) do"
                  + " print(k) end",
              "local n = 0 while n < 10 do n = n + 1 if n == 5 then goto out end end ::out:: return"
                  + " n")) {
        g.run("keep(string.dump(load(...))) keep(string.dump(load(...), true))", small);
      }
    }
    return dumps;
  }

  @Test
  void changedDumpsAreRefusedOrRun() throws IOException {
    Script run =
        Lua.prepare("local f = load(..., '=fuzz', 'b') if f then loaded = true f(1, 2) end");
    List<byte[]> dumps = dumps();
    int loaded = 0;
    for (int i = 0; i < CHANGES; i++) {
      byte[] dump =
          dumps.get(dumps.size() - 1 - mutations.random.nextInt(i % 4 == 0 ? dumps.size() : 8));
      byte[] changed = i % 8 == 0 ? mutations.change(dump) : mutations.overwrite(dump);
      int before = opened;
      check(true, changed, g -> g.run(run, (Object) changed));
      Guest open = guest;
      if (open == null || before != opened) {
        loaded++;
      } else if (Boolean.TRUE.equals(open.get("loaded"))) {
        loaded++;
        open.set("loaded", (Object) null);
      }
    }
    assertThat(loaded).isBetween(CHANGES / 50, CHANGES);
  }

  @ParameterizedTest
  @MethodSource("programs")
  void dumpsOfProgramsRunAsThePrograms(Path file) throws IOException {
    String name = file.getFileName().toString();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] text = Files.readAllBytes(file);
    try (Guest g =
        Lua.of(ConfigFactory.parseString("gleaner.collector = marksweep"))
            .openTrusted(InputStream.nullInputStream(), out, out)) {
      g.setArguments(name);
      byte[][] dump = new byte[1][];
      g.define(
          "keep",
          c -> {
            dump[0] = c.bytes(1);
            return Answer.results();
          });
      g.run("local s, n = ... keep(string.dump(load(s, n)))", text, "@" + name);
      g.set("chunk", (Object) dump[0]);
      g.run("chunk = load(chunk, 'dump', 'b') keep = nil");
      g.call("chunk");
    }
    String expected =
        Files.readString(
            file.resolveSibling(name.replace(".lua", ".out")), StandardCharsets.ISO_8859_1);
    String printed = out.toString(StandardCharsets.ISO_8859_1);
    assertThat(
            printed.replaceAll("0x[0-9a-f]{6,}", "ADDRESS").replace("builtin: ADDRESS", "ADDRESS"))
        .isEqualTo(expected);
  }
}
