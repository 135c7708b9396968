package dev.gleaner.lab.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/**
 * A Lua program whose time is measured: it takes its size as an argument and prints little.
 *
 * @param name that of its file, without its suffix
 * @param size for which lua5.4 takes some tenths of a second
 */
public record LuaProgram(String name, int size) {
  /** All of them. */
  public static final List<LuaProgram> ALL =
      List.of(
          new LuaProgram("fib", 34),
          new LuaProgram("binary-trees", 15),
          new LuaProgram("queens", 12),
          new LuaProgram("n-body", 150_000),
          new LuaProgram("spectral-norm", 500),
          new LuaProgram("fannkuch", 10),
          new LuaProgram("mandelbrot", 700),
          new LuaProgram("sieve", 3_000_000),
          new LuaProgram("strings", 60_000),
          new LuaProgram("patterns", 1000),
          new LuaProgram("sort", 100_000),
          new LuaProgram("closures", 600_000),
          new LuaProgram("methods", 2_000_000),
          new LuaProgram("ring", 1_500_000),
          new LuaProgram("json", 500),
          new LuaProgram("tokens", 30_000),
          new LuaProgram("lru", 700_000),
          new LuaProgram("life", 2500));

  /** Returns their names. */
  public static List<String> names() {
    return ALL.stream().map(LuaProgram::name).toList();
  }

  /** Returns this one with another size. */
  public LuaProgram ofSize(int other) {
    return new LuaProgram(name, other);
  }

  /** Returns its text. */
  public byte[] source() {
    try (InputStream in = LuaProgram.class.getResourceAsStream("programs/" + file())) {
      return Objects.requireNonNull(in, name).readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the name of its file. */
  public String file() {
    return name + ".lua";
  }
}
