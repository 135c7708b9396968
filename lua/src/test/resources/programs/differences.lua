-- What random programs found.
local C = setmetatable({}, {__close = type})
local function g(k) local x <close> = C if k == 0 then error("e") end return 1 + g(k - 1) end
print(pcall(g, 50000))
local function g(k) local x <close> = setmetatable({}, {__close=function(_, e) if k % 10000 == 0 then print(k, e) end end}) if k == 0 then error("e") end return 1 + g(k - 1) end
print(pcall(g, 50000))
local x for i = '1', '3' do print(i) end
for i = 1, '3' do print(i) end
for i = 1, '3.5' do print(i) end
print(pcall(function() for i = 1, 2, '0' do end end))
print(pcall(function() for i = 'x', 2, 'y' do end end))
for i = 3, '1', '-1' do print(i) end
local co = coroutine.create(function() error(nil) end)
print(coroutine.resume(co)) print(coroutine.close(co)) print(coroutine.close(co))
local co = coroutine.create(function() local x <close> = setmetatable({}, {__close=function(_, e) print('closing', type(e)) end}) error({}) end)
print((coroutine.resume(co))) print(coroutine.status(co)) print((coroutine.close(co))) print(coroutine.close(co)) print(coroutine.resume(co))
local co = coroutine.create(function() local x <close> = setmetatable({}, {__close=function(_, e) print('closing', e) error('again', 0) end}) coroutine.yield() end)
print((coroutine.resume(co))) print(coroutine.status(co)) print(coroutine.close(co)) print(coroutine.close(co)) print(coroutine.resume(co))
local co = coroutine.wrap(function() local x <close> = setmetatable({}, {__close=function(_, e) print('closing', e) error('again', 0) end}) error('first') end)
print(pcall(co)) print(pcall(co))
print(pcall(function() return '\0abc' | 1 end))
print(pcall(function() return "10" | 1 end))
print(pcall(function() local a = "10" return a | 1, 1 | a, a | a end))
print(pcall(function() return "10" | "1" end))
print(pcall(function() return ~"10" end))
print(pcall(function() return "10.0" & 1 end))
print(pcall(function() return "10.5" & 1 end))
print(pcall(function() return "10" << 1 end))
print(pcall(function() return 1 << "2" end))
print(pcall(function() return "a" << 1 end))
print(pcall(function() return "10" | 1.5 end))
print(pcall(function() return "10" | {} end))
print(pcall(function() return {} | "10" end))
print(pcall(function() return "3" | 2^53 end))
print(pcall(function() return "0x10" ~ 1 end))
print(pcall(error, "x", 3), pcall(error, "x", 4), pcall(error, "x", 5), pcall(error,"x",100))
local function f(l) error("y", l) end
for i = 0, 8 do print(pcall(f, i)) end
print(coroutine.resume(coroutine.create(error), "z", 1))
print(coroutine.resume(coroutine.create(error), "z", 2))
print(coroutine.resume(coroutine.create(function(...) error(...) end), "z", 2))
print(coroutine.resume(coroutine.create(function(...) error(...) end), "z", 3))
print(coroutine.resume(coroutine.create(string.rep)))
do
local a, b, c, d = math.tointeger(2^53), 2.0^53, 2^53, 9007199254740993
print(a == b, b == a, a == 2^53, 2^53 == a, a == 9007199254740992.0, d == 2^53, d == b, a ~= b, a ~= 2^53, d ~= 2^53)
local t = {}
print(t == 1.5, 1.5 == t, t == 1, "x" == 1.5, nil == 1.5, 1 == 1.0, 0.0 == -0.0, 0/0 == 0/0, true == 1.0, t == nil, a == nil, b == "x", t == {}, "1" == 1)
print(math.maxinteger == 2^63, math.mininteger == -2^63, math.maxinteger + 0.0 == 2^63, math.mininteger == -(2.0^63))
local m = setmetatable({}, {__eq = function() return true end})
print(m == 1.5, 1.5 == m, m == t, t == m, m == a, a == m)
t[a] = 1 print(t[b], t[2^53], t[d])
end
print(pcall(function()
  local a,b = 1,{}
  local b =
  a
  <
  b
end))
print(pcall(function()
  local a,b = 1,{}
  for a = 1,
    'x'
    , {}
    do
    local c = 1
  end
end))
print(pcall(function()
  for a in
    nil
    , {}
    do
    local c = 1
  end
end))
print(pcall(function()
  local a = {}
  a
  .x
  .y
  .z = 1
end))
print(pcall(function()
  local a = {}
  a.x(
  1
  ,2
  )
end))
print(pcall(function()
  local a = {}
  a
  [
  nil
  ]
  =
  3
end))
print(pcall(function()
  local a = {}
  return a
  ..
  'x'
  ..
  'y'
end))
print(pcall(function()
  local a = {}
  return -
  a
end))
print(pcall(function()
  local a = {}
  if a <
  1
  then
  end
end))
print(pcall(math.max, nil, nil), pcall(math.max), pcall(math.max, "10", "9"))
local le = setmetatable({}, {__lt = function() return false end})
print(le <= le, le <= 1, 1 >= le, pcall(function() return le <= {} end))
for i = 0 / 0, 3 do print("once") end
print(pcall(function() return (math.huge):sub(1) end))

-- a position before a text that assert raises
local function value(f, ...) return (select(2, pcall(f, ...))) end
print(value(function() assert(nil, "m") end))
print(value(function() assert(false) end))
print(value(function() return assert(false, "tail") end))
print(value(function() local a = assert a(1 == 2, "alias") end))
print(math.type(value(function() assert(false, 12) end)), value(assert, false, "by pcall"))
print(type(value(function() assert(false, {}) end)), value(function() assert(nil, nil) end))
print(select(2, xpcall(function() assert(false, "m") end, function(m) return "handled " .. m end)))
print(coroutine.resume(coroutine.create(function() assert(false, "in a coroutine") end)))

-- whether another coroutine could yield
local co
co = coroutine.create(function(other)
  print(coroutine.isyieldable(), coroutine.isyieldable(co), coroutine.isyieldable(other))
  coroutine.wrap(function() print(coroutine.isyieldable(co)) end)()
  table.sort({1, 2}, function()
    print(coroutine.isyieldable(co))
    coroutine.wrap(function() print(coroutine.isyieldable(co), coroutine.isyieldable()) end)()
  end)
  coroutine.yield()
end)
print(coroutine.isyieldable(), coroutine.isyieldable(co), pcall(coroutine.isyieldable, 1))
print(coroutine.resume(co, coroutine.running()), coroutine.isyieldable(co))
print(coroutine.resume(co), coroutine.isyieldable(co), pcall(coroutine.isyieldable, nil))

-- a zero byte ends the name of a chunk and a format of string.pack
print(type(load("x.y = 1", "=a\0b")), load("x.y =", "=a\0b"))
print(load("x\0 y", "@f\0g"), load("=", "text\0more"))
print(value(load("x.y = 1", "text\0more")))
print(#string.pack("i4\0z", 1), string.packsize("b\0?"), string.unpack("b\0?", "\1\2"))
