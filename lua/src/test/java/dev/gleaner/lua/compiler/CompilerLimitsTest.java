package dev.gleaner.lua.compiler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import dev.gleaner.lua.Guest;
import dev.gleaner.lua.Lua;
import dev.gleaner.lua.LuaException;
import dev.gleaner.lua.LuaLimitException;
import dev.gleaner.lua.memory.Account;
import dev.gleaner.refusal.HeapExhaustedException;
import dev.gleaner.testing.Tier;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What compiling takes grows as the source does, is charged before it is made, and is given back
 * where compiling fails. The shapes of sources are those that once cost more than their size says.
 */
class CompilerLimitsTest {
  private static final int SIZE = Tier.number(12_000, 100_000);

  /** Memory that is measured and that no shape of source changes: of the JVM, and of the test. */
  private static final long SLACK = 256 << 10;

  /** A source: a beginning, a part that comes again with numbers for #, and an end. */
  record Shape(String name, String first, String part, String last) {
    byte[] text(int size) {
      StringBuilder all = new StringBuilder(first);
      for (int i = 100_000; all.length() < size; i++) {
        all.append(part.replace("#", Integer.toString(i)));
      }
      return all.append(last).toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static List<Shape> shapes() {
    return List.of(
        new Shape("assignments", "", "x=1 ", ""),
        new Shape("calls", "", "f() ", ""),
        new Shape("calls with strings", "", "f'' ", ""),
        new Shape("blocks", "", "do end ", ""),
        new Shape("conditions", "", "if x then end ", ""),
        new Shape("many conditions", "if x then ", "elseif x then ", "end"),
        new Shape("loops", "", "while x do break end ", ""),
        new Shape("numeric loops", "", "for i=1,2 do end ", ""),
        new Shape("generic loops", "", "for k in x do end ", ""),
        new Shape("repeats", "", "repeat until x ", ""),
        new Shape("locals", "", "do local a# end ", ""),
        new Shape("constants", "", "do local a <const> = 1 end ", ""),
        new Shape("variables to close", "", "do local a <close> = x end ", ""),
        new Shape("labels", "", "::a#:: x=1 ", ""),
        new Shape("gotos to one label", "", "goto a ", "::a::"),
        new Shape("deep gotos", "do ".repeat(150), "goto a ", "end ".repeat(150) + "::a::"),
        new Shape("gotos and labels", "goto a ", "goto a# ::a#:: ", "::a::"),
        new Shape("gotos without labels", "", "goto a# ", ""),
        new Shape("empty tables", "x={", "{},", "}"),
        new Shape("integers", "x={", "#,", "}"),
        new Shape("floats", "x={", "#.5,", "}"),
        new Shape("small integers", "x={", "1,", "}"),
        new Shape("strings", "x={", "'#',", "}"),
        new Shape("empty strings", "x={", "'',", "}"),
        new Shape("varargs", "x={", "...,", "}"),
        new Shape("fields", "x={", "a#=1,", "}"),
        new Shape("keys", "x={", "[1]=1,", "}"),
        new Shape("negations", "x={", "not a,", "}"),
        new Shape("globals", "", "a#=1 ", ""),
        new Shape("functions", "", "function f() end ", ""),
        new Shape("function expressions", "x={", "function()end,", "}"),
        new Shape("late assignments", "local t ", "function f() t.x=t.y end ", "t=1"),
        new Shape("closures", "local a ", "do local b = function() a = b end end ", ""),
        new Shape("functions in each other", "", "local a,b=1 function f() a,b=b,a ", ""),
        new Shape("names of functions", "function a", ".a", "() end"),
        new Shape("deep globals", "function f() local a,b,c ".repeat(60), "x=y ", ""),
        new Shape("sums", "x=1", "+a", ""),
        new Shape("comparisons", "x=a", "<a", ""),
        new Shape("conjunctions", "x=1", " and a", ""),
        new Shape("alternatives", "x=1", " and a or b", ""),
        new Shape("concatenations", "x=1", "..a", ""),
        new Shape("indexes", "x=a", ".b", ""),
        new Shape("chains of calls", "x=a", "()", ""),
        new Shape("methods", "x=a", ":b()", ""),
        new Shape("arguments", "f(", "1,", "1)"),
        new Shape("returns", "", "do return end ", ""),
        new Shape("comment", "--[[", "xxxxxxxx", "]]"),
        new Shape("comment of lines", "--[=[", "]]\n", "]=]"),
        new Shape("comments", "", "--x\n", ""),
        new Shape("long string", "x=[[", "xxxxxxxx\n", "]]"),
        new Shape("escapes", "x='", "\\z  \\u{48}\\065\\x41", "'"),
        new Shape("number", "x=1", "1111", ""),
        new Shape("hexadecimal number", "x=0x", "1fff", ""),
        new Shape("exponent", "x=1e", "1111", ""),
        new Shape("no number", "x=1", "1111", "z"),
        new Shape("name", "x", "xxxx", "=1"),
        new Shape("unfinished string", "x='", "xxxx", ""),
        new Shape("semicolons", "", ";", ""),
        new Shape("lines", "", "\n", ""));
  }

  /** In the short tier every third. */
  static List<Shape> shareOfShapes() {
    List<Shape> all = shapes();
    return IntStream.range(0, all.size())
        .filter(i -> Tier.has(i, 0, 3))
        .mapToObj(all::get)
        .toList();
  }

  /** What compiling took. */
  private static final class Costs {
    long steps;
    long most;
    String end = "compiled";
  }

  private static Costs costs(byte[] text, long limit) {
    Costs costs = new Costs();
    Account account = Account.upTo(limit);
    try (Account.Loan loan = account.borrow()) {
      Prototype _ =
          Compiler.compile(
              text,
              "=x",
              loan,
              n -> {
                costs.steps += n;
                costs.most = Math.max(costs.most, loan.bytes());
              });
      costs.most = Math.max(costs.most, loan.bytes());
    } catch (SyntaxException e) {
      costs.end = "no Lua";
    } catch (HeapExhaustedException e) {
      costs.end = "exhausted";
    }
    assertThat(account.charged()).isZero();
    return costs;
  }

  @ParameterizedTest
  @MethodSource("shapes")
  @Tag("seeds")
  void workAndBytesGrowWithTheSource(Shape shape) {
    Costs one = costs(shape.text(SIZE), 1L << 30);
    Costs two = costs(shape.text(2 * SIZE), 1L << 30);
    Costs four = costs(shape.text(4 * SIZE), 1L << 30);
    assertThat(one.steps).isPositive();
    assertThat(four.end).isEqualTo(two.end).isEqualTo(one.end);
    assertThat(two.steps).isLessThanOrEqualTo(one.steps * 21 / 10 + 2000);
    assertThat(four.steps).isLessThanOrEqualTo(two.steps * 21 / 10 + 2000);
    assertThat(four.most).isLessThanOrEqualTo(one.most * 6 + (64 << 10)); // arrays double
    assertThat(four.most).isLessThanOrEqualTo(128L * 4 * SIZE + (64 << 10));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  @Tag("seeds")
  void whatFailsIsGivenBack(Shape shape) {
    byte[] text = shape.text(SIZE);
    for (long limit = 5_000; limit < 40L * SIZE; limit += limit / 3) {
      Costs _ = costs(text, limit);
    }
  }

  /** Measures the JVM's heap now and then while compiling, beside what is charged then. */
  @ParameterizedTest
  @MethodSource("shareOfShapes")
  @Tag("seeds")
  void whatIsHeldIsCharged(Shape shape) {
    byte[] text = shape.text(20 * SIZE);
    long before = held();
    try (Account.Loan loan = Account.upTo(320L * SIZE).borrow()) {
      long step = (long) Tier.number(160, 80) * SIZE;
      long[] next = {step};
      Prototype _ =
          Compiler.compile(
              text,
              "=x",
              loan,
              n -> {
                if (loan.bytes() > next[0]) {
                  assertThat(held() - before).isLessThanOrEqualTo(loan.bytes() + SLACK);
                  next[0] += step;
                }
              });
      assertThat(held() - before).isLessThanOrEqualTo(loan.bytes() + SLACK);
    } catch (SyntaxException e) { // its message has the whole token
      long message = String.valueOf(e.getMessage()).length();
      assertThat(held() - before).isLessThanOrEqualTo(message + SLACK);
    } catch (HeapExhaustedException e) {
      assertThat(held() - before).isLessThanOrEqualTo(SLACK);
    }
    assertThat(text).isNotEmpty();
  }

  private static long held() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static Guest guest(String settings) {
    return Lua.of(ConfigFactory.parseString("gleaner { collector = marksweep, " + settings + " }"))
        .open(OutputStream.nullOutputStream());
  }

  @ParameterizedTest
  @MethodSource("shareOfShapes")
  @Tag("seeds")
  void aSmallGuestGoesOn(Shape shape) {
    byte[] text = shape.text(500_000);
    try (Guest guest = guest("memory.max = 1MiB")) {
      for (int i = 0; i < 2; i++) {
        try {
          guest.run(text, "=x", i);
        } catch (LuaException | HeapExhaustedException e) {
          assertThat(e).isNotNull();
        }
        guest.run("x, f, a, t = nil collectgarbage()");
        assertThat(guest.heap().statistics().externalBytes()).isLessThan(16 << 10);
      }
      assertThat(guest.heap().inspect().verify()).isEmpty();
    }
  }

  @Test
  void piecesEndWithAnErrorThatScriptsCatch() {
    try (Guest guest = guest("memory.max = 4MiB")) {
      @Nullable Object[] results =
          guest.run(
              """
              local n, piece = 0, ('x=1 '):rep(4096)
              return pcall(load, function() n = n + 1; if n < 1024 then return piece end end)
              """);
      assertThat(results).containsExactly(false, "not enough memory");
    }
  }

  @Test
  void namesOfChunksCount() {
    try (Guest guest = guest("memory.max = 4MiB")) {
      @Nullable Object[] results =
          guest.run(
              """
              local keep, name = {}, '=' .. ('x'):rep(1 << 18)
              local ok, message = pcall(function()
                for i = 1, 100 do keep[i] = load('', name) end
              end)
              return ok, message, #keep < 16
              """);
      assertThat(results).containsExactly(false, "not enough memory", true);
    }
  }

  @Test
  void sourcesAreBoundedOnEveryWayIn() {
    byte[] large = new byte[Compiler.MOST_TEXT + 1];
    Arrays.fill(large, (byte) ' ');
    assertThatThrownBy(() -> Lua.prepare(large, "=x"))
        .isInstanceOf(LuaException.class)
        .hasMessageContaining("chunk too large");
    try (Guest guest = guest("memory.max = 64MiB")) {
      assertThatThrownBy(() -> guest.run(large, "=x"))
          .isInstanceOf(LuaException.class)
          .hasMessageContaining("chunk too large");
      assertThatThrownBy(() -> guest.run("load((' '):rep(%d))".formatted(large.length)))
          .isInstanceOf(LuaException.class)
          .hasMessageContaining("chunk too large");
    }
  }

  @Test
  @Tag("exhaustive")
  void theLongestSourceIsBoundedByWhatCompilingTakes() {
    byte[] tables =
        ("x={" + "{},".repeat(Compiler.MOST_TEXT / 3 - 2) + "}")
            .getBytes(StandardCharsets.ISO_8859_1);
    assertThatThrownBy(() -> Lua.prepare(tables, "=x"))
        .isInstanceOf(LuaException.class)
        .hasMessageContaining("compiling takes more than");
  }

  @Test
  void limitsEndTheCompiler() {
    byte[] text = new Shape("", "", "x=1 ", "").text(2_000_000);
    try (Guest guest = guest("memory.max = 256MiB, lua.max-instructions = 100000")) {
      assertThatThrownBy(() -> guest.run(text, "=x")).isInstanceOf(LuaLimitException.class);
      assertThat(guest.instructions()).isLessThanOrEqualTo(100_000);
      assertThat(guest.heap().statistics().externalBytes()).isLessThan(16 << 10);
    }
  }
}
