-- Arguments of values with __call move up a register, whatever else the registers are for: a
-- collection comes before the called frame is there.
local function vararg(self, ...)
  return self, ...
end
local function fixed(self, x, y)
  return self, x, y
end
local C = setmetatable({}, {__call = vararg})
local D = setmetatable({}, {__call = fixed})
local CC = setmetatable({}, {__call = C})
local E = setmetatable({}, {__call = coroutine.wrap(function(...)
  local t = table.pack(...)
  while true do
    t = table.pack(coroutine.yield(table.unpack(t, 1, t.n)))
  end
end)})
local function many(x, c)
  if not x then
    local a, b, d, e = 1, 2, 3, 4
    return a + b + d + e
  end
  return c(x)
end
local function open(c, ...)
  if not c then
    local a, b, d, e = 1, 2, 3, 4
    return a + b + d + e
  end
  return c(...)
end
local function plain(x, c)
  local self, v, w = c(x)
  local a, b, d = 1, 2, 3
  return self, v, w, a + b + d
end
local function loop(c, x)
  local all = {}
  for self, v, w in c, x, "control" do
    all[1], all[2], all[3] = self, v, w
    local a, b, d = 1, 2, 3
    if a + b + d == 6 then break end
  end
  return all
end
for name, c in pairs {C = C, D = D, CC = CC, E = E} do
  for i = 1, 200 do
    local s = "x" .. i
    local all = {many(s, c)}
    assert(all[2] == s or all[3] == s, name)
    all = {open(c, s .. 1, s .. 2)}
    assert(all[2] == s .. 1 and all[3] == s .. 2 or all[3] == s .. 1 and all[4] == s .. 2, name)
    all = {plain(s, c)}
    assert(all[2] == s or all[3] == s, name)
    all = loop(c, s .. 3)
    assert(all[2] == s .. 3 or all[3] == s .. 3, name)
  end
end

-- others that call such a value
local function last(...)
  return (select(-1, ...))
end
local ways = {
  function(c, s) return last(pcall(c, s)) end,
  function(c, s) return last(xpcall(c, print, s)) end,
  function(c, s)
    local co = coroutine.wrap(function(...)
      local a, b, d = 1, 2, 3
      return c(...)
    end)
    return last(co(s))
  end,
  function(c, s)
    local t = setmetatable({}, {__index = function(_, k)
      local a, b, d
      return last(c(k))
    end})
    return t[s]
  end,
  function(c, s)
    local seen
    local d = setmetatable({}, {__call = function(_, ...) seen = last(...) end})
    local t = setmetatable({}, {__concat = d, __close = d})
    local _ = t .. s
    local first = seen
    do local x <close> = t end
    return first
  end,
  function(c, s)
    local function deep(n, ...)
      if n == 0 then
        local a, b, d, e
        return c(...)
      end
      return deep(n - 1, ...)
    end
    return last(deep(5, s, s))
  end,
}
for i = 1, 60 do
  for n, way in ipairs(ways) do
    local s = "y" .. i .. n
    assert(way(C, s) == s, n)
  end
end
print "kept"
