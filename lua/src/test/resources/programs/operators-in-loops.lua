-- Metamethods and library functions that loops call: what they return, throw, pass on and see.
local function where()
  local i = debug.getinfo(2, "Sl")
  return i.short_src:match("[%w-]+%.lua") .. ":" .. i.currentline
end
local kinds = {
  returns = function(a, b) return b end,
  varies = function(a, b) if b == 7 then return nil end return b, a end,
  tail = function(a, b) return select("#", a, b) end,
  fails = function(a, b) if b == 5 then error("five", 2) end return b end,
  yields = function(a, b) return coroutine.yield(b) end,
  yield = coroutine.yield,
  wrapped = coroutine.wrap(function(a, b) while true do a, b = coroutine.yield(b) end end),
  protected = function(a, b) return select("#", pcall(error, b)) end,
  looks = function(a, b)
    local i = debug.getinfo(1, "nSlt")
    return i.namewhat .. " " .. tostring(i.name) .. " " .. i.what .. " " .. tostring(i.istailcall)
  end,
  sees = function(a, b) return (debug.getlocal(2, 1)) end,
  library = type,
  pcall = pcall,
}
kinds.callable = setmetatable({}, {__call = function(self, a, b) return b end})
local events = {
  "__index", "__newindex", "__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm", "__idiv",
  "__band", "__bor", "__bxor", "__shl", "__shr", "__bnot", "__concat", "__len", "__eq", "__lt",
  "__le", "__call",
}
local function each(o, p, n)
  local out = {}
  for i = 1, n do
    local r = {
      o[i], o + i, i - o, o * i, o / i, o % i, o ^ i, -o, o // i, o & i, i | o, o ~ i, o << i, o >> i,
      ~o, o .. i, "a" .. i .. o, #o, o == p, o ~= p, o < i, i < o, o <= i, o > i, i >= o, o(i)
    }
    o[i] = i
    if o < p then r[#r + 1] = "less" end
    if not (o <= p) then r[#r + 1] = "more" end
    while o == p and i > 3 do r[#r + 1] = "equal" break end
    for k = 1, 30 do out[#out + 1] = tostring(r[k]):gsub("0x%x+", "") end
  end
  return table.concat(out, " ")
end
for _, kind in ipairs {
  "returns", "varies", "tail", "fails", "protected", "looks", "sees", "library", "callable"
} do
  local m = {}
  for _, e in ipairs(events) do m[e] = kinds[kind] end
  local o, p = setmetatable({}, m), setmetatable({}, m)
  print(kind, pcall(each, o, p, 8))
end
for _, kind in ipairs {"yields", "yield", "wrapped", "pcall"} do
  local m = {}
  for _, e in ipairs(events) do m[e] = kinds[kind] end
  local o, p = setmetatable({}, m), setmetatable({}, m)
  local co = coroutine.create(each)
  local answers = {1, "x", 2.5, false, true, 40}
  local seen, ok, v = {}, coroutine.resume(co, o, p, 3)
  for i = 1, 200 do
    seen[#seen + 1] = type(v) == "table" and "table" or tostring(v):gsub("0x%x+", "")
    if coroutine.status(co) == "dead" then break end
    ok, v = coroutine.resume(co, answers[i % 6 + 1])
  end
  print(kind, ok, table.concat(seen, " "))
end

-- A metamethod that calls the function again, which is in the midst of the same instruction.
local deep = setmetatable({}, {})
local function sum(o, n) local s = 0 for i = 1, n do s = s + o[i] end return s end
getmetatable(deep).__index = function(t, k) return k < 2 and k or sum(t, k - 1) end
print(sum(deep, 9))
local function count(n)
  local t = setmetatable({n = n}, {})
  getmetatable(t).__lt = function(a, b) return a.n > 0 and count(a.n - 1) < b + 1000 end
  local c = 0
  for i = 1, 3 do if t < i then c = c + 1 end end
  return c
end
print(count(4))

-- Where errors are, in loops of hot functions.
local bad = setmetatable({}, {__add = function(a, b) return b.x.y end, __lt = function() error({}) end})
local function adds(n) local s for i = 1, n do s = bad + i end return s end
local function less(n) for i = 1, n do if bad < i then return i end end end
print(pcall(adds, 3))
print(type(select(2, pcall(less, 3))))
local places = setmetatable({}, {__index = function() return where() end})
for i = 1, 3 do io.write(places[i], " ") end
print()

-- Strings and large numbers in comparisons, and the loops that they decide.
local words, wide = {"b", "a", "abc", "", "ab", "b\0", "a\255"}, {1 << 40, -1 << 40, 2^40, 3, 0.5}
local function order(list)
  local out = {}
  for i = 1, #list do
    for j = 1, #list do
      local a, b = list[i], list[j]
      local n = 0
      if a < b then n = n + 1 end
      if a <= b then n = n + 2 end
      if a > b then n = n + 4 end
      if not (a >= b) then n = n + 8 end
      if a == b then n = n + 16 end
      if a ~= b then n = n + 32 end
      while a < b do n = n + 64 a, b = b, a end
      out[#out + 1] = n
    end
  end
  return table.concat(out, " ")
end
print(order(words))
print(order(wide))
print(pcall(order, {1, "1"}))
print(pcall(order, {{}, {}}))
local function past(x, n)
  local c = 0
  for i = 1, n do
    if x > 4294967296 then c = c + 1 end
    if x < 4294967296.5 then c = c + 10 end
    if x >= 2 then c = c + 100 end
    if x <= 100 then c = c + 1000 end
    if x == 4294967297 then c = c + 10000 end
  end
  return c
end
print(past(4294967296, 3), past(4294967297, 3), past(50, 3), past(50.5, 3), past(2^53, 3))
print(pcall(past, "x", 1), pcall(past, setmetatable({}, {__lt = function() return true end,
  __le = function(a, b) return b == 100 end}), 2))
local function mixes(n)
  local h = 0
  for i = 1, n do
    h = h * 31 + i
    if h > 1 << 45 then h = h >> 7 end
    h = h ~ (i << 33)
    h = h - (h // 3) % 1000
  end
  return h
end
print(mixes(10), mixes(5000), mixes(100))
local function back(n) local x, y = 1 << 40, 0 for i = 1, n do x = x - (1 << 28) y = y + 1 end return x, y end
print(back(5000))

-- ipairs, in all its ways.
local function walk(t, f)
  local out = {}
  for i, v in ipairs(t) do out[#out + 1] = i .. "=" .. tostring(v) if f then f(t, i) end end
  for i in ipairs(t) do out[#out + 1] = i end
  for i, v, w in ipairs(t) do out[#out + 1] = tostring(w) end
  return table.concat(out, " ")
end
print(walk {1, 2, 3, nil, 5}, walk {}, walk {[2] = 1}, walk {false, true})
print(walk(setmetatable({1, 2}, {__index = function(_, k) if k < 5 then return k * 2 end end})))
print(walk(setmetatable({}, {__index = {7, 8, 9}})))
print(walk({1, 2, 3}, function(t, i) t[i + 1] = i < 6 and i or nil end))
print(pcall(walk, nil), pcall(walk, 5), pcall(walk, setmetatable({}, {__index = function() error("x", 0) end})))
local step, state = ipairs {4, 5}
for i, v in step, state, 0 do io.write(i, " ", v, " ") end
for i, v in step, {1, 2, 3}, 1 do io.write(i, " ", v, " ") end
for i, v in step, {[1 << 31] = 1, [(1 << 31) - 1] = 2}, (1 << 31) - 2 do io.write(i, " ", v, " ") end
print(pcall(function() for i, v in step, {}, "x" do end end))
local co = coroutine.wrap(function()
  for i, v in ipairs(setmetatable({}, {__index = function(_, k) return coroutine.yield(k) end})) do
    io.write(i, ":", v, " ")
  end
  return "end"
end)
print(pcall(co))
print(#{}, #{1}, #{1, 2, 3}, #{n = 1}, #setmetatable({1, 2}, {}), #setmetatable({}, {__len = function() return 7 end}))
