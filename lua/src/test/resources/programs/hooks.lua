-- What hooks are told: events, the values that functions take and return, and counts.
local on, inp, out = false
  local function hook (event)
    if not on then return end
    local ar = debug.getinfo(2, "ruS")
    local t = {}
    for i = ar.ftransfer, ar.ftransfer + ar.ntransfer - 1 do
      local n, v = debug.getlocal(2, i)
      t[#t + 1] = tostring(v)
    end
    print(event, ar.what, ar.ntransfer, table.concat(t, ","))
  end
  debug.sethook(hook, "cr")
  on = true; math.sin(3); on = false
  on = true; select(2, 10, 20, 30, 40); on = false
  local function foo (a, ...) return ... end
  local function foo1 () on = not on; return foo(20, 10, 0) end
  foo1(); on = false
  on = true; pcall(foo, 1, 2, 3) on = false
  on = true; pcall(error, 1) on = false
  on = true; string.gsub("x", "x", function(c) return c .. c end) on = false
  local co = coroutine.wrap(function(a) debug.sethook(hook, "cr") local b = coroutine.yield(a + 1) return b, a end)
  on = true; co(1) on = false
  on = true; co(10) on = false
  local t = setmetatable({}, {__index = function(t, k) return k .. k end, __add = function(a, b) return 1, 2 end})
  on = true; local x = t.y, t + 1; on = false
  on = true; table.sort({2, 1}, function(a, b) return a < b end) on = false
  on = true; for k, v in pairs{5} do local z = k end on = false
  local function tail(...) return math.max(...) end
  on = true; tail(1, 2) on = false
  local function many() local a, b, c = 1, 2, 3 return a, b, c end
  on = true; many() on = false
  on = true; do local c <close> = setmetatable({}, {__close = function(a, e) return 5 end}) end on = false
  on = true; assert(tostring(12)) on = false
  debug.sethook()
co = load[[
  local A = function ()
    return x
  end
  return
]]
debug.sethook(function (e, l)
  print(e, l, (debug.getlocal(2, 1)))
end, "l")
co()
debug.sethook()
for i, l in ipairs{"c","r","l","cr","crl", ""} do for _, n in ipairs{0, 1, 5} do local h = function() end debug.sethook(h, l, n) local f, m, c = debug.gethook() debug.sethook() print(f == h, m, c) end end
print(debug.gethook())
print(pcall(debug.sethook, 1, "c"))
print(pcall(debug.sethook, print))
print(pcall(debug.sethook, nil))
print(pcall(debug.sethook, print, "c", "x"))
print(select('#', debug.sethook()), select('#', debug.gethook()))

-- Names of functions that no code calls, and temporaries.
debug.sethook(function()
  local i = debug.getinfo(1, "n")
  print(i.namewhat, i.name, debug.traceback("t"):find("hook '?'", 1, true) ~= nil)
end, "l")
local one = 1
debug.sethook()
local done
setmetatable({}, {__gc = function()
  local i = debug.getinfo(1, "n")
  done = i.namewhat .. " " .. i.name
end})
repeat local garbage = {} until done
print(done)
local events = 0
setmetatable({}, {__gc = function() done = nil end})
repeat local garbage = {} until not done
for i in function(_, i) print(debug.getinfo(1, "n").name) if not i then return 1 end end do end
print(1, (function()
  print(debug.getlocal(2, 14), select("#", debug.getlocal(2, 1000)))
end)())
print(getmetatable(debug.getregistry()._HOOKKEY).__mode)
local gmatch = string.gmatch("x", "x")
print(debug.getinfo(gmatch, "u").nups > 0, debug.getupvalue(gmatch, 1) == "", debug.getupvalue(print, 1))
print(debug.upvalueid(gmatch, 1) ~= nil, debug.upvalueid(print, 1))
-- A loop over what is no function fails under a hook, too.
debug.sethook(function() end, "l")
print(pcall(function() for i in nil, {1} do return i end end))
debug.sethook()
-- Every function is itself in its return hook.
for _, call in ipairs{
  {table.pack, 1}, {math.random}, {os.clock}, {os.time}, {os.time, {year = 2000, month = 1, day = 1}},
  {os.setlocale}, {string.char, 65}, {utf8.char, 65}, {table.concat, {}}, {select, 1, 2},
} do
  local info
  debug.sethook(function()
    local i = debug.getinfo(2, "fnSu")
    if i.func == call[1] then info = i end
  end, "r")
  pcall(table.unpack(call))
  debug.sethook()
  print(info and info.what, info and info.nparams)
end
-- What a return hook throws is not caught by the call that returns.
local function thrown(f, ...)
  local call = f
  debug.sethook(function()
    if debug.getinfo(2, "f").func == call then
      debug.sethook()
      error("thrown", 0)
    end
  end, "r")
  return f(...)
end
print(pcall(thrown, pcall, type, 1))
print(pcall(thrown, pcall, error, 1))
print(pcall(thrown, xpcall, type, print, 1))
print(pcall(thrown, xpcall, error, tostring, 1))
print(pcall(thrown, select, 1))
print(pcall(thrown, coroutine.wrap(function() return 1 end)))
print(pcall(thrown, coroutine.resume, coroutine.create(function() return 1 end)))
print(pcall(thrown, coroutine.resume, coroutine.create(error)))
print(debug.gethook())
-- The variables that a hook sees.
local function seen(f)
  debug.sethook(function(e, line)
    local list = {}
    for k = 1, 20 do
      local n = debug.getlocal(2, k)
      if not n then break end
      if n:sub(1, 1) ~= "(" then list[#list + 1] = n end
    end
    print(e, table.concat(list, " "))
  end, "lr")
  f()
  debug.sethook()
end
seen(function()
  local a = 1
  local function b()
    return a
  end
  local function c()
    return c, b
  end
  do
    local d = 2
  end
end)
seen(function(x, ...)
  local f
  local function g()
    f = g
    local h = x
  end
  g()
  if f then
    local i
  end
end)
seen(function()
  local a <const> = 1
  local b <const> = not 1
  local c <const> = {}
  repeat
    local d = 1
  until d
end)
-- Metamethods of strings are called.
debug.sethook(function(e)
  local i = debug.getinfo(2, "nS")
  print(e, i.name, i.namewhat, i.what)
end, "cr")
local x, y = "10" - 1, -"3"
x = x + 2 .. ""
y = 2 ^ "2" // "3"
debug.sethook()
print(x, y)
