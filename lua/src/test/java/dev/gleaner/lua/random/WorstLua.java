package dev.gleaner.lua.random;

import dev.gleaner.lua.memory.Attacks;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Programs for {@link Maximiser}: a list of fragments, each of which is protected. A fragment is
 * steps of {@link HostileLua}, a script of {@link Attacks}, or a template that makes something
 * grow. Mutations work on the text: another number, another fragment, a fragment within another
 * one.
 */
final class WorstLua {
  private static final int MOST_FRAGMENTS = 40;
  private static final int MOST_TEXT = 30_000;
  private static final Pattern NUMBER = Pattern.compile("\\b\\d+\\b");
  private static final Pattern HOLE = Pattern.compile("\\$[A-Z]");

  private static final List<String> NUMBERS =
      List.of(
          "0",
          "1",
          "2",
          "3",
          "7",
          "10",
          "31",
          "60",
          "100",
          "190",
          "255",
          "256",
          "1000",
          "4096",
          "10000",
          "65536",
          "100000",
          "262144",
          "1000000",
          "16777216",
          "1000000000");

  /** Holes: S a fragment, V an expression, N a number, C a piece of source, M a method of texts. */
  private static final List<String> TEMPLATES =
      List.of(
          "for i = 1, $N do $S end",
          "for i = 1, $N do K[i] = $V end",
          "for i = 1, $N do K[#K + 1] = {$V, $V} end",
          "for i = 1, $N do K = {K, $V} end",
          "for i = 1, $N do K[$V] = i end",
          "for i = 1, $N do K[{}] = $V end",
          "for i = 1, $N do _G['g' .. i] = $V end",
          "for i = 1, $N do K[i] = coroutine.wrap(function(...) $S coroutine.yield($V) end) K[i]()"
              + " end",
          "local c c = coroutine.wrap(function() $S coroutine.wrap(c)() end) c()",
          "local function f(n) $S if n > 0 then local x = f(n - 1) return x end end f($N)",
          "local function f(n) local x <close> = setmetatable({}, {__close = function() $S end}) if"
              + " n > 0 then f(n - 1) end end f($N)",
          "for i = 1, $N do K[i] = setmetatable({}, {__gc = function(o) $S end}) end",
          "for i = 1, $N do setmetatable({}, {__gc = function(o) K[#K + 1] = o $S end}) end",
          "setmetatable({}, {__gc = function(o) while true do $S end end})",
          "setmetatable(K, {__mode = 'k', __index = $V})",
          "setmetatable(K, {__mode = 'v', __newindex = $V})",
          "K = {} for i = 1, $N do $S end K = {}",
          "collectgarbage()",
          "collectgarbage('step', $N)",
          "collectgarbage('generational')",
          "warn('@on') for i = 1, $N do warn(('w'):rep($N), i) end",
          "for i = 1, $N do setmetatable({}, {__gc = function() error(('e'):rep($N) .. i) end})"
              + " end",
          "for i = 1, $N do K[i] = load('$C' .. i) end",
          "for i = 1, $N do K[i] = load(('$C'):rep($N)) end",
          "for n = 1, 22 do K = load(('$C'):rep(1 << n)) or K end",
          "for n = 1, 22 do K = load('return ' .. ('$C'):rep(1 << n)) or K end",
          "for n = 1, 22 do K = load(('$C'):rep(1 << n) .. ('$C'):rep(1 << n)) or K end",
          "for n = 1, 20 do local t = {} for i = 1, 1 << n do t[i] = '$C' .. i .. ' ' end K ="
              + " load(table.concat(t)) or K end",
          "for n = 1, 20 do local t = {} for i = 1, 1 << n do t[i] = '$C' .. i .. '$C' end K ="
              + " load(table.concat(t, ' ')) or K end",
          "K = load(('return function() '):rep($N) .. ('$C'):rep($N) .. (' end'):rep($N))",
          "for i = 1, $N do K[i] = load('', ('=' .. i):rep($N)) end",
          "local n = 0 K = load(function() n = n + 1 if n < $N then return '$C' end end)",
          "for n = 1, 24 do K = ('$C'):rep(1 << n):$M($V, $V) end",
          "for i = 1, $N do K[i] = ('$C'):rep($N):$M($V, $V) end",
          "local s = ('$C'):rep($N) for i = 1, $N do K[i] = s:$M($V) end",
          "K = table.concat(K, ('$C'):rep($N))",
          "table.sort(K, function(a, b) $S return $V end)",
          "local t = {} for i = 1, $N do t[i] = i * 7919 % 1009 end table.sort(t) K[#K + 1] = t",
          "table.move(K, 1, $N, $N)",
          "table.insert(K, 1, $V)",
          "K[#K + 1] = table.pack(table.unpack({}, 1, $N))",
          "for i = 1, $N do K[i] = string.pack('s8', ('x'):rep($N)) end",
          "error(('x'):rep($N))",
          "error(setmetatable({}, {__tostring = function() $S return ('x'):rep($N) end}))",
          "xpcall(function() $S error($V) end, function(e) $S return debug and debug.traceback(e)"
              + " or e end)",
          "K = setmetatable({}, {__index = function(t, k) $S return t[k + 1] end})[$N]",
          "local t = K for i = 1, $N do t = setmetatable({}, {__index = t}) end K = t",
          "K = host($V, $V, ('x'):rep($N))",
          "for i = 1, $N do K[i] = host(K, i, $V) end",
          "for i = 1, $N do K[i] = object() end",
          "local function f(n) $S if n > 0 then return call(f, n - 1) end end f($N)",
          "call(coroutine.wrap(function() $S call(coroutine.yield, $V) end))",
          "for i = 1, $N do out($V) print(('x'):rep($N)) end",
          "local t = setmetatable({}, {__eq = function() $S return true end, __lt = function() $S"
              + " return true end, __concat = function(a, b) $S return $V end, __len = function()"
              + " return $N end}) for i = 1, $N do K = (t == {}) or (t < t) or t .. i end",
          "goto l $S ::l::",
          "utf8.char(table.unpack({utf8.codepoint(('x'):rep($N), 1, -1)}))",
          "for k, v in pairs(_G) do K[k] = v end for k in pairs(K) do K[k] = $V end");

