-- A tokenizer, byte by byte, of a small language.
local n = tonumber(arg and arg[1]) or 10
local source = [[
  function gcd(a, b) while b ~= 0 do a, b = b, a % b end return a end -- Euclid
  local x = 0x1F + 12.5e3; print("text with \" inside", gcd(48, 36))
]]
local keywords = {}
for w in ("function while do end return local"):gmatch("%a+") do keywords[w] = true end
local counts = {name = 0, keyword = 0, number = 0, string = 0, operator = 0, comment = 0}
local function scan(s)
  local i, size = 1, #s
  while i <= size do
    local c = s:byte(i)
    local start = i
    if c == 32 or c == 10 then
      i = i + 1
    elseif (c >= 97 and c <= 122) or (c >= 65 and c <= 90) or c == 95 then
      repeat
        i = i + 1
        c = s:byte(i)
      until not c or not ((c >= 97 and c <= 122) or (c >= 65 and c <= 90) or (c >= 48 and c <= 57))
      local word = s:sub(start, i - 1)
      local kind = keywords[word] and "keyword" or "name"
      counts[kind] = counts[kind] + 1
    elseif c >= 48 and c <= 57 then
      i = i + #s:match("^[%w.]+", i)
      counts.number = counts.number + 1
    elseif c == 34 then
      repeat
        i = i + 1
        c = s:byte(i)
        if c == 92 then i = i + 1 end
      until c == 34
      i = i + 1
      counts.string = counts.string + 1
    elseif c == 45 and s:byte(i + 1) == 45 then
      i = (s:find("\n", i, true) or size) + 1
      counts.comment = counts.comment + 1
    else
      i = i + 1
      counts.operator = counts.operator + 1
    end
  end
end
for _ = 1, n do scan(source) end
for _, k in ipairs {"name", "keyword", "number", "string", "operator", "comment"} do
  io.write(k, "=", counts[k], " ")
end
print()
