package dev.gleaner.lua;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.io.InputStream;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A guest without files reaches what its page lists, and nothing else. */
class SandboxTest {
  private static final Lua LUA = Lua.of(ConfigFactory.empty());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "_G | _G _VERSION assert collectgarbage coroutine debug error getmetatable io ipairs load"
            + " math next os pairs pcall print rawequal rawget rawlen rawset select setmetatable"
            + " string table tonumber tostring type utf8 warn xpcall",
        "io | close flush input lines output read stderr stdin stdout type write",
        "os | clock date difftime setlocale time",
        "debug | traceback",
      })
  void namesAreThese(String table, String names) {
    try (Guest guest = LUA.open()) {
      String script =
          "local t = {} for k in pairs("
              + table
              + ") do t[#t + 1] = k end table.sort(t) return table.concat(t, ' ')";
      assertThat(guest.run(script)).containsExactly(names);
    }
  }

  @Test
  void nothingLeadsOutside() {
    try (Guest guest = LUA.open()) {
      assertThat(
              guest.run(
                  "return pcall(io.input, '/etc/passwd'), pcall(io.output, '/tmp/x'),"
                      + " pcall(io.lines, '/etc/passwd'), io.read('a'), string.dump,"
                      + " load('\\27Lua', 'x', 'b'), os.clock() % 1"))
          .containsExactly(false, false, false, "", null, null, 0.0);
    }
  }

  @Test
  void aTrustedGuestHasAll() {
    InputStream in = InputStream.nullInputStream();
    OutputStream out = OutputStream.nullOutputStream();
    try (Guest guest = LUA.openTrusted(in, out, out)) {
      assertThat(
              guest.run(
                  "return type(io.open), type(os.execute), type(os.getenv), type(os.exit),"
                      + " type(require), type(string.dump), type(debug.getinfo)"))
          .containsOnly("function");
    }
  }
}
