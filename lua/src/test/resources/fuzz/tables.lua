local function list(n)
  local t = {}
  for i = 1, r(n) do t[i] = r(4) == 0 and r(10) or r(3) == 0 and r(100) / 4 or r(100) end
  return t
end
-- Where there are holes # may be any border, so a number of elements is shown.
local function elements(t, n)
  local s = {}
  for i = 1, n do s[i] = show(t[i]) end
  return table.concat(s, ' ')
end
local function logged(t)
  local log = {}
  local p = setmetatable({}, {
    __index = function(_, k) log[#log + 1] = 'r' .. tostring(k) return t[k] end,
    __newindex = function(_, k, v) log[#log + 1] = 'w' .. tostring(k) t[k] = v end,
    __len = function() log[#log + 1] = '#' return #t end })
  return p, log
end
for i = 1, cases do
  local t = list(r(20) == 0 and 300 or 12)
  local what = i .. ' ' .. show(t)
  local p, log = t, nil
  if r(4) == 0 then p, log = logged(t) end
  local k = r(8)
  local n = #t
  if k == 0 then report('insert ' .. what, pcall(table.insert, p, r(n + 4), 'x'))
  elseif k == 1 then report('remove ' .. what, pcall(table.remove, p, r(3) > 0 and r(n + 4) or nil))
  elseif k == 2 then
    report('move ' .. what, pcall(function() table.move(p, r(n + 3), r(n + 3), r(n + 3), r(3) == 0 and {} or nil) end))
  elseif k == 3 then report('concat ' .. what, pcall(table.concat, p, pick{ '', ',', '::' }, r(3), r(4) > 0 and n or r(n + 3)))
  elseif k == 4 then report('unpack ' .. what, pcall(table.unpack, p, r(4), r(4) > 0 and n or r(n + 6)))
  elseif k == 5 then report('sort ' .. what, pcall(table.sort, p))
  elseif k == 6 then
    local count = 0
    report('sort by ' .. what, pcall(table.sort, p, function(a, b) count = count + 1 return a > b end))
    report('compared', true, count)
  else
    local mode = r(4)
    report('bad order ' .. what, pcall(table.sort, p, function(a, b)
      if mode == 0 then return true elseif mode == 1 then return a <= b elseif mode == 2 then return a % 7 < b % 5 end
      return r(2) == 0
    end))
  end
  report('then', true, elements(t, n + 6))
  if log then report('log', true, log) end
end
