-- Small arrays that are permuted and reversed.
local n = tonumber(arg and arg[1]) or 6
local p, q, s = {}, {}, {}
for i = 1, n do p[i], q[i], s[i] = i, i, i end
local sign, most, sum = 1, 0, 0
while true do
  local first = p[1]
  if first ~= 1 then
    for i = 2, n do q[i] = p[i] end
    local flips = 1
    while true do
      local head = q[first]
      if head == 1 then
        sum = sum + sign * flips
        if flips > most then most = flips end
        break
      end
      q[first] = first
      if first >= 4 then
        local i, j = 2, first - 1
        repeat
          q[i], q[j] = q[j], q[i]
          i, j = i + 1, j - 1
        until i >= j
      end
      first = head
      flips = flips + 1
    end
  end
  if sign == 1 then
    p[1], p[2] = p[2], p[1]
    sign = -1
  else
    p[2], p[3] = p[3], p[2]
    sign = 1
    for i = 3, n do
      local left = s[i]
      if left ~= 1 then
        s[i] = left - 1
        break
      end
      if i == n then
        print(sum, most)
        return
      end
      s[i] = i
      local t = p[1]
      for j = 1, i do p[j] = p[j + 1] end
      p[i + 1] = t
    end
  end
end
