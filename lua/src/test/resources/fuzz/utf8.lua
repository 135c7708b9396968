local parts = { 'a', 'z', '\0', 'é', '€', '\u{10FFFF}', '\u{7FFFFFFF}', '\u{200000}', '\xed\xa0\x80', '\x80', '\xc0', '\xff', '\xe2\x82', '\xc1\x81', '\u{110000}' }
for i = 1, cases do
  local s = {}
  local clean = r(3) > 0
  for k = 1, r(8) do s[k] = parts[r(clean and 6 or #parts) + 1] end
  s = table.concat(s)
  local what = i .. ' ' .. show(s)
  local a = r(3) == 0 and r(12) - 5 or nil
  local b = r(3) == 0 and r(12) - 5 or nil
  local lax = r(2) == 0
  local k = r(5)
  if k == 0 then report('len ' .. what, pcall(utf8.len, s, a, b, lax))
  elseif k == 1 then report('codepoint ' .. what, pcall(utf8.codepoint, s, a, b, lax))
  elseif k == 2 then report('offset ' .. what, pcall(utf8.offset, s, r(9) - 4, a))
  elseif k == 3 and (utf8.len(s, 1, -1, lax) or not s:find('[\x80-\xbf]')) then
    -- Releases before 5.4.5 miss a continuation byte behind a character.
    report('codes ' .. what, pcall(function()
      local all = {}
      for p, c in utf8.codes(s, lax) do all[#all + 1] = p; all[#all + 1] = c end
      return all
    end))
  else
    report('char', pcall(utf8.char, r(1 << r(32)), r(1 << r(22)), r(3) == 0 and state or 65))
    report('gmatch ' .. what, pcall(function()
      local all = {}
      for c in s:gmatch(utf8.charpattern) do all[#all + 1] = c end
      return all
    end))
  end
end
