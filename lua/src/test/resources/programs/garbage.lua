local n = 0
for i = 1, 100 do setmetatable({}, {__gc = function() n = n + 1 end}) end
collectgarbage() collectgarbage()
print(n)
local order = {}
local function make(i) setmetatable({}, {__gc = function() order[#order + 1] = i end}) end
make(1)
collectgarbage() collectgarbage()
print(#order)
local w = setmetatable({}, {__mode = "k"})
local function entry() local k = {}; w[k] = {}; w[{}] = 1; w["s"] = {} end
entry()
local kept = {}
w[kept] = "kept"
collectgarbage() collectgarbage()
local c = 0 for _ in pairs(w) do c = c + 1 end
print(c, w[kept])
local v = setmetatable({}, {__mode = "v"})
local function fill() v[1] = 1; v[2] = {}; v[3] = "s"; v.x = {}; v.y = kept; v[4] = function() end end
fill()
collectgarbage() collectgarbage()
print(v[1], v[2], v[3], v.x, v.y == kept)
local saved
local function res() setmetatable({name = "res"}, {__gc = function(o) saved = o end}) end
res()
collectgarbage() collectgarbage()
print(saved and saved.name)
local ok = pcall(function() local t = {} for i = 1, 1e5 do t = {t} end end)
print(ok)
print(collectgarbage("count") > 0, collectgarbage("isrunning"))
keep = setmetatable({}, {__gc = function() print("called at the end") end})
-- tables: growth, deletion while walking, next
local t = {}
for i = 1, 1000 do t[i] = i; t["k" .. i] = i end
local seen = 0
for k, val in pairs(t) do t[k] = nil; seen = seen + 1 end
print(seen, next(t), #t)
for i = 1, 10 do t[i] = i end
for i = 10, 6, -1 do t[i] = nil end
print(#t)
t = {n = 1, [1] = "a", [2.0] = "b", [3] = "c", [-1] = "neg", [2^53] = "big", [1.5] = "half", [true] = "bool"}
print(#t, t[2], t[-1], t[2^53], t[1.5], t[true], t[1.0])
t = {10, 20, 30, nil}
print(#t, select("#", table.unpack(t)))
t = {f = function(self, x) return x end, [1] = 2; 3, 4}
print(t[1], t[2], t:f(9))
local big = {}
for i = 1, 100000 do big[i] = i end
local sum = 0
for i, x in ipairs(big) do sum = sum + x end
print(sum, #big)
for i = 100000, 2, -1 do big[i] = nil end
print(#big)
big[-5] = 1; big[0] = 2; big[1 << 40] = 3; big[math.mininteger] = 4
print(big[-5], big[0], big[1 << 40], big[math.mininteger], #big)
-- arguments move: a callee drops the last reference
local weak = setmetatable({}, {__mode = "v"})
local function dropped(x) weak[1] = x; x = nil; collectgarbage(); return weak[1] == nil end
print(dropped({}), pcall(dropped, {}))
print(select(2, xpcall(dropped, print, {})))
