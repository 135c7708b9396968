-- The basic functions and require, where programs rarely look.
local function show(...) print((tostring(select('#', ...)) .. " " .. table.concat(table.pack(...), " ", 1, 0)):sub(1, 1), ...) end

-- load with a reader: errors become messages; pcall keeps the handler of the program lua away
local plain = load
local function load(...) return select(2, pcall(plain, ...)) end
local function pieces(list) local i = 0 return function() i = i + 1 return list[i] end end
show(load(function() return 1 < 2 end))
show(load(function() error("no text", 0) end))
show(load(function() error() end))
local reads = 0
show(load(function() reads = reads + 1 if reads < 3 then return "local a" .. reads .. " " end error("late", 0) end))
print(load(pieces{"return ", 12, " + ", "30"})())
print(xpcall(plain, function() return "handled" end, function() error("in the reader", 0) end))
show(load(coroutine.yield)) -- outside of a coroutine
print(coroutine.wrap(function() return load(coroutine.yield) end)())

-- tonumber: signs, spaces, bases
for _, s in ipairs{"+zZ", " +10 ", "-1 0", "+ 1", "+-1", "1+", "", "+", "\v-7\f", "7\0"} do
  show(tonumber(s, 36), tonumber(s, 8), tonumber(s))
end

-- collectgarbage: modes and answers
print(collectgarbage("incremental"), collectgarbage("generational"), collectgarbage("generational"))
print(collectgarbage("incremental", 150, 400), collectgarbage("setpause", 3000), collectgarbage("setpause", 100))
print(collectgarbage("setstepmul", 7), collectgarbage("setstepmul", 100))
print(collectgarbage("stop"), collectgarbage("isrunning"), collectgarbage("step", 2000), collectgarbage("isrunning"))
print(collectgarbage("restart"), collectgarbage("isrunning"), pcall(collectgarbage, "again"))
print(pcall(collectgarbage, "step", {}))
local inFinalizer
setmetatable({}, {__gc = function() inFinalizer = {collectgarbage() == nil, collectgarbage("count") == nil, collectgarbage("isrunning") == nil} end})
collectgarbage() collectgarbage()
print(inFinalizer and inFinalizer[1] and inFinalizer[2] and inFinalizer[3])

-- the same functions each time
local a, b = ipairs({}), ipairs({1})
print(a == b, pairs({}) == next, rawequal(next, (pairs(_G))))

-- assert adds the position of its caller, but to texts only
print(pcall(function() assert(false, "with text") end))
print(pcall(function() assert(nil) end))
print(pcall(function() assert(false, 7) end))
print(pcall(assert, false, "no position"))
print(select("#", assert(1, 2, nil)), pcall(assert))

-- arithmetic of strings is what their metatable says
local strings = getmetatable("")
local add, unm = strings.__add, strings.__unm
strings.__add = function(x, y) return "[" .. tostring(x) .. "+" .. tostring(y) .. "]" end
print("1" + 2, 3 + "4", "a" + "b", 1 + 2)
strings.__add = nil
print(pcall(function() return "1" + 2 end))
print(pcall(function() local two = "2" return 1 + two end))
strings.__add = add
print("1" + 2, "0x10" + 1, "1e1" + 0)
strings.__unm = function() return "minus" end
print(-"3", -3)
strings.__unm = unm
print(-"3", pcall(function() return -"x" end))

-- yields in __pairs and dofile
local object = setmetatable({}, {__pairs = function(self) local from = coroutine.yield("pairs", self ~= nil)
  return function(_, i) if i < 3 then return i + 1, "v" end end, self, from end})
local co = coroutine.wrap(function() local seen = {} for i, v in pairs(object) do seen[#seen + 1] = i .. v end return table.concat(seen, " ") end)
print(co()) print(co(1))
co = coroutine.wrap(function() return pcall(pairs, object) end)
print(co()) print(select("#", co(5)))
print(pcall(pairs, setmetatable({}, {__pairs = function() error("in pairs", 0) end})))
print(select("#", pairs(setmetatable({}, {__pairs = function() end}))))
local name = os.tmpname()
local file = assert(io.open(name, "w"))
file:write("local got = coroutine.yield('file') if got then error(got, 0) end return 1, nil, nil") file:close()
co = coroutine.wrap(function() return select("#", dofile(name)) end)
print(co()) print(co())
co = coroutine.wrap(function() return pcall(dofile, name) end)
print(co()) print(co("failed"))
os.remove(name)

-- nested calls of functions that wait
local depth = 0
local function nest(n) depth = n return pcall(nest, n + 1) end
nest(1)
print(depth)
local function loop() assert(pcall(loop)) end
print(xpcall(loop, loop))
print(select(2, coroutine.resume(coroutine.create(function() nest(1) return depth end))))

-- names of chunks
for _, n in ipairs{44, 45, 46, 59, 60, 61} do
  print(#select(2, load("x", ("="):rep(1) .. ("n"):rep(n))), #select(2, load("x", "@" .. ("n"):rep(n))), #select(2, load("x=" .. ("+"):rep(n - 2))))
end

-- require asks its searchers
package.path = "?.none;none/?.lua" package.cpath = "?.missing"
print(pcall(require, "some.module"))
package.preload.here = function(...) return table.concat({...}, "/") end
print(require("here")) print(require("here"), package.loaded.here)
table.insert(package.searchers, 2, function(n) if n == "odd" then return function(...) print(...) end, {} end return "\n\tnothing odd" end)
print(select("#", require("odd")), package.loaded.odd)
print(pcall(require, "other"))
package.searchers = nil
print(pcall(require, "another"))
package.searchers = {} print(pcall(require, "more"))
print(package.loadlib("./none.so", "open") == nil, type(package.config), #package.searchers)

-- closures that share variables
local fs = {}
for i = 1, 2 do local x, y = i, 0 fs[i] = {function() return x end, function() return y, x end} end
local id = debug.upvalueid
print(id(fs[1][1], 1) == id(fs[1][2], 2), id(fs[1][1], 1) == id(fs[2][1], 1), id(fs[1][1], 1) == id(fs[1][2], 1))
debug.setupvalue(fs[1][1], 1, "set") print(select(2, fs[1][2]()))

-- keys from which next cannot go on
for _, k in ipairs{0, 3, -1, "x", 1.5} do print(k, pcall(next, {10, 20}, k)) end
print(pcall(next, {x = 1}, "y")) print(pcall(next, {}, {})) print(pcall(next, {[0] = 1}, 0)) print(pcall(next, {}, 1))
do
  local t = {1, 2, 3, nil, 5}
  for k in next, t do t[k] = nil print(k, next(t)) end
  for k = 0, 6 do print(k, pcall(next, t, k)) end
end
