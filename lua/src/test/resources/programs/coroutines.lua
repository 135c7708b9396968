local co = coroutine.create(function(a, b)
  print("start", a, b)
  local c = coroutine.yield(a + b)
  print("got", c)
  local d, e = coroutine.yield(c * 2)
  print("got", d, e)
  return "done", d + e
end)
print(coroutine.status(co))
print(coroutine.resume(co, 1, 2))
print(coroutine.status(co))
print(coroutine.resume(co, 10))
print(coroutine.resume(co, 3, 4))
print(coroutine.status(co))
print(coroutine.resume(co))
local gen = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
print(gen(), gen(), gen(), gen())
print(pcall(gen))
-- yield across pcall, metamethods, iterators
local co2 = coroutine.wrap(function()
  local ok, v = pcall(function()
    local x = coroutine.yield("in pcall")
    error("oops " .. x)
  end)
  coroutine.yield(ok, v)
  local t = setmetatable({}, {__index = function(_, k) return coroutine.yield("index " .. k) end,
    __add = function(a, b) return coroutine.yield("add") end,
    __lt = function() return coroutine.yield("lt") end,
    __concat = function() return coroutine.yield("concat") end,
    __eq = function() return coroutine.yield("eq") end,
    __len = function() return coroutine.yield("len") end,
    __call = function(_, ...) return coroutine.yield("call", ...) end,
    __newindex = function(t, k, v) coroutine.yield("newindex " .. k) end})
  print("index:", t.foo)
  print("add:", t + 1)
  if t < t then print("lt true") else print("lt false") end
  print("concat:", "a" .. t, t .. "b" .. "c")
  print("eq:", t == setmetatable({}, getmetatable(t)))
  print("len:", #t)
  print("call:", t(1, 2))
  t.x = 1
  for i in function() return coroutine.yield("iter") end do print("i", i) end
  return "end"
end)
print(co2())
print(co2("X"))
print(co2())
for i = 1, 9 do print(co2(i)) end
print(co2(true)); print(co2(nil))
-- errors in coroutines
local bad = coroutine.create(function() error({code = 7}) end)
local ok, e = coroutine.resume(bad)
print(ok, type(e), e.code, coroutine.status(bad))
local bad2 = coroutine.create(function() local x = nil; x() end)
print(coroutine.resume(bad2))
print(coroutine.isyieldable(), coroutine.running())
print(pcall(coroutine.yield, 1))
print(coroutine.resume(coroutine.create(function() return coroutine.isyieldable(), select(2, coroutine.running()) end)))
-- nested
local function tree(n) if n > 0 then tree(n - 1); coroutine.yield(n); tree(n - 1) end end
local s = {}
for v in coroutine.wrap(function() tree(4) end) do s[#s + 1] = v end
print(table.concat(s, " "))
-- status normal
local outer
outer = coroutine.create(function()
  local inner = coroutine.create(function() print("outer is", coroutine.status(outer)); print(coroutine.resume(outer)) end)
  print(coroutine.resume(inner))
end)
print(coroutine.resume(outer))
-- wrap of a builtin, table.unpack through yield
print(coroutine.wrap(print)("builtin", 1, 2))
print(coroutine.resume(coroutine.create(table.unpack), {1, 2, 3}))
local y = coroutine.wrap(coroutine.yield)
print(y(1, 2, 3)) print(y("back"))
-- close
local closed = coroutine.create(function()
  local x <close> = setmetatable({}, {__close = function(_, e) print("closing", e) end})
  coroutine.yield(1)
end)
print(coroutine.resume(closed))
print(coroutine.close(closed), coroutine.status(closed))
print(coroutine.close(coroutine.create(print)))
print(coroutine.close(closed))
local cerr = coroutine.create(function()
  local x <close> = setmetatable({}, {__close = function(_, e) error("in close", 0) end})
  coroutine.yield(1)
end)
coroutine.resume(cerr)
print(coroutine.close(cerr))
-- many
local sum = 0
for i = 1, 1000 do
  local c = coroutine.wrap(function(a) local b = coroutine.yield(a + 1); return b * 2 end)
  sum = sum + c(i) + c(i)
end
print(sum)
-- producer / consumer
local function producer() return coroutine.create(function() for i = 1, 3 do coroutine.yield("item" .. i) end return nil end) end
local function filter(p) return coroutine.create(function() while true do local _, x = coroutine.resume(p); if not x then return nil end; coroutine.yield(x:upper()) end end) end
local f = filter(producer())
while true do local _, x = coroutine.resume(f); if not x then break end; io.write(x, " ") end print()
print(pcall(coroutine.resume, 1))
print(pcall(coroutine.create, 1))
print(coroutine.resume(coroutine.create(function() table.sort({3, 2, 1}, function(a, b) coroutine.yield(1) return a < b end) end)))
print(select("#", coroutine.resume(coroutine.create(function() end))))
