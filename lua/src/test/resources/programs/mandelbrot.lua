-- Floats in locals: a set of points, counted.
local n = tonumber(arg and arg[1]) or 40
local inside, steps = 0, 0
for row = 0, n - 1 do
  local ci = 2.0 * row / n - 1.0
  for column = 0, n - 1 do
    local cr = 2.0 * column / n - 1.5
    local zr, zi, r2, i2 = 0.0, 0.0, 0.0, 0.0
    local k = 0
    while k < 50 and r2 + i2 <= 4.0 do
      zi = 2.0 * zr * zi + ci
      zr = r2 - i2 + cr
      r2, i2 = zr * zr, zi * zi
      k = k + 1
    end
    steps = steps + k
    if k == 50 then inside = inside + 1 end
  end
end
print(inside, steps)
