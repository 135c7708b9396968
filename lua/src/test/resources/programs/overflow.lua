-- Recursion without an end through metamethods, loops, closing and library functions.
local n

local function try(name, f, ...)
  n = 0
  local ok, message = pcall(f, ...)
  print(name, n, ok, message)
end

local events = {
  __index = 'a.x', __add = 'a + a', __sub = 'a - a', __mul = 'a * a', __div = 'a / a',
  __mod = 'a % a', __pow = 'a ^ a', __unm = '-a', __idiv = 'a // a', __band = 'a & a',
  __bor = 'a | a', __bxor = 'a ~ a', __shl = 'a << a', __shr = 'a >> a', __bnot = '~a',
  __concat = 'a .. a', __len = '#a', __eq = 'a == b', __lt = 'a < a', __le = 'a <= a',
}
local names = {}
for name in pairs(events) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
  local text = 'local count, a, b = ... return function() count() local r = ' .. events[name]
    .. ' return r end'
  local mt = {}
  local function count() n = n + 1 end
  mt[name] = load(text, '=' .. name)(count, setmetatable({}, mt), setmetatable({}, mt))
  try(name, mt[name])
end

-- the last of several operands; a call in the tail counts as well
local m = setmetatable({}, {__concat = function(a, b) n = n + 1 return 'x' .. 'y' .. b end})
try('several', function() return 'a' .. m end)
local tail = setmetatable({}, {})
getmetatable(tail).__index = function(t, k) n = n + 1 return rawget(t, k) or t[k] end
try('tail', function() return tail.x end)
local new = setmetatable({}, {__newindex = function(t, k, v) n = n + 1 t[k] = v end})
try('__newindex', function() new.x = 1 end)

local function loop() n = n + 1 for _ in loop do end end
try('for', loop)
local function close() n = n + 1 local x <close> = setmetatable({}, {__close = close}) end
try('close', close)
local pairs_mt = {}
pairs_mt.__pairs = function(t) n = n + 1 for _ in pairs(t) do end end
try('__pairs', pairs, setmetatable({}, pairs_mt))

-- what nests without counting: calls, __call, calls that have returned
local function deep(k) if k == 0 then return 0 end return 1 + deep(k - 1) end
print(deep(10000))
local callable = setmetatable({}, {__call = function(self, k)
  if k == 0 then return 0 end
  return 1 + self(k - 1)
end})
print(callable(10000))
local plus = setmetatable({}, {__add = function(a, b) n = n + 1 return a end})
n = 0
for _ = 1, 1000 do local _ = plus + 1 end
for _ = 1, 1000 do pcall(function() return plus + nil + error() end) end
print(n)

-- levels are as before after an error, a yield, and after closing
local function below(k) if k == 0 then return true end return (pcall(below, k - 1)) end
local function room() n = 0 pcall(events.f) return n end
events.f = function() n = n + 1 local t = setmetatable({}, {__index = events.f}) return (t.x) end
local all = room()
print(below(100), room() == all)
local co = coroutine.wrap(function()
  local t = setmetatable({}, {__index = function() coroutine.yield() return 1 end})
  for _ = 1, 300 do local _ = t.x end
  coroutine.yield(room())
end)
for _ = 1, 300 do co() end
print(all - co(), room() == all)

-- an error closes variables at the level of the call that catches it
local closed = 0
local function nest()
  local x <close> = setmetatable({}, {__close = function()
    local t = setmetatable({}, {__index = function() closed = closed + 1 return 1 end})
    return t.x
  end})
  local t = setmetatable({}, {__index = nest})
  return (t.x)
end
local ok, message = pcall(nest)
print(ok, message, closed)

-- handlers have room; handlers that fail have not
print(xpcall(nest, function(m) return m .. '!' .. deep(10) .. #setmetatable({}, {__len = deep and
  function() return 7 end}) end))
print(select('#', xpcall(nest, nest)))

-- functions of the library: the text, and life goes on
local function fails(name, f, ...)
  local ok, message = pcall(f, ...)
  print(name, ok, (string.match(tostring(message), 'stack overflow$')))
end
local text = setmetatable({}, {__name = 'text'})
getmetatable(text).__tostring = function(t) return tostring(t) end
fails('tostring', tostring, text)
getmetatable(text).__tostring = function(t) return string.format('%s', t) end
fails('format', tostring, text)
local function sort() table.sort({3, 2, 1}, sort) end
fails('sort', sort)
local function gsub() return (string.gsub('abc', '.', gsub)) end
fails('gsub', gsub)
local function reader() return assert(load(reader)) end
fails('load', function() assert(load(reader)) end)
local function wrap() coroutine.wrap(wrap)() end
fails('wrap', wrap)
local function resume()
  local ok, message = coroutine.resume(coroutine.create(resume))
  if not ok then error(message, 0) end
end
fails('resume', resume)
package.preload.again = function() package.loaded.again = nil return require('again') end
fails('require', require, 'again')
fails('unpack', function()
  local t = setmetatable({}, {})
  getmetatable(t).__index = function(t) return table.unpack(t, 1, 2) end
  return table.unpack(t, 1, 2)
end)
fails('concat', function()
  local t = setmetatable({}, {})
  getmetatable(t).__index = function(t) return table.concat(t, '', 1, 2) end
  return table.concat(t, '', 1, 2)
end)
local lost = 0
setmetatable({}, {__gc = function() local ok = pcall(nest) lost = lost + (ok and 0 or 1) end})
for _ = 1, 3 do collectgarbage() end
print(lost, room() == all)
