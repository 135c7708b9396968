-- string.dump, and what load makes of it
local function try(...)
  local ok, m = pcall(...)
  print(ok, type(m) == 'string' and m:gsub('^[^:]*:%d+: ', '') or m)
end
local f = load(string.dump(function(a, ...) local b = a * 2 return b, select('#', ...), ... end))
print(f(4, 'x', nil))
print(load(string.dump(function() return 1 end), 'name', 't'))
print(load('return 1', 'name', 'b'))
try(string.dump, print)
try(string.dump, 1)
local up, other = 5, 6
local function uses() up = up + 1 return up, other end
local g = load(string.dump(uses))
try(g)
print(debug.setupvalue(g, 1, 10) ~= nil, debug.setupvalue(g, 2, 'second') ~= nil)
print(g()) print(g()) print(uses())
local function fact(n) if n <= 1 then return 1 end return n * fact(n - 1) end
local h = load(string.dump(fact), 'f', 'b')
debug.setupvalue(h, 1, h)
print(h(10), h(20), h(25.0))
local env = {print = print, x = 'inside'}
load(string.dump(load('print(x) local t = {1, 2, 3, print("in a list")} print(#t)')), 'n', 'b', env)()
local stripped = load(string.dump(function(x) local y = x.field.other return y end, true))
try(stripped, {})
print(#string.dump(f, true) < #string.dump(f, false), string.dump(f):sub(1, 1) == '\27')
local again = load(string.dump(load(string.dump(function()
  local t = setmetatable({}, {__index = function(_, k) return k .. '!' end})
  local sum = 0
  for i = 10, 1, -3 do sum = sum + i end
  for k, v in pairs({a = 1}) do sum = sum + v end
  while sum > 20 do sum = sum // 2 end
  do local c <close> = setmetatable({}, {__close = function() sum = sum + 100 end}) end
  goto out
  sum = 0
  ::out::
  return t.x, sum, ('%d'):format(7), 1 << 40, 0x7fffffffffffffff, 1e100, -0.0, 'a\0b'
end))))
print(again())
local pieces = {}
for c in string.dump(fact):gmatch('.') do pieces[#pieces + 1] = c end
local i = 0
print(type(load(function() i = i + 1 return pieces[i] end, 'p', 'b')))
print(load('\27', 'x'))
print(load(string.dump(fact):sub(1, 20), '=x'))
