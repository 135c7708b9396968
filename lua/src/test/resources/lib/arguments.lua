-- Each function without arguments and with wrong ones, in the main program and in a coroutine.
local names = {}
local function add(prefix, t, skip)
  for k, v in pairs(t) do
    if type(v) == "function" and not (" " .. skip .. " "):find(" " .. k .. " ", 1, true) then
      names[#names + 1] = {prefix .. k, v}
    end
  end
end
add("", _G, "print warn collectgarbage dofile loadfile require")
add("string.", string, "")
add("table.", table, "")
add("utf8.", utf8, "")
add("math.", math, "random randomseed atan2")
add("coroutine.", coroutine, "running yield")
table.sort(names, function(a, b) return a[1] < b[1] end)

local function show(name, ok, ...)
  local line = {name, tostring(ok)}
  for i = 1, select("#", ...) do
    local v = select(i, ...)
    local kind = type(v)
    line[#line + 1] = (kind == "string" or kind == "number" or kind == "boolean" or v == nil) and tostring(v) or kind
  end
  print(table.concat(line, " "))
end

local values = {nil, false, 1, "x", {}, rawlen, -1.5, math.mininteger}
local function all()
  for _, f in ipairs(names) do
    show(f[1], pcall(f[2]))
    for i = 1, 8 do
      local _ = pcall(f[2], values[i])
      for j = 1, 8 do
        if f[1] ~= "string.rep" then
          local _ = pcall(f[2], values[i], values[j])
          local _ = pcall(f[2], values[i], values[j], values[i])
        end
      end
    end
  end
end
all()
local co = coroutine.wrap(all)
while pcall(co) do end

-- What a function keeps while a metamethod calls the same function again.
local o = setmetatable({}, {__tostring = function() return string.format("%5.1f", 1) end})
print(string.format("[%-20s][%s][%5s]", o, o, o))
local p = setmetatable({}, {__tostring = function() return (string.format("%d", 7)) end})
print(string.format("[%10s][%-10s][%.1s]", p, p, p))
local q = setmetatable({}, {__tostring = function() pcall(string.format, "%d", {}) return "abc" end})
print(string.format("[%10s] %s %5d", q, q, 12))
local depth = 0
local r
r = setmetatable({}, {__tostring = function()
  depth = depth + 1
  if depth < 20 then return string.format("<%3d %-4s %s>", depth, "x", r) end
  return "r"
end})
print(string.format("%30s|%-5d|", r, 3))
print((("abc"):gsub("%w", function(c) return (("xyz"):gsub("y", function() return c end)) end)))
print((("a b"):gsub("%w", setmetatable({}, {__index = function(_, k) return (k:gsub(".", "%0%0")) end}))))
local t = {3, 1, 2}
table.sort(t, function(a, b)
  local u = {b, a}
  table.sort(u, function(x, y) return x < y end)
  return a < b
end)
print(table.concat(t, " "))
for a in ("1 2"):gmatch("%d") do
  for b in ("x y"):gmatch("%a") do io.write(a, b, " ") end
end
print()
