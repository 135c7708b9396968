-- depth reached by each shape
local depth
local function probe(name, f)
  depth = 0
  local ok, e = pcall(f)
  print(name, "main", depth, ok, tostring(e):sub(-16))
  depth = 0
  local ok, e = coroutine.wrap(function() return pcall(f) end)()
  print(name, "coroutine", depth, ok, tostring(e):sub(-16))
end
local function up() depth = depth + 1; if depth > 400 then error("enough", 0) end end
probe("pcall", function() local function r() up() local ok, e = pcall(r) if not ok then error(e, 0) end end r() end)
probe("newindex", function() local v = setmetatable({}, {__newindex = function(t) up() t.a = 1 end}) v.a = 1 end)
probe("close at error", function()
  local function r() up()
    local ok, e = pcall(function()
    local x <close> = setmetatable({}, {__close = function() r() end})
    error("x", 0) end) if e ~= "x" then error(e, 0) end end r() end)
probe("close at end", function()
  local function r() up()
    do local x <close> = setmetatable({}, {__close = function() r() end}) end end r() end)
probe("close at return", function()
  local function r() up()
    local x <close> = setmetatable({}, {__close = function() r() end}) return 1 end r() end)
probe("close, error, pcall", function()
  local function r() up()
    pcall(function()
    local x <close> = setmetatable({}, {__close = function() pcall(function() pcall(r) end) end})
    error("x", 0) end)  end r() end)
probe("all", function()
  local v = setmetatable({}, {})
  getmetatable(v).__newindex = function() up()
    pcall(function()
    local x <close> = setmetatable({}, {__close = function() pcall(function() pcall(function() v.a = 1 end) end) end})
    error("x", 0) end)  end v.a = 1 end)
probe("xpcall handler", function()
  local function r() up() xpcall(function() error("x") end, r) end r() end)
probe("resume", function()
  local function r() up() coroutine.wrap(r)() end r() end)
probe("error, pcall, resume", function()
  local function r() up() pcall(function() local x <close> = setmetatable({}, {__close = function() coroutine.wrap(r)() end}) error"x" end) end r() end)
probe("for close", function()
  local function r() up() pcall(function() for i in function() error"x" end, 1, 1, setmetatable({}, {__close = r}) do end end) end r() end)
probe("caught before", function()
  local function r() up()
    pcall(error)
    do local x <close> = setmetatable({}, {__close = function() r() end}) end end r() end)
probe("caught after", function()
  local t = setmetatable({}, {})
  getmetatable(t).__index = function(_, k) up()
    if k == 50 then pcall(error) end
    return t[k + 1] end
  return t[1] end)
probe("caught within", function()
  local t = setmetatable({}, {})
  getmetatable(t).__index = function(_, k) up()
    if k == 50 then error("x", 0) end
    if k % 10 == 0 then return (pcall(function() return t[k + 1] end)) end
    return t[k + 1] end
  local _ = t[1]
  getmetatable(t).__index = function(_, k) up() return t[k + 1] end
  return t[1] end)
probe("caught in sort", function()
  local function r() up()
    table.sort({1, 2}, function() pcall(error) r() end) end r() end)
probe("caught in gsub", function()
  local t = setmetatable({}, {})
  getmetatable(t).__index = function(_, k) up()
    if k == 50 then string.gsub("x", "x", function() pcall(error) end) end
    return t[k + 1] end
  return t[1] end)
