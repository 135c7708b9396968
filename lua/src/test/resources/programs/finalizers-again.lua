-- Finalizers that set themselves again, or make another element with one: the script goes on.
local counts = {again = 0, other = 0, chain = 0}

local again = {}
again.__gc = function(o) counts.again = counts.again + 1 setmetatable(o, again) end
setmetatable({}, again)

local function other()
  setmetatable({}, {__gc = function() counts.other = counts.other + 1 other() end})
end
other()

local chain = {}
chain.__gc = function(o)
  counts.chain = counts.chain + 1
  o.next = setmetatable({}, chain)
end
setmetatable({}, chain)

for _, name in ipairs{"again", "other", "chain"} do
  local n = 0
  repeat
    collectgarbage()
    n = n + 1
  until counts[name] >= 5 or n > 1000
  print(name, counts[name] >= 5)
end

-- In a coroutine, and from within a finalizer.
local done = coroutine.wrap(function()
  local before = counts.again
  while counts.again < before + 3 do collectgarbage() coroutine.yield(false) end
  return true
end)
while not done() do end
print("coroutine")

local late
setmetatable({}, {__gc = function()
  local s = 0
  for i = 1, 10000 do s = s + i end
  late = s
end})
repeat collectgarbage() until late
print(late)

-- A table with the finalizer stays a table that can be used.
local kept = setmetatable({}, {__gc = function(o) kept_again = o end})
kept = nil
repeat collectgarbage() until kept_again
print(type(kept_again))
again.__gc = nil
