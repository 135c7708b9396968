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
