-- what cannot be assigned, and upvalues that are assigned after the functions that use them
local function try(s)
  local f, m = load(s, '=s')
  print(f and 'fn' or m)
end
for _, a in ipairs {'<const> = 1', "<const> = 'x'", '<const> = nil', '<const> = {}', '<close> = nil'} do
  local l = 'local a ' .. a .. ' '
  try(l .. 'a = 2')
  try(l .. 'a, b = 2')
  try(l .. 'b, a = 2')
  try(l .. 'b.x, a = 2')
  try(l .. 'function a() end')
  try(l .. 'function a.b() end')
  try(l .. 'function a.b:c() end')
  try(l .. 'function a:b() end')
  try(l .. 'a.b = 1')
  try(l .. 'a[1] = 1')
  try(l .. '(a).b = 1')
  try(l .. '(a) = 1')
  try(l .. 'a() = 1')
  try(l .. 'local function f() a = 1 end')
  try(l .. 'local function f() function a() end end')
  try(l .. 'return function() return function() a, b = 1 end end')
  try(l .. 'for a = 1, 2 do a = 3 end')
  try(l .. 'for i = 1, 2 do a = 3 end')
  try(l .. 'for a in b do a = 3 end')
  try(l .. 'local a = a a = 3')
  try(l .. 'local function a() end a = 3')
  try(l .. 'local function f(a) a = 3 end')
  try(l .. 'do local a = 1 end a = 3')
  try(l .. 'repeat local a = 1 until a a = 3')
  try(l .. 'a =')
  try(l .. 'a')
end
try 'local a <const>, b <const> = 1 a = 2'
try 'local a <const>, b <const> = 1, 2 b = 2'
try 'local a, b <const> = 1, 2 a = 2'
try 'local a <foo> = 1'
try 'local a <close>, b <close> = 1'

local t, u, n = {x = 1, f = function(...) return select('#', ...), ... end}, nil, 0
local function get() return t.x end
local function set(v) t.x = v end
local function both(...)
  for i = 1, 2 do
    if t.x and t.x < 10 then t.x, t.y = t.x + i, t.x end
    while t.z do t.z = nil end
  end
  local a, b = t.f(t.x, ...)
  t.x = t.f(t.f()) + b
  return a, b, t.y, t.f(1, t.f(2, 3)), not t.q, t.x == 4 and t.y or t.x, #t, -t.x, t.x .. t.y .. t.x
end
local function deep() return function(v) t.x = v return (function() return t.x end)() end end
local function fails() return u.x end
local function failsToSet() u.x = 1 end
local function failsToCall() return t.none() end
local function failsInside() local l l = u.x.y return l end
print(get(), set(3), get(), both('a', 'b'))
print(deep()(7), get())
print(pcall(fails)) print(pcall(failsToSet)) print(pcall(failsToCall)) print(pcall(failsInside))
t = {x = 5, f = t.f, z = 1}
u = {}
print(get(), set(6), get(), both(nil, nil))
print(deep()(8), get(), fails(), failsToSet(), u.x)
print(pcall(failsInside))
local function swap() t.x, t = t, {x = 'swapped'} return t.x end
print(swap(), get())
local function order() t.x = (function() t = {} return 'new' end)() return t.x end
print(order(), get())

local f1 = load([[
  local function g() return x, y end
  local function h(v) x = v y = x end
  local before = _ENV
  h(1)
  print(g())
  _ENV = {print = print}
  print(g())
  h(2)
  print(g())
  _ENV = before
  print(g())
  return function() z = 3 return z, x end
]], '=f1', 't', {print = print})
print(f1()())
local function late() return n, get, unknown end
n = n + 1
print(late() == 1)
do
  local v
  local function a() if v.on then v.off = v.on v.on = nil return a() end return v.off end
  v = {on = 'yes'}
  print(a())
end
for i = 1, 2 do
  local v = {i = i}
  local function a() local s = 0 for j = 1, 3 do s = s + v.i v.i = v.i + j end return s, v.i end
  print(a())
  v = {i = 10}
  print(a())
end
