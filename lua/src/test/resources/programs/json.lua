-- A JSON encoder and decoder.
local n = tonumber(arg and arg[1]) or 3
local escapes = {['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t"}
local function encode(v, out)
  local t = type(v)
  if t == "table" then
    if #v > 0 or next(v) == nil then
      out[#out + 1] = "["
      for i, e in ipairs(v) do
        if i > 1 then out[#out + 1] = "," end
        encode(e, out)
      end
      out[#out + 1] = "]"
    else
      local keys = {}
      for k in pairs(v) do keys[#keys + 1] = k end
      table.sort(keys)
      out[#out + 1] = "{"
      for i, k in ipairs(keys) do
        if i > 1 then out[#out + 1] = "," end
        encode(k, out)
        out[#out + 1] = ":"
        encode(v[k], out)
      end
      out[#out + 1] = "}"
    end
  elseif t == "string" then
    out[#out + 1] = '"' .. v:gsub('[%c"\\]', escapes) .. '"'
  else
    out[#out + 1] = tostring(v)
  end
end
local decode
local function blanks(s, i) return s:find("%S", i) or #s + 1 end
local function text(s, i)
  local parts = {}
  while true do
    local j = s:find('["\\]', i)
    parts[#parts + 1] = s:sub(i, j - 1)
    if s:byte(j) == 34 then return table.concat(parts), j + 1 end
    local c = s:sub(j + 1, j + 1)
    parts[#parts + 1] = c == "n" and "\n" or c == "t" and "\t" or c
    i = j + 2
  end
end
function decode(s, i)
  i = blanks(s, i)
  local c = s:sub(i, i)
  if c == "{" then
    local t = {}
    i = blanks(s, i + 1)
    if s:sub(i, i) == "}" then return t, i + 1 end
    while true do
      local k, v
      k, i = text(s, blanks(s, i) + 1)
      i = blanks(s, i) + 1
      v, i = decode(s, i)
      t[k] = v
      i = blanks(s, i)
      if s:sub(i, i) == "}" then return t, i + 1 end
      i = i + 1
    end
  elseif c == "[" then
    local t = {}
    i = blanks(s, i + 1)
    if s:sub(i, i) == "]" then return t, i + 1 end
    while true do
      t[#t + 1], i = decode(s, i)
      i = blanks(s, i)
      if s:sub(i, i) == "]" then return t, i + 1 end
      i = i + 1
    end
  elseif c == '"' then
    return text(s, i + 1)
  end
  local word = s:match("^[%w.+-]+", i)
  i = i + #word
  if word == "true" then return true, i end
  if word == "false" then return false, i end
  if word == "null" then return nil, i end
  return tonumber(word), i
end
local people = {}
for i = 1, 40 do
  people[i] = {
    name = 'Person "' .. i .. '"', age = i * 3 % 90, weight = i + 0.5,
    tags = {"a\n" .. i, "b\\c"}, friends = {}, active = i % 2 == 0,
  }
end
local out = {}
encode(people, out)
local s = table.concat(out)
for _ = 1, n do
  local back = decode(s, 1)
  out = {}
  encode(back, out)
  assert(table.concat(out) == s)
end
print(#s, s:sub(1, 60))
