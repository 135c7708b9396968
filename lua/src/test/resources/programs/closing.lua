local function res(name) return setmetatable({}, {__close = function(_, e) print("close " .. name, e) end}) end
do local a <close> = res("a"); local b <close> = res("b"); print("body") end
local function f() local x <close> = res("x"); return 1, 2, 3 end
print(f())
print(pcall(function() local x <close> = res("err"); error("boom", 0) end))
print(pcall(function() local x <close> = setmetatable({}, {__close = function() error("second", 0) end}); error("first", 0) end))
for i = 1, 3 do local c <close> = res("loop" .. i); if i == 2 then break end end
for i = 1, 2 do local c <close> = res("goto" .. i); goto next; ::next:: end
local function g() local x <close> = res("tail"); return f() end
print(g())
for k in (function() local i = 0; return function() i = i + 1; if i < 4 then return i end end end)(), nil, nil, res("for") do print(k); if k == 2 then break end end
print(pcall(function() for k in next, {1}, nil, res("forerr") do error("in loop", 0) end end))
local function h() for k in next, {1}, nil, res("forret") do return "ret" end end
print(h())
do local n <close> = nil; local fl <close> = false end
print(pcall(function() local z <close> = 42 end))
print(pcall(function() local z <close> = {} end))
local co = coroutine.wrap(function() local x <close> = setmetatable({}, {__close = function() coroutine.yield("closing") end}); return "result" end)
print(co()) print(co())
local function va(...) local x <close> = res("va"); return ... end
print(va(1, nil, 3, nil))
print(pcall(function()
  local a <close> = res("outer")
  local b <close> = setmetatable({}, {__close = function(_, e) print("b", e); error("from b", 0) end})
  local c <close> = res("inner")
  error("start", 0)
end))
local x <const> = 5
print(x)
repeat local r <close> = res("repeat") until true
while true do local w <close> = res("while"); break end

-- what closes is no function, or one of the library that fails
local function try(f, how)
  local mt = {__close = function() end}
  print(pcall(function()
    local y <close> = setmetatable({}, {__close = function(_, e) print("outer closes", e) end})
    local x <close> = setmetatable({}, mt)
    mt.__close = f
    how()
  end))
end
local function fails() error("first", 0) end
local function returns() end
for _, how in ipairs {fails, returns} do
  try(nil, how)
  try(42, how)
  try(error, how)
  try(function(_, e) error("second after " .. tostring(e), 0) end, how)
  try(function(_, e) local t = nil; return t.x end, how)
  try(setmetatable({}, {__call = function(_, _, e) print("called", e) end}), how)
  try(string.rep, how)
  try(coroutine.yield, how)
end
print(xpcall(function()
  local x <close> = setmetatable({}, {__close = error})
  error("one", 0)
end, function(m) print("handler", type(m)) return m end))
local co = coroutine.wrap(function()
  local mt = {__close = function() end}
  local x <close> = setmetatable({}, mt)
  mt.__close = nil
  error("in coroutine", 0)
end)
print(pcall(co))
local co = coroutine.create(function()
  local mt = {__close = function() end}
  local x <close> = setmetatable({}, mt)
  mt.__close = string.rep
  coroutine.yield(1)
end)
print(coroutine.resume(co))
print(coroutine.close(co))

-- what a function sees that closes a variable after an error: the call that catches it
local function closer(f) return setmetatable({}, {__close = f}) end
local function name(level) return (debug.getinfo(level + 1, "n") or {}).name end
print(pcall(function()
  local a <close> = closer(function(_, e) print(e, name(2), (debug.traceback("a"):gsub("('pcall')\n.*", "%1"))) error("level 2", 2) end)
  local b <close> = closer(function(_, e) print(e, name(2), name(1), pcall(debug.getlocal, 50, 1)) error("b", 0) end)
  local function deep(n) if n > 0 then return 1 + deep(n - 1) end local c <close> = closer(function(_, e) print(e, name(2)) end) error("c", 0) end
  return deep(5)
end))
print(pcall(function()
  local a <close> = closer(function(_, e)
    print(pcall(function() local b <close> = closer(function(_, e) print(e, name(2), name(3), name(4)) end) error("inner", 0) end))
    print(e, name(2))
  end)
  error("outer", 0)
end))
print(pcall(string.gsub, "x", ".", function() local a <close> = closer(function(_, e) print(e, name(2), name(3) ~= "gsub") end) error("replace", 0) end))
local wrapped = coroutine.wrap(function() local a <close> = closer(function(_, e) print(e, debug.getinfo(2), coroutine.isyieldable()) coroutine.yield(1) end) error("wrapped", 0) end)
print(pcall(wrapped)) print(pcall(wrapped))
wrapped = coroutine.wrap(function() return pcall(function() local a <close> = closer(function(_, e) print(e, name(2)) coroutine.yield(1) end) error("caught", 0) end) end)
print(wrapped()) print(wrapped())
local co = coroutine.create(function() local a <close> = closer(function() print(name(2), debug.getinfo(3)) end) coroutine.yield() end)
coroutine.resume(co) print(coroutine.close(co))
