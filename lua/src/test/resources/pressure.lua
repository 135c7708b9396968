-- Small things, each with so little memory left that it fails at another place each time.
local mt = {__close = function(_, e) local t = {e, {}} return t end}
local contexts = {
  function() local x <close> = setmetatable({}, mt) local y <close> = setmetatable({}, mt) error({}) end,
  function() local x <close> = setmetatable({}, {__close = string.rep}) error("e") end,
  function() local x <close> = setmetatable({}, {__close = function() error({{}}) end}) return {} .. "x" end,
  function() return xpcall(function() local t = nil; return t.x end, function(m) return {m, debug.traceback(m)} end) end,
  function() local co = coroutine.wrap(function(...) local x <close> = setmetatable({}, mt); coroutine.yield({...}); error({}) end); co(1, 2, 3); co() end,
  function() local co = coroutine.create(function() local x <close> = setmetatable({}, mt); coroutine.yield({}) end); coroutine.resume(co); return coroutine.close(co) end,
  function() local function f(n) local a, b, c = {}, {}, n; if n > 0 then return 1 + f(n - 1) end return {} end return f(30) end,
  function() local t = {} for i = 1, 20 do t[i] = {i * 7 % 20} end table.sort(t, function(a, b) local x = {} return a[1] < b[1] end) end,
  function() return (("hello world"):gsub("%w+", function(w) return {w} and w .. w end)) end,
  function() setmetatable({}, {__gc = function() local t = {{}, {}} end}) local t = {} for i = 1, 30 do t[i] = {} end end,
  function() local s = "abc" for i = 1, 12 do s = s .. s .. i end return #s end,
  function() return select("#", table.unpack({}, 1, 200)) end,
  function() return string.format("%s %q %d", {}, "x\n", 1 << 40) end,
  function() local t = setmetatable({}, {__index = function(t, k) return {k} end, __newindex = rawset, __concat = function(a, b) return {a, b} end}); t.x = t.y; return t .. t end,
  function() return load("local a = {1, 2, 3} return function(...) return a, ... end")() end,
  function() for k, v in pairs({a = {}, b = {}}) do local f = function() return k, v end f() end end,
  function() local t = {} for i = 1, 10 do t[i] = function() t = {i} end end end,
  function() local a = {} for i = 1, 50 do a[i + 0.5] = i; a["k" .. i] = i end end,
  function() goto a; ::a:: return pcall(pcall, error, {}) end,
  function() return coroutine.wrap(function() return pcall(coroutine.wrap(function() local x <close> = setmetatable({}, mt); error({}) end)) end)() end,
  function() for a in coroutine.wrap(function() for i = 1, 5 do coroutine.yield({i}) end end) do local x <close> = setmetatable({}, mt) end end,
  function() return table.concat({1, 2, ("x"):rep(50)}, ", "):upper():reverse() end,
  function() return debug and debug.traceback(coroutine.create(print), "x") end,
  function() return string.dump and load(string.dump(function() return {} end))() end,
  function() return require and tostring(print) .. tostring({}) end,
  function() return utf8.char(228, 8364) .. table.concat({utf8.codepoint("äö", 1, -1)}, " ") end,
}
local function fill(hold)
  local i = 0
  while true do
    i = i + 1
    hold[i] = {}
  end
end
local function fillRest(hold)
  local h = hold
  while true do
    h = {h}
    hold[0] = h
  end
end
local ok, failed = 0, 0
for _, f in ipairs(contexts) do
  for free = 0, 24, 3 do
    local hold = {}
    pcall(fill, hold)
    pcall(fillRest, hold)
    for _ = 1, free do hold[#hold] = nil end
    if pcall(f) then ok = ok + 1 else failed = failed + 1 end
    hold = nil
  end
end
return ok, failed
