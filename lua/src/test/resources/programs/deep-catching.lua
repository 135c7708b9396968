-- Calls that catch that they themselves are too deep, in the main program and in a coroutine.
local function shape(name, call)
  local n, log = 0, {}
  local function note(...)
    local line = table.pack(...)
    for i = 1, line.n do line[i] = tostring(line[i]) end
    log[#log + 1] = table.concat(line, " ")
  end
  local t = setmetatable({}, {})
  getmetatable(t).__mul = function(a, b)
    n = n + 1
    if n > 400 then error("enough", 0) end
    local ok, m = call(function() return a * b end)
    note(n, ok, m == t and "t" or m)
    note(call(function() return n end))
    return t
  end
  note((call(function() return t * 1 end)))
  print(name, n, #log)
  for i = 1, #log do
    if i < 9 or i > #log - 4 then print(i, log[i]) end
  end
end
local function handling(f, ...)
  return xpcall(f, function(m) return "handled " .. tostring(m) end, ...)
end
shape("pcall", pcall)
shape("xpcall", handling)
coroutine.wrap(shape)("pcall in a coroutine", pcall)
coroutine.wrap(shape)("xpcall in a coroutine", handling)
