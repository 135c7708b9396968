-- Floats in arrays: a matrix that is never stored, times a vector.
local n = tonumber(arg and arg[1]) or 30
local function a(i, j)
  local ij = i + j - 1
  return 1.0 / (ij * (ij - 1) * 0.5 + i)
end
local function times(x, y)
  for i = 1, n do
    local s = 0.0
    for j = 1, n do s = s + x[j] * a(i, j) end
    y[i] = s
  end
end
local function transposed(x, y)
  for i = 1, n do
    local s = 0.0
    for j = 1, n do s = s + x[j] * a(j, i) end
    y[i] = s
  end
end
local u, v, w = {}, {}, {}
for i = 1, n do u[i] = 1.0 end
for _ = 1, 10 do
  times(u, w) transposed(w, v)
  times(v, w) transposed(w, u)
end
local uv, vv = 0.0, 0.0
for i = 1, n do
  uv = uv + u[i] * v[i]
  vv = vv + v[i] * v[i]
end
print(string.format("%.9f", math.sqrt(uv / vv)))
