-- Conway's game of life with tables of tables.
local generations = tonumber(arg and arg[1]) or 10
local w, h = 40, 30
local cells, x = {}, 42
for i = 1, h do
  cells[i] = {}
  for j = 1, w do
    x = (x * 69069 + 12345) % 0x80000000
    cells[i][j] = math.floor(x / 256) % 3 == 0 and 1 or 0
  end
end
for _ = 1, generations do
  local after = {}
  for i = 1, h do
    local above, row, below = cells[(i - 2) % h + 1], cells[i], cells[i % h + 1]
    local new = {}
    for j = 1, w do
      local l, r = (j - 2) % w + 1, j % w + 1
      local near = above[l] + above[j] + above[r] + row[l] + row[r] + below[l] + below[j] + below[r]
      new[j] = (near == 3 or (near == 2 and row[j] == 1)) and 1 or 0
    end
    after[i] = new
  end
  cells = after
end
local alive = 0
for i = 1, h do
  for j = 1, w do alive = alive + cells[i][j] end
end
print(alive, table.concat(cells[1]))
