-- Closures: counters, composed functions, a fold.
local n = tonumber(arg and arg[1]) or 2000
local function counter(step)
  local value = 0
  return function()
    value = value + step
    return value
  end
end
local function compose(f, g)
  return function(v) return f(g(v)) end
end
local sum = 0
for i = 1, n do
  local c = counter(i % 7)
  c() c()
  local f = compose(function(v) return v + i end, function(v) return v * 2 end)
  sum = sum + c() + f(i)
end
local function fold(list, f, start)
  local value = start
  for i = 1, #list do value = f(value, list[i]) end
  return value
end
local list = {}
for i = 1, n do list[i] = i end
print(sum, fold(list, function(a, b) return a + b end, 0), fold(list, math.max, 0))
