-- Strings that are built and split.
local n = tonumber(arg and arg[1]) or 300
local parts, total = {}, 0
for i = 1, n do
  parts[#parts + 1] = "item" .. i .. "=" .. (i * 7919 % 1000)
end
local line = table.concat(parts, ";")
for _ = 1, 10 do
  for key, value in line:gmatch("([^=;]+)=([^;]*)") do
    total = total + #key + tonumber(value)
  end
end
local reversed = {}
local at = 1
while true do
  local from, to = line:find(";", at, true)
  if not from then break end
  table.insert(reversed, line:sub(at, from - 1):reverse():upper())
  at = to + 1
end
print(total, #reversed, reversed[#reversed])
local s = ""
for i = 1, n do s = s .. string.char(97 + i % 26) end
print(#s, s:sub(1, 30))
