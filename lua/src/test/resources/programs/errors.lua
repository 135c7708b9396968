local function lvl(n) error("level " .. n, n) end
print(pcall(lvl, 0)) print(pcall(lvl, 1)) print(pcall(lvl, 2))
print(pcall(function() lvl(2) end))
print(xpcall(function() error("e", 0) end, function(m) return "handled " .. m end))
print(xpcall(function(...) return ... end, print, 1, 2, 3))
print(xpcall(function() local x = nil + 1 end, function(m) return (m:gsub("^.-:%d+: ", "")) end))
print(pcall(xpcall)) print(pcall(pcall))
print(xpcall(error, function(m) error("again") end, "x"))
local depth = 0
local function rec() depth = depth + 1; return 1 + rec() end
local ok, m = pcall(rec)
print(ok, (m:gsub("%(.*", "")), depth > 1000)
local function tail(n) if n == 0 then return "deep" end return tail(n - 1) end
print(tail(1000000))
print(pcall(string.rep, "x", -1), pcall(string.rep, "x", 1e10))
print(select(2, pcall(function() local t = setmetatable({}, {__index = function(t, k) return t[k .. "x"] end}); return t.a end)) ~= nil)
local t = setmetatable({}, {}) ; getmetatable(t).__index = t
print(pcall(function() return t.x end))
print(pcall(load, "x = "))
print(load("x = "))
print(load("return 1 + 1", "chunk")())
print(load("error('in chunk')", "=name"))
print(pcall(load("error('in chunk')", "=name")))
print(pcall(load("error('in chunk')", "@file.lua")))
print(pcall(load("local a = 1\nerror('line 2')", "some code\nmore")))
local env = {y = 5}
print(load("return y", "c", "t", env)())
print(load("x = 10; return x", "c", "t", env)(), env.x, x)
print(load("return _ENV", "c", "t", env)() == env)
local parts = {"return ", "1", " + 2", nil}
local i = 0
print(load(function() i = i + 1; return parts[i] end)())
print(load("\27Lua", "b", "t"))
print(load("return ...", "v")(1, 2))
local function f() local _ENV = {z = 3}; return z end
print(f())
print(pcall(function() error() end))
print(pcall(function() error(nil) end))
print(pcall(function() error(setmetatable({}, {__tostring = function() return "obj" end})) end))
print(tostring(select(2, pcall(error, 42))), math.type(select(2, pcall(error, 42))))
-- names in messages
local obj = {}
print(pcall(function() obj.field.sub = 1 end))
print(pcall(function() obj:method() end))
print(pcall(function() obj.a.b() end))
print(pcall(function() local s = "x"; s.y.z = 1 end))
print(pcall(function() obj[1][2] = 3 end))
print(pcall(function() local k = "key"; return obj[k].x end))
print(pcall(function() return #obj.nothing end))
print(pcall(function() return obj.a + 1 end))
print(pcall(function() return 1 .. obj.a end))
print(pcall(function() return obj < 1 end))
print(pcall(function() print(("x")()) end))
print(pcall(function() globalname.x = 1 end))
print(pcall(function() return -globalname end))
print(pcall(function() string.format("%d", "x") end))
print(pcall(function() string.format("%d", 1.5) end))
print(pcall(function() ("x"):bad() end))
print(pcall(function() table.concat({1, {}, 3}) end))
print(pcall(function() table.insert({}, 1, 2, 3) end))
print(pcall(function() table.insert({}, 5, 2) end))
print(pcall(function() setmetatable({}) end))
print(pcall(function() tonumber() end))
print(pcall(function() tonumber("1", 99) end))
print(pcall(function() select(0) end))
print(pcall(function() ipairs() end))
print(pcall(function() rawset({}, nil, 1) end))
print(pcall(function() collectgarbage("bad") end))
print(pcall(function() local a; a.b = 1 end))
print(pcall(function() local a = {}; a.b.c = 1 end))
print(pcall(function() return math.random(0, -1) end))
-- What is read of _ENV is a global, wherever that variable is.
print(pcall(function() local _ENV = {} local function f() return x() end _ENV = {} f() end))
print(pcall(function() local _ENV = {} local g = function() _ENV = {} end return x() end))
print(pcall(function() local _ENV = {} return (function() return x() end)() end))
print(pcall(function() local E = {} return (function() return E.x() end)() end))
-- Functions of the library without a name.
do
  local aux = ipairs{}
  print(pcall(aux, {1,2,3}))
  print(pcall(next, 5))
  local function try(f, ...) print(pcall(f, ...)) end
  for v3 in aux, {1}, 0 do try(v3) try(aux, {}) end
  local function it(s, c) if c == 3 then return nil end try(aux, {}) print(pcall(aux)) return c + 1 end
  for v in it, nil, 0 do end
  local g = string.gmatch("ab", ".")
  print(pcall(g, 1))
  local c = utf8.codes("x")
  print(pcall(c, {}))
  try(c, {})
  print(select(2, xpcall(aux, function(m) return m end, {})))
  print(pcall(coroutine.wrap(aux), {}))
  print(coroutine.resume(coroutine.create(aux), {}))
  print(pcall(table.sort, {3,2,1}, aux))
  print(pcall(string.gsub, "abc", ".", aux))
  local t = setmetatable({}, {__index = aux, __add = aux, __close = aux, __call = aux, __lt = aux})
  print(pcall(function() return t.x end))
  print(pcall(function() return t + 1 end))
  print(pcall(function() return t() end))
  print(pcall(function() return t < t end))
  print(pcall(function() local x <close> = t end))
  print(pcall(function() for i in t do end end))
  print(pcall(function() return aux({}) end))
  print(pcall(function() aux({}) end))
  print(pcall(load, aux))
  for _, s in ipairs(package.searchers) do try(s) end
end