  private static final List<String> SOURCE =
      List.of(
          "x=1 ",
          "local a ",
          "local a, b, c = 1 ",
          "x = {",
          "{1, a = 2, [3] = 4}, ",
          "{",
          "(",
          "function() ",
          "function() end, ",
          "function f(a, ...) return a, ... end ",
          "end ",
          "do ",
          "if a then b() ",
          "elseif c then d() ",
          "while x do ",
          "repeat local a until a ",
          "for i = 1, 2 do ",
          "for k, v in x do ",
          "goto l ",
          "::l::",
          "goto l%d ",
          "return ",
          "return abc",
          "a.b.c.d = ",
          "a[",
          "a:b(",
          "a .. ",
          "x + ",
          "- ",
          "not ",
          "#",
          "1 // ",
          "a and b or ",
          "1.5e",
          "0x1p",
          "\\'s",
          "[[",
          "--[==[",
          "--",
          "\\\\n",
          "\\\\0",
          "local function f() return a end ",
          "local a <close> = x ",
          "x",
          "x ",
          ",",
          ";",
          "%a",
          "(a)",
          ".-",
          "%b()",
          "%f[a]",
          "%s",
          "%5.1f",
          "%q",
          "i4",
          "s4",
          "!8",
          "\\\\xff");

  private static final List<String> METHODS =
      List.of(
          "byte", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack", "rep",
          "reverse", "sub", "unpack", "upper");

  private final Random random;
  private final List<String> attacks = new ArrayList<>();

  WorstLua(long seed) {
    random = new Random(seed);
    for (Attacks.Attack attack : Attacks.all()) {
      if (!attack.name().startsWith("trusted")) {
        attacks.add(attack.script());
      }
    }
  }

  /** {@return the text of a program of fragments} */
  static String text(List<String> fragments) {
    StringBuilder text = new StringBuilder(HostileLua.prelude(1 << 30)).append("K = {}\n");
    for (String fragment : fragments) {
      text.append("try(function(...)\n").append(fragment).append("\nend)\n");
    }
    return text.toString();
  }

  /** {@return a program to begin with} */
  List<String> program() {
    List<String> fragments = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      fragments.add(fragment(0));
    }
    return fragments;
  }

  /** {@return the program with one to three changes} */
  List<String> mutate(List<String> program) {
    List<String> fragments = new ArrayList<>(program);
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      change(fragments);
    }
    while (fragments.size() > MOST_FRAGMENTS || length(fragments) > MOST_TEXT) {
      fragments.removeLast();
    }
    return fragments;
  }

  private static int length(List<String> fragments) {
    return fragments.stream().mapToInt(String::length).sum();
  }

  private void change(List<String> fragments) {
    if (fragments.isEmpty()) {
      fragments.add(fragment(0));
      return;
    }
    int at = random.nextInt(fragments.size());
    String old = fragments.get(at);
    switch (random.nextInt(9)) {
      case 0 -> fragments.add(random.nextInt(fragments.size() + 1), fragment(0));
      case 1 -> fragments.remove(at);
      case 2 -> fragments.add(at, old);
      case 3 -> fragments.add(random.nextInt(fragments.size()), fragments.remove(at));
      case 4 -> fragments.set(at, fragment(0));
      case 5 -> fragments.set(at, within(old));
      default -> fragments.set(at, withAnotherNumber(old));
    }
  }

  private String within(String fragment) {
    String template = any(TEMPLATES);
    int hole = template.indexOf("$S");
    if (hole < 0) {
      return fragment;
    }
    String inner = "(function(...) " + fragment + "\nend)()";
    return filled(template.substring(0, hole), 1) + inner + filled(template.substring(hole + 2), 1);
  }

  private String withAnotherNumber(String fragment) {
    List<MatchResult> numbers = NUMBER.matcher(fragment).results().toList();
    if (numbers.isEmpty()) {
      return fragment;
    }
    MatchResult number = numbers.get(random.nextInt(numbers.size()));
    return fragment.substring(0, number.start()) + any(NUMBERS) + fragment.substring(number.end());
  }

  private String fragment(int depth) {
    return switch (depth > 2 ? 0 : random.nextInt(8)) {
      case 0 -> "do " + HostileLua.steps(random.nextLong(), 1 + random.nextInt(2)) + " end";
      case 1 -> "do " + any(attacks) + "\nend";
      default -> filled(any(TEMPLATES), depth);
    };
  }

  private String filled(String template, int depth) {
    return HOLE.matcher(template)
        .replaceAll(hole ->
            Matcher.quoteReplacement(
                switch (hole.group().charAt(1)) {
                  case 'S' -> random.nextInt(3) == 0 ? "" : fragment(depth + 1);
                  case 'V' -> value();
                  case 'N' -> any(NUMBERS);
                  case 'C' -> any(SOURCE);
                  default -> any(METHODS);
                }));
  }

  private String value() {
    return random.nextInt(3) == 0
        ? any(List.of("{}", "i", "'k' .. i", "K", "function() return K end", "{{}}", "i + 0.5"))
            .replace("i", "(i or 1)")
            .replace("funct(i or 1)on", "function")
        : HostileLua.expression(random.nextLong());
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
