-- Allocation: trees that are built, counted and dropped.
local depth = tonumber(arg and arg[1]) or 8
local function make(d)
  if d == 0 then return {} end
  return {make(d - 1), make(d - 1)}
end
local function count(t)
  if not t[1] then return 1 end
  return 1 + count(t[1]) + count(t[2])
end
local long = make(depth)
local sum = 0
for d = 2, depth, 2 do
  for _ = 1, 2 ^ (depth - d + 2) do
    sum = sum + count(make(d))
  end
end
print(sum, count(long))
