-- Message handlers that fail, and handlers of overflows.
local function deep(x) return 1 + deep(x) end
local function count(n) if type(n) ~= "number" then return n elseif n == 0 then return "end" else error(n - 1) end end
for _, n in ipairs{0, 9, 12, 190, 195, 196, 197, 300} do print(n, xpcall(error, count, n)) end
print(xpcall(error, error)) print(xpcall(error, error, 1)) print(xpcall(error, function(m) error(m) end, {}))
print(xpcall(deep, function(m) print(m:match("stack overflow"), pcall(deep)) return 15 end))
print(xpcall(deep, deep))
print(xpcall(error, function() return select(2, pcall(deep)):match("stack overflow") end))
print(xpcall(error, function() pcall(deep) return select(2, pcall(deep)):match("stack overflow") end))
print(coroutine.wrap(function() return xpcall(deep, deep) end)())
local calls = 0
local function replace() calls = calls + 1 string.gsub("a", ".", replace) end
print(xpcall(replace, function(m) calls = 0 print(pcall(replace)) return m:match("stack overflow") end), calls)
print(xpcall(error, pcall, error)) print(xpcall(error, string.rep, "x")) print(xpcall(nil, function(m) return m .. "!" end))
