-- Warnings about programs: their codes, places and messages.
package.preload.lfs = function() return {} end
local luacheck = require "luacheck"
local sources = {
  "local a = 1\nlocal b\nb = 2\nprint(c)\nfunction d() end\n",
  "local t = {}\nfor i = 1, 10 do local i = i; t[i] = function(x, ...) return i end end\nreturn t, undefined.x.y\n",
  "local function f(a, a) goto l ::l:: if a then elseif a then end end\nwhile true do break end\n",
  "local x <const> = 1; x = 2\nlocal y <close> = nil\nreturn x // 2 | ~3 >> 1, 'a\\z\n b\\u{48}', 0x1p4, [[long]]\n",
  "x = = 2",
  "local s = 'unfinished\n",
  "for i = 10, 1 do print(i) end\nfor i = #arg, 1 do print(i) end\nlocal q, r = 1\nq, r = 1, 2, 3\nreturn 1\n",
  "do return end print 'never'\nlocal function unused() unused() end\nlocal _, v = pcall(print)\nlocal z = z\n  \t\nprint(v) \n",
  "string.foo = 1\n_G.x = table.unpack2\nos.exit()\nsetfenv(1, {})\nlocal self = {}\nfunction self.m(self) end\nreturn function(...) local a = ... end\n",
  "-- luacheck: ignore 211\nlocal a\n-- luacheck: push no unused\nlocal b\n-- luacheck: pop\nlocal c\n-- luacheck: globals k\nk = 1\nprint(k) " .. ("x"):rep(130) .. "()\n",
}
local function show(report)
  for i, events in ipairs(report) do
    print(i, #events, events.fatal)
    for _, event in ipairs(events) do
      print("", event.code, event.line, event.column, event.end_column, event.name, luacheck.get_message(event))
    end
  end
  print(report.warnings, report.errors, report.fatals)
end
show(luacheck.check_strings(sources))
show(luacheck.check_strings(sources, {std = "lua51", max_line_length = 60, ignore = {"21./a"}, max_cyclomatic_complexity = 2}))
show(luacheck.check_strings({sources[1], sources[9]}, {{globals = {"c", "d"}, unused = false}, {std = "max", only = {"1.."}}}))
local report = luacheck.get_report(sources[2])
print(#report.warnings, report.warnings[1].code)
local file = io.open(package.searchpath("luacheck.parser", package.path))
local source = file:read "a"
file:close()
show(luacheck.check_strings {source})
print(luacheck._VERSION)
