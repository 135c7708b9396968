-- Prints what functions answer, and errors without the place; addresses are left out.
local function shown(v)
  if math.type(v) == 'float' and v == v and v ~= 1/0 and v ~= -1/0 and v ~= v // 1 then v = ('%.10g'):format(v) end
  return (tostring(v):gsub('0x%x%x%x%x%x+', 'ADDRESS'))
end
local function t(f, ...)
  local r = table.pack(pcall(f, ...))
  for i = 2, r.n do r[i] = shown(r[i]) end
  if not r[1] then r[2] = r[2]:gsub('^[^:]*:%d+: ', '') end
  print(r[1] and 'ok' or 'error', table.concat(r, '\t', 2))
end
 local U=utf8
t(U.char,-1) t(U.char,1<<31) t(U.char) t(U.char,72,0x20ac,0x10ffff,0x7fffffff) t(U.len,'abc\xff') t(U.len,'abc',5) t(U.len,'abc',4) t(U.len,'abc',6) t(U.len,'abc',1,4) t(U.len,'abc',0) t(U.len,'\u{D7FF}\xed\xa0\x80') t(U.len,'\xed\xa0\x80',1,-1,true) t(U.codepoint,'abc',1,4) t(U.codepoint,'abc',0) t(U.codepoint,'abc',4) t(U.codepoint,'abc',1,-1) t(U.codepoint,'\xff') t(U.offset,'a\u{20ac}b',3) t(U.offset,'a\u{20ac}b',1,3) t(U.offset,'a\u{20ac}b',0,3) t(U.offset,'a\u{20ac}b',-1) t(U.offset,'abc',1,6) t(U.offset,'abc',5) t(U.offset,'abc',4) t(U.offset,'a') t(U.charpattern) print((U.charpattern:gsub('[^%w%-%[%]]',function(c) return '\\'..c:byte() end)))
t(function() for p,c in U.codes('a\u{20ac}\xff') do print(p,c) end end) t(function() for p,c in U.codes('\x80a') do print(p,c) end end) t(function() for p,c in U.codes('a\x80') do print(p,c) end end) t(U.codes) t(function() return U.codes('ab')('ab',-5) end) t(function() return U.codes('ab')('ab',5) end) t(function() return U.codes('ab')('ab',2) end) t(function() return U.codes('ab')('ab') end) t(function() return U.codes('ab')('ab','x') end) t(U.codepoint,'abc',1,1e12)t(U.codepoint,'abc',4,3) t(U.codepoint,'abc',-1)

print(utf8.len('héllo'), #utf8.char(0x20AC), utf8.codepoint('héllo',1,-1)) for p,c in utf8.codes('aé€') do io.write(p,':',c,' ') end print() print(utf8.offset('aé€x',4), utf8.offset('aé€x',-2))
