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
