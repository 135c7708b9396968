-- Coroutines in a ring pass a number on.
local n = tonumber(arg and arg[1]) or 2000
local ring, size = {}, 50
for i = 1, size do
  ring[i] = coroutine.create(function(v)
    while true do v = coroutine.yield(v + i % 3) end
  end)
end
local value = 0
for k = 1, n do
  local _, v = coroutine.resume(ring[k % size + 1], value)
  value = v % 1000003
end
local function numbers(from, to)
  return coroutine.wrap(function() for i = from, to do coroutine.yield(i) end end)
end
local sum = 0
for i in numbers(1, n) do sum = sum + i end
print(value, sum)
