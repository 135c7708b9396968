local classes = { '.', '%a', '%d', '%l', '%s', '%w', '%x', '%p', '%c', '%g', '%u', '%A', '%W', '%S',
  '%D', '%z', '%.', '%%', '%-', 'a', 'b', 'c', '1', ' ', 'é', '\0', '[abc]', '[^a]', '[a-c]', '[%a_]', '[%w-]',
  '[]]', '[^]]', '[a-]', '[-a]', '[%]]', '[^%s]', '[1-3b]', '[a%-z]', '[%a-z]', '[' , '%', '[a', '[^', '[%' }
local suffixes = { '', '', '', '*', '+', '-', '?' }
local function item(depth)
  local k = r(24)
  if k < 2 and depth < 3 then
    local s = '('
    for _ = 1, r(4) do s = s .. item(depth + 1) end
    return s .. (r(20) == 0 and '' or ')')
  elseif k == 2 then return '()'
  elseif k == 3 then return '%b' .. pick{ 'ab', '()', 'aa', 'a', '' , '  '}
  elseif k == 4 then return '%f' .. pick{ '[a]', '[%w]', '[^a]', '[%s]', 'a', '', '[\0]' }
  elseif k == 5 then return '%' .. r(10)
  elseif k == 6 and r(4) == 0 then return pick{ ')', '(', '$', '^', '*', '-', ']' }
  end
  return classes[r(r(6) == 0 and #classes or 39) + 1] .. pick(suffixes)
end
local function pattern()
  local s = r(5) == 0 and '^' or ''
  for _ = 1, 1 + r(4) do s = s .. item(0) end
  return s .. (r(6) == 0 and '$' or '')
end
local letters = { 'a', 'b', 'c', 'A', '1', '2', ' ', '(', ')', '-', '.', '\n', '\0', 'é', '_', ']' }
local function subject(n)
  local s = {}
  local used = r(3) == 0 and 16 or 3
  for i = 1, r(n) do s[i] = letters[r(used) + 1] end
  return table.concat(s)
end
local replacements = { 'x', '%0', '%1', '<%1>', '%2%1', '%%', '', '%0%0', '%', '%a', 'x%9' }
for i = 1, cases do
  local s = subject(r(50) == 0 and 3000 or 14)
  local p = pattern()
  local what = i .. ' ' .. show(p) .. ' ' .. (#s < 100 and show(s) or '#' .. #s)
  local k = r(9)
  local init = r(3) == 0 and r(20) - 8 or nil
  if k < 2 then report('find ' .. what, pcall(function() return s:find(p, init) end))
  elseif k < 4 then report('match ' .. what, pcall(function() return s:match(p, init) end))
  elseif k == 4 then
    report('gmatch ' .. what, pcall(function()
      local all = {}
      for a, b in s:gmatch(p, init) do all[#all + 1] = a; all[#all + 1] = b end
      return all
    end))
  elseif k == 5 then report('plain ' .. what, pcall(function() return s:find(s:sub(r(5), r(9)), init, true) end))
  else
    local by
    if k == 6 then by = function(a, b) return r(3) == 0 and a or r(3) == 0 and b end
    elseif k == 7 then by = { a = 'A', b = 1, [1] = 'one', ab = false, c = 2.5, [''] = '!' }
    else by = pick(replacements) end
    report('gsub ' .. what .. (k > 7 and show(by) or ''), pcall(function() return s:gsub(p, by, r(4) == 0 and r(4) or nil) end))
  end
end
