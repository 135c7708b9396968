local options = { 'b', 'B', 'h', 'H', 'l', 'L', 'j', 'J', 'T', 'i', 'I', 'f', 'd', 'n', 's', 'z', 'x', 'X', ' ', '<', '>', '=', '!', 'c' }
local function option()
  local o = options[r(r(8) == 0 and 24 or 20) + 1]
  if o == 'i' or o == 'I' or o == 's' or o == '!' or o == 'c' then
    if r(3) > 0 or o == 'c' and r(9) > 0 then o = o .. (r(20) == 0 and r(100) or 1 + r(16)) end
  elseif o == 'X' then o = o .. pick{ 'i4', 'd', 'h', 'b', 'i8', 'c1', '', 'i3', 'z' }
  end
  if r(100) == 0 then o = pick{ 'y', 'c', 'i0', 'i17' } end
  return o
end
local function format()
  local s = {}
  for i = 1, 1 + r(6) do s[i] = option() end
  return table.concat(s)
end
local function value(text)
  local k = text and 5 or r(7)
  if k == 0 then return r(300) - 100
  elseif k == 1 then return state
  elseif k == 2 then return state >> r(64)
  elseif k == 3 then return r(1000) / 8
  elseif k == 4 then return pick{ 1e300, -1/0, 0.1, 2^31, 2^63, '12', '1.5', 'x', true }
  elseif k == 5 then return ('ab\0c'):rep(r(r(40) == 0 and 200 or 3)):sub(r(4))
  end
  return r(2)
end
for i = 1, cases do
  local f = format()
  local v = {}
  for k = 1, 8 do v[k] = value(r(2) == 0) end
  -- Most values fit the option: try until they do, now and then.
  local ok, s
  for _ = 1, 4 do
    ok, s = pcall(string.pack, f, table.unpack(v))
    if ok then break end
    for k = 1, 8 do if r(2) == 0 then v[k] = value(r(2) == 0) end end
  end
  if ok and #s > 1000 then s = '#' .. #s end
  report(i .. ' ' .. show(f) .. ' ' .. show(v), ok, s)
  report('size', pcall(string.packsize, f))
  if ok and s:byte() ~= 35 then
    report('unpack', pcall(string.unpack, f, s))
    report('cut', pcall(string.unpack, f, s:sub(1, r(#s + 1)), r(4) == 0 and r(8) - 3 or nil))
  end
  local bytes = {}
  for k = 1, r(20) do bytes[k] = string.char(r(3) == 0 and 255 or r(256)) end
  report('any', pcall(string.unpack, f, table.concat(bytes)))
end
