local V = {}
V.__index = V
V.__add = function(a, b) return setmetatable({x = (a.x or a) + (type(b) == "table" and b.x or b)}, V) end
V.__eq = function(a, b) return a.x == b.x end
V.__lt = function(a, b) return a.x < b.x end
V.__le = function(a, b) return a.x <= b.x end
V.__call = function(self, ...) return self.x, ... end
V.__tostring = function(self) return "V(" .. self.x .. ")" end
V.__len = function(self) return self.x end
V.__unm = function(self) return setmetatable({x = -self.x}, V) end
V.__concat = function(a, b) return tostring(a) .. "|" .. tostring(b) end
V.__bnot = function(a) return "bnot" end
V.__shl = function(a, b) return "shl" end
V.__idiv = function() return "idiv" end
V.__mod = function() return "mod" end
local function new(x) return setmetatable({x = x}, V) end
local a, b = new(1), new(2)
print(tostring(a + b), tostring(a + 5), a == b, a == new(1), a ~= b, a < b, a <= b, a > b, a >= b)
print(a(10, 20), #b, tostring(-a), a .. b, a .. "s", 1 .. a, "x" .. "y" .. a .. "z")
print(~a, a << 1, 1 << a, a // 2, 2 % a)
if a < b then print("less") end
while not (a > b) do a.x = a.x + 1 end
print(a.x)
-- index chains
local base = {foo = function() return "foo" end, v = 1}
local mid = setmetatable({bar = 2}, {__index = base})
local top = setmetatable({}, {__index = mid})
print(top.foo(), top.bar, top.v, top.none)
local log = {}
local p = setmetatable({}, {
  __index = function(t, k) log[#log + 1] = "get " .. tostring(k); return k end,
  __newindex = function(t, k, v) log[#log + 1] = "set " .. tostring(k); rawset(t, k, v) end,
})
p.x = 1; p.x = 2; print(p.x, p.y, p[1], p[1.5])
p[1] = "a"; p[1] = "b"; p[2] = nil
print(table.concat(log, ","))
local target = {}
local q = setmetatable({}, {__newindex = target})
q.a = 1; q[1] = 2
print(rawget(q, "a"), target.a, rawget(q, 1), target[1])
-- array append with __newindex
local r = setmetatable({}, {__newindex = function(t, k, v) rawset(t, k, v * 10) end})
for i = 1, 5 do r[i] = i end
print(table.concat(r, " "))
-- methods and inheritance
local Animal = {} Animal.__index = Animal
function Animal.new(name) return setmetatable({name = name}, Animal) end
function Animal:speak() return self.name .. " speaks" end
local Dog = setmetatable({}, {__index = Animal}) Dog.__index = Dog
function Dog.new(name) local d = Animal.new(name); return setmetatable(d, Dog) end
function Dog:bark() return self:speak() .. " woof" end
print(Dog.new("rex"):bark())
-- __metatable, __name, __pairs
print(getmetatable(setmetatable({}, {__metatable = "locked"})))
print(pcall(setmetatable, setmetatable({}, {__metatable = 1}), {}))
for k, v in pairs(setmetatable({}, {__pairs = function(t) return function(_, k) if not k then return 1, 2 end end, t, nil end})) do print(k, v) end
print(getmetatable("").__index == string, ("abc"):len())
print(pcall(function() return {} < {} end))
print(pcall(function() return {} < 1 end))
print(pcall(function() return "a" < 1 end))
print(pcall(function() return nil > 1 end))
print(pcall(function() return {} .. "x" end))
print(pcall(function() return #nil end))
print(pcall(function() return -{} end))
print(pcall(function() local t = {} ; t.x.y = 1 end))
print(pcall(function() local t = {} ; t.x.y.z = 1 end))
print(pcall(function() return undefinedglobal.x end))
print(pcall(function() undefinedfunction() end))
print(pcall(function() local t = {} ; t.m() end))
print(pcall(function() local t = {} ; t:m() end))
print(pcall(function() return 1 + nil end))
print(pcall(function() local s = "abc"; return s + 1 end))
print(pcall(function() return 1 & 1.5 end))
print(pcall(function() return "a" | 1 end))
print(pcall(function() return 2^53 | 2^70 end))
print(pcall(function() local t = {}; t[nil] = 1 end))
print(pcall(function() local t = {}; t[0/0] = 1 end))
print(pcall(function() for i = "a", 2 do end end))
print(pcall(function() for i = 1, {} do end end))
print(pcall(function() for i = 1, 2, 0 do end end))
print(pcall(next, {}, "nokey"))
print(pcall(setmetatable, 1, {}))
print(pcall(error, {code = 1}))
print(pcall(error, "msg", 0))
print(pcall(error, "msg"))
print(pcall(error))
print(select(2, pcall(error, setmetatable({}, {__tostring = function() return "custom" end}))))
print(pcall(string.rep))
print(pcall(string.rep, "x", "y"))
print(pcall(("x").rep, "x", {}))
print(pcall(ipairs))
print(pcall(function() string.rep("x", 1.5) end))
print(pcall(function() ("x"):rep({}) end))
print(pcall(function() local a <const> = 1; return a.b.c end))
print(pcall(function() local up = nil; return (function() return up.x end)() end))
print(pcall(function() return math.floor({}) end))
print(pcall(assert, false))
print(pcall(assert, nil, "message"))
print(pcall(assert, 1, 2, 3))
local mt = {__index = function(t, k) error("no field " .. k) end}
print(pcall(function() return setmetatable({}, mt).foo end))
print(setmetatable({}, {__eq = function() return true end}) == setmetatable({}, {}))
local d = setmetatable({}, {__div = function(a, b) return "div" end, __pow = function() return "pow" end})
print(d / 1, 1 ^ d)
print(#setmetatable({1, 2, 3}, {__len = function() return 42 end}))
print(rawequal(a, new(a.x)), rawlen(setmetatable({1}, {__len = function() return 9 end})))

-- what strings share
do
  local m = getmetatable("")
  local old = m.__index
  local function probe(s)
    return pcall(function() return s:probe() end)
  end
  print(probe("a"))
  string.probe = function(s) return "probe " .. s end
  print(probe("b"), ("b"):probe())
  m.__index = setmetatable({}, {__index = {probe = function(s) return "inherited " .. s end}})
  print(probe("c"))
  m.__index = function(s, k) return function() return k .. s end end
  print(probe("d"))
  m.__index = "probe"
  print(probe("e"))
  m.__index = nil
  print(probe("f"))
  m.__index = old
  for _ = 1, 3 do
    debug.setmetatable("", nil)
    print(probe("g"))
    debug.setmetatable("", {__index = {probe = string.len}})
    print(probe("four"))
  end
  debug.setmetatable("", m)
  string.probe = nil
  print(probe("h"), ("x"):rep(3))
  print(probe(1 << 40))
  print(probe(2.5))
  print(probe(print))
end
