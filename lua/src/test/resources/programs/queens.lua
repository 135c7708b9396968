-- Arrays of booleans and a search that backtracks.
local n = tonumber(arg and arg[1]) or 6
local columns, up, down = {}, {}, {}
local solutions = 0
local function place(row)
  if row > n then
    solutions = solutions + 1
    return
  end
  for c = 1, n do
    local u, d = row + c, row - c + n
    if not columns[c] and not up[u] and not down[d] then
      columns[c], up[u], down[d] = true, true, true
      place(row + 1)
      columns[c], up[u], down[d] = false, false, false
    end
  end
end
place(1)
print(solutions)
