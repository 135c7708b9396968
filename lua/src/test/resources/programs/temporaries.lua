-- Values that no statement can reach any more are garbage, also where a register held one.
local MOST = 400000 -- the turns after which a loop gives up
local unused = setmetatable({}, {__mode = "v"})

local function waits(what, gone)
  local n = 0
  while not gone() and n < MOST do local t = {n} local s = n .. " and more text" n = n + 1 end
  print(what, n < MOST)
end

local function weak(v) return setmetatable({v}, {__mode = "v"}) end

-- the arguments of a call, the condition of a loop
do
  local done = false
  setmetatable({}, {__gc = function() done = true end})
  local n = 0
  while not done and n < MOST do local a = {} n = n + 1 end
  print("arguments", n < MOST)
  local x = weak({})
  n = 0
  while x[1] and n < MOST do local s = n .. "abcdefgh" n = n + 1 end
  print("condition", n < MOST)
  x = weak({})
  n = 0
  repeat local s = "abcdefgh" .. n n = n + 1 until not x[1] or n >= MOST
  print("repeat", n < MOST)
  local key = setmetatable({}, {__mode = "k"})
  key[{}] = true
  n = 0
  while next(key) and n < MOST do local s = n .. n n = n + 1 end
  print("key", n < MOST)
end

-- a variable keeps its value to the end of its scope, and no longer
do
  local done = false
  do local u = setmetatable({}, {__gc = function() done = true end}) end
  waits("block", function() return done end)
  local kept = false
  local v = setmetatable({}, {__gc = function() kept = true end})
  collectgarbage() collectgarbage()
  print("in scope", kept)
  v = nil
  collectgarbage()
  print("assigned", kept)
end

-- operands of operators and of a table, results that nobody wants
do
  local x = weak({})
  local mt = {__add = function(a, b) return 1 end, __len = function() return 2 end, __concat = function() return "" end}
  for i = 1, 3 do
    local one = setmetatable({}, mt)
    x[i] = one
    local _ = one + 1, #one, one .. "x", {one, {one}}
    one = nil
  end
  waits("operands", function() return not (x[1] or x[2] or x[3]) end)
  local function three() local t = {} x[1] = t return t, t, t end
  three() local a = (three()) ~= nil
  a = select("#", three(), three())
  waits("results", function() return not x[1] end)
end

-- loops: what the last turn left; closed upvalues; finished and suspended coroutines
do
  local x = weak({})
  for i, v in ipairs{{}, {}} do x[i] = v end
  for k, v in pairs{a = {}} do x[3] = v end
  waits("loops", function() return not (x[1] or x[2] or x[3]) end)
  do local t = {} x[1] = t local f = function() t = t return t end f() end
  waits("upvalue", function() return not x[1] end)
  local co = coroutine.wrap(function(...) x[1] = ... x[2] = {} coroutine.yield() return 1 end)
  co({}) co()
  waits("coroutine", function() return not (x[1] or x[2]) end)
end

-- a call's arguments, during the call and in calls around
do
  local x = weak({})
  local function drops(t) x[1] = t t = nil local n = 0
    while x[1] and n < MOST do local s = n .. "abcdefgh" n = n + 1 end return n < MOST end
  print("during", drops({}))
  local function outer(...) return (drops({...})) end
  print("varargs", outer({}, {}))
  print("protected", pcall(function() return drops({}) end))
  print("sorted", pcall(table.sort, {1, 2}, function(a, b) x[1] = {} local t = {} t = nil collectgarbage() return x[1] == nil and a < b end), x[1])
end

-- what a loop left where a later loop has its variables
do
  local function chain(later)
    local t, x = setmetatable({}, {__mode = "k"}), nil
    for i = 1, 5 do local n = {} t[n] = {k = {x}} x = n end
    x = nil
    collectgarbage()
    return later(t)
  end
  local function generic()
    local t, x = setmetatable({}, {__mode = "k"}), nil
    for i = 1, 5 do local n = {} t[n] = {k = {x}} x = n end
    x = nil
    collectgarbage()
    local count = 0
    for k in next, t do count = count + 1 end
    return count
  end
  local function numeric()
    local t, x = setmetatable({}, {__mode = "k"}), nil
    do local a, b, c, d, e, f = {}, {}, {}, {}, {}, {} for _, v in ipairs{a, b, c, d, e, f} do t[v] = 1 end end
    collectgarbage()
    local count = next(t) and 1 or 0
    for i = 1, 3 do local x = i for j = 1, 2 do count = count + (next(t) and 1 or 0) end end
    return count
  end
  print(generic(), numeric(), chain(function(t) return next(t) end))
end

-- values that refer to their keys, and a list of them that only an old register holds
do
  local function own(value)
    local t = setmetatable({}, {__mode = "k"})
    for _, v in ipairs{{}, {}, {}} do t[v] = value(v) end
    collectgarbage()
    return next(t)
  end
  print(own(function(v) return v end), own(function(v) return {v} end))
end

-- what library functions pass on to the functions that they call
do
  local w
  local function isKept(value)
    w = setmetatable({}, {__mode = "k"})
    w[value] = 1
    value = nil
    collectgarbage()
    return next(w) ~= nil
  end
  print(isKept({}), pcall(isKept, {}))
  print(xpcall(isKept, print, {}))
  print(coroutine.wrap(isKept)({}), coroutine.resume(coroutine.create(isKept), {}))
  print(pcall(pcall, isKept, {}))
  print(coroutine.wrap(pcall)(isKept, {}))
  print(pcall(coroutine.wrap(isKept), {}))
  local again = coroutine.wrap(function() local x = coroutine.yield() return isKept(coroutine.yield()) end)
  again() again()
  print(again({}))
  local outer = coroutine.wrap(function(value) return coroutine.wrap(function() return isKept({}) end)(), value end)
  print(outer("value"))
end
