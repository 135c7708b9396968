-- Iterators of all kinds, and calls in loops that yield, fail or meet hooks.
local function iter(s, c) if c < s then return c + 1, c * 2 end end
local function f(n)
  local sum = 0
  for i, j in iter, n, 0 do sum = sum + i + j end
  return sum
end
for k = 1, 5 do print(f(300)) end
local function g(n)
  local t = {}
  for w in ("a b c d e f"):rep(n, " "):gmatch("%a") do t[#t + 1] = w end
  return #t
end
for k = 1, 8 do print(g(60)) end
local callable = setmetatable({}, {__call = function(self, s, c) if c < s then return c + 1 end end})
local function h(n) local s = 0 for i in callable, n, 0 do s = s + i end return s end
for k = 1, 8 do print(h(100)) end
local function err(n)
  for i in function(s, c) if c == s then error("end " .. c) end return c + 1 end, n, 0 do end
end
for k = 1, 5 do print(pcall(err, 200)) end
local function noit() for i in 5 do end end
for k = 1, 40 do local ok, m = pcall(noit) if k > 38 then print(ok, m) end end
local function co(n) local s = 0 for i in coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) do s = s + i end return s end
for k = 1, 5 do print(co(300)) end
-- a yield from within an iterator
local c = coroutine.wrap(function()
  local s = 0
  for i in function(s, c) coroutine.yield("in") if c < s then return c + 1 end end, 500, 0 do s = s + i end
  return s
end)
local n, r = 0
repeat r = c() n = n + 1 until r ~= "in"
print(n, r)
-- hooks set by an iterator
local count = 0
local function hk(n) local s = 0 for i in function(s, c) if c == 250 then debug.sethook(function() count = count + 1 end, "l") end if c < s then return c + 1 end end, n, 0 do s = s + i end debug.sethook() return s end
print(hk(500), count > 0)
-- deep recursion through iterators
local function deep(d) for i in function(s, c) if c == 0 then if d > 0 then return deep(d - 1) end return 1 end end, 0, 0 do return d end end
for d = 150, 210, 5 do print(d, pcall(deep, d)) end
for k = 1, 30 do deep(10) end
for d = 150, 210, 5 do print(d, pcall(deep, d)) end
-- closing value
local function cl(n) local log = 0 for i in iter, n, 0, setmetatable({}, {__close = function() log = log + 1 end}) do if i == 200 then break end end return log end
for k = 1, 5 do print(cl(300)) end
-- pcall in loops
local function pc(n) local s = 0 for i = 1, n do local ok, v = pcall(function() if i % 3 == 0 then error(i, 0) end return i end) s = s + v + (ok and 1 or 0) end return s end
for k = 1, 5 do print(pc(400)) end
local mt = setmetatable({}, {__index = function(t, k) return k * 2 end, __add = function(a, b) return b end})
local function idx(n) local s = 0 for i = 1, n do s = s + mt[i] + (mt + i) end return s end
for k = 1, 5 do print(idx(400)) end
-- yields in loops of every shape, around and beside loops that compute
local function shapes(n)
  local x, s, yield = 0.5, 0, coroutine.yield
  for i = 1, n do x = x * 1.5 % 7 + i end
  for i = 1, n do
    s = s + yield("for", i) + x
    for j = 1, 3 do s = s + j * x end
    for j = 3, 1, -1 do
      if j == 2 then goto continue end
      s = s + yield("inner", i, j)
      while s > 1000 do s = s - yield("while") end
      ::continue::
    end
    local k = 0
    repeat k = k + yield("repeat", k) until k > 3
    for _, v in ipairs {1, 2} do s = s + v * yield("in", v) end
  end
  local i = 0
  ::again::
  i = i + yield("goto", i)
  if i < 4 then goto again end
  return s, i, x
end
for k = 1, 4 do
  local c, sum, n = coroutine.wrap(shapes), 0, 0
  local what, a, b = c(k * 3)
  while type(what) == "string" do
    sum = sum + #what * (n % 5) + (a or 0) * (b or 1)
    n = n + 1
    what, a, b = c(n % 3 + 1)
  end
  print(k, n, sum, what, a, b)
end
