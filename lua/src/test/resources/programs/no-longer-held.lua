-- What the machine has looked at, and what no variable has any more, is garbage.
local collect, write = collectgarbage, io.write

local gone = {}
local function made(name)
  return setmetatable({}, {__gc = function() gone[#gone + 1] = name end})
end

-- Runs a function, which drops elements; shows which of them are gone.
local function try(name, f)
  f()
  for _ = 1, 6 do collect() end
  table.sort(gone)
  print(name, table.concat(gone, " "))
  gone = {}
end

-- The functions and values that the debug library found.
try("getinfo", function()
  local o = made "o"
  local function f() return debug.getinfo(1, "S"), o end
  f()
end)
try("getinfo fails", function()
  local o = made "o"
  local function f() pcall(debug.getinfo, 2, "?") return o end
  f()
end)
try("getlocal", function()
  local o = made "o"
  debug.getlocal(1, 1)
end)
try("getlocal, none", function()
  local o = made "o"
  local function f() return debug.getlocal(1, 9), o end
  f()
end)
try("getlocal, vararg", function()
  local function f(...) debug.getlocal(1, -2) end
  f(1, made "o")
end)
try("getlocal, argument", function()
  pcall(debug.getlocal, 0, 3, made "o")
end)
try("setlocal", function()
  local o = 1
  debug.setlocal(1, 1, made "o")
end)
try("setlocal, none", function()
  debug.setlocal(1, 9, made "o")
end)
try("setlocal, vararg", function()
  local function f(...) debug.setlocal(1, -2, made "new") end
  f(1, made "old")
end)
try("another coroutine", function()
  local co = coroutine.create(function(a) local b = made "b" coroutine.yield() return a, b end)
  coroutine.resume(co, made "a")
  print(debug.getlocal(co, 1, 1) == "a", debug.getlocal(co, 1, 2) == "b")
  debug.getinfo(co, 0, "f")
  debug.getinfo(co, 1, "f")
end)
try("traceback", function()
  local o = made "o"
  local function f() return debug.traceback(), o end
  f()
end)

-- Hooks of each kind that look at the function, and remove themselves in its midst.
for _, mask in ipairs{"c", "r", "l", "lcr", ""} do
  local shown = {}
  for most = 0, 12 do
    local w = setmetatable({}, {__mode = "k"})
    local function run()
      local o = made("o" .. most)
      local n = 0
      debug.sethook(function(event)
        n = n + 1
        local i = debug.getinfo(2, "nSlr")
        debug.getlocal(2, event == "return" and i.ftransfer or 1)
        if n > most then debug.sethook() end
      end, mask, mask == "" and 1 or 0)
      ;(function(a) w[a] = o a = nil return o end)({})
      local function tail(a) return select(1, a) end
      tail(o)
      debug.sethook()
    end
    run()
    for _ = 1, 6 do collect() end
    shown[#shown + 1] = #gone .. (next(w) and "+" or "")
    gone = {}
  end
  print("hook", mask, table.concat(shown, " "))
end
try("a hook in a coroutine", function()
  local co = coroutine.create(function(a)
    debug.sethook(function() debug.getlocal(2, 1) debug.getinfo(2, "f") end, "l")
    a = made "a"
    coroutine.yield()
  end)
  coroutine.resume(co)
end)
try("a hook sets another", function()
  local o, p = made "o", made "p"
  debug.sethook(function()
    local one = o
    debug.sethook(function() debug.getinfo(2, "f") local two = p debug.sethook() end, "l")
  end, "l")
  local x = 1
  x = 2
  x = 3
  debug.sethook()
end)
try("a hook fails", function()
  pcall(function()
    local o = made "o"
    debug.sethook(function() debug.sethook() debug.getlocal(2, 1) error(made "e") end, "l")
    o = o
    o = o
  end)
end)

-- A variable that has a box, though no closure was made.
local no = not collect
do
  local a = made "boxed"
  if no then no = function() a = a return a end end
end
for _ = 1, 6 do collect() end
write("boxed ", #gone, "\n")
gone = {}
try("boxed", function()
  do
    local a = made "boxed"
    if no then no = function() a = a return a end end
  end
  for _ = 1, 6 do collect() end
  write("boxed ", #gone, "\n")
end)

-- Values of errors.
try("caught", function()
  pcall(error, made "e")
  xpcall(error, function() return made "handler's" end, made "e2")
  pcall(string.gsub, "x", "x", function() error(made "e3") end)
  load(function() error(made "e4") end)
end)
try("closed", function()
  local function closing(name)
    return setmetatable({}, {__close = function() error(made(name)) end})
  end
  local co = coroutine.create(function() local x <close> = closing "c1" error(made "e1") end)
  coroutine.resume(co)
  coroutine.close(co)
  co = coroutine.wrap(function() local x <close> = closing "c2" error(made "e2") end)
  pcall(co)
  co = coroutine.create(function() local x <close> = closing "c3" coroutine.yield() end)
  coroutine.resume(co)
  coroutine.close(co)
end)
