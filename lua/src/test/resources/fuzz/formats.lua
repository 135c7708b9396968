local conversions = 'aAcdeEfgGiopqsuxX%FlyI'
local numbers = { 0, -0.0, 1, -1, 0.5, 1.5, 2.5, 255, 256, 65, 1e15, 1e16, 1e100, -1e-5, 1/3, 2/3, 123456789,
  math.maxinteger, math.mininteger, 2^53, 2^63, -2^63, 1/0, -1/0, 5e-324, 1.7976931348623157e308, 0.1, 99.95, 1e-4, 0x7fffffff }
local strings = { '', 'a', 'hello', '10', '0x10', ' 5 ', '1e2', 'a\0b', 'x\ny', '"\\\r\t\127\200', ('x'):rep(120), '3.0', 'nan', '\0011' }
local function value()
  local k = r(10)
  if k < 3 then return pick(numbers)
  elseif k < 5 then return (r(2000001) - 1000000) / (1 << r(21))
  elseif k == 5 then return state
  elseif k < 8 then return pick(strings)
  elseif k == 8 then return pick{ true, false }
  end
  return nil
end
local function spec()
  local s = '%'
  for _ = 1, r(4) == 0 and 1 + r(3) or 0 do s = s .. ('-+ #0'):sub(1 + r(5)):sub(1, 1) end
  if r(3) == 0 then s = s .. (1 + r(r(10) == 0 and 200 or 30)) end
  if r(3) == 0 then s = s .. '.' .. (r(5) == 0 and '' or r(r(10) == 0 and 150 or 25)) end
  local c = r(#conversions - (r(8) == 0 and 0 or 6)) + 1
  c = conversions:sub(c, c)
  return s .. c
end
local function text()
  local s = ''
  for _ = 1, 1 + r(2) do s = s .. pick{ '', '', 'x', '%%', '\0', 'é' } .. spec() end
  return s
end
for i = 1, cases do
  local f = text()
  local v = { value(), value(), value() }
  if not f:find('%%[^%a]*p') and not (f:find('#') and f:find('[gG]')) then
    report(i .. ' ' .. show(f) .. ' ' .. show(v[1]), pcall(function() return f:format(table.unpack(v, 1, r(5) == 0 and 1 or 3)) end))
  end
  local k = r(6)
  if k == 0 then local x = value() report('tostring', pcall(tostring, x))
  elseif k == 1 then local x = value() report('tonumber ' .. show(x), pcall(tonumber, x))
  elseif k == 2 then
    local x, y = value(), value()
    report('arith ' .. show(x) .. ' ' .. show(y), pcall(function() return x + y end))
    report('concat', pcall(function() return x .. y end))
  end
end
