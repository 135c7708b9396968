-- Protected calls across yields, with its own coroutines where Lua has none.
local old = _VERSION
_VERSION = "Lua 5.1" -- where pcall can yield, the package is pcall itself
local co = require "coxpcall"
_VERSION = old
print(type(co.pcall), co.pcall == pcall, co.pcall(error, {}) == false)
local function work(n)
  local total = 0
  for i = 1, n do
    local ok, value = co.pcall(function(x)
      local got = coroutine.yield(x)
      if got % 3 == 0 then error("three " .. got, 0) end
      return got
    end, i)
    total = total + (ok and value or 100)
    print(i, ok, value)
  end
  return total
end
local thread = coroutine.create(work)
local ok, value = coroutine.resume(thread, 7)
while coroutine.status(thread) == "suspended" do
  ok, value = coroutine.resume(thread, value * 2 + 1)
end
print(ok, value)
print(co.xpcall(function() error "text" end, function(message) return "handled " .. message:gsub("^.-:%d+: ", "") end))
print(co.xpcall(function(...) return select("#", ...), ... end, print, 1, nil, 3))
local nested = coroutine.wrap(function()
  return co.pcall(function()
    coroutine.yield(co.pcall(function() coroutine.yield "deep" error "inner" end) == false)
    error({code = 7})
  end)
end)
print(nested())
print(nested())
local fine, result = nested()
print(fine, result.code, co.running() == nil or type(co.running()))
