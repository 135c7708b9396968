-- What suspended coroutines hold: values that some later code reads, and no others.
local function id(...) return ... end

local function gone(name, body)
  local weak = setmetatable({}, {__mode = 'v'})
  local co = coroutine.wrap(body)
  co(weak)
  collectgarbage()
  collectgarbage()
  print(name, weak[1] == nil, weak.kept ~= nil, co())
end

gone('block', function(w) do local a, b, c = 1, 2, {} w[1] = c end coroutine.yield() return 1 end)
gone('variable', function(w)
  local kept = {}
  w.kept = kept
  do local a, b, c = 1, 2, {} w[1] = c end
  coroutine.yield()
  return kept == w.kept
end)
gone('argument', function(w) w[1] = {} id(1, 2, 3, w[1]) coroutine.yield() return 1 end)
gone('loop', function(w) for i = 1, 3 do local x = {} w[1] = x end coroutine.yield() return 1 end)
gone('generic loop', function(w)
  for _, v in pairs {{}, {}} do w[1] = v end
  coroutine.yield()
  return 1
end)
gone('function', function(w)
  do local a, b, c = 1, 2, {} w[1] = c end
  local kept = {}
  w.kept = kept
  local function y() coroutine.yield() return 1 end
  return y() + (kept == w.kept and 1 or 0)
end)
gone('pcall', function(w)
  do local a, b, c = 1, 2, {} w[1] = c end
  pcall(function() coroutine.yield() return 2 end)
  return 1
end)
gone('metamethod', function(w)
  do local a, b, c = 1, 2, {} w[1] = c end
  local t = setmetatable({}, {__index = function(t, k) w.kept = k coroutine.yield() return k end})
  return t[{}] == w.kept
end)
gone('iterator', function(w)
  do local a, b, c, d, e, f, g, h, i = 1, 2, {}, {}, {}, {}, {}, {}, {} w[1] = i end
  for _ in coroutine.yield do return 1 end
  return 2
end)
gone('another coroutine', function(w)
  do local a, b, c = 1, 2, {} w[1] = c end
  local co = coroutine.wrap(function() coroutine.yield() return 1 end)
  co()
  coroutine.yield()
  return co()
end)
gone('yielded', function(w)
  coroutine.yield(1, (function() w[1] = {} return w[1] end)(), 'x')
  return 1
end)
gone('operand', function(w)
  local function make() local kept = {} w.kept = kept return kept end
  local function later() coroutine.yield() return 1 end
  do local a, b, c = 1, 2, {} w[1] = c end
  return #{make(), later(), 3}
end)

-- each finalizer runs as soon as the coroutine needs its value no more
local log = {}
local co = coroutine.wrap(function()
  for i = 1, 3 do
    local x <close> = setmetatable({}, {__close = function() log[#log + 1] = 'c' .. i end})
    do local y = setmetatable({}, {__gc = function() log[#log + 1] = 'g' .. i end}) end
    coroutine.yield(setmetatable({}, {__gc = function() log[#log + 1] = 'y' .. i end}))
  end
end)
for _ = 1, 4 do
  co()
  collectgarbage()
  collectgarbage()
  table.sort(log)
  print(table.concat(log, ' '))
end

-- a variable lives to the end of its scope, also where that ends with a call
local function last(call)
  local weak = setmetatable({}, {__mode = 'v'})
  local function body(f)
    local x = {}
    weak[1] = x
    f()
  end
  call(body, function() collectgarbage() print(weak[1] ~= nil) end)
  collectgarbage()
  print(weak[1] == nil)
end
last(function(body, f) body(f) end)
last(pcall)
last(function(body, f)
  local co = coroutine.wrap(body)
  co(coroutine.yield)
  f()
  co()
end)
local failed = coroutine.create(function()
  local x = {'x'}
  error('of the coroutine')
end)
coroutine.resume(failed)
collectgarbage()
print(select(2, debug.getlocal(failed, 1, 1))[1])
