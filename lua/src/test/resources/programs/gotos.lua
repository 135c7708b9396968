-- gotos, labels and variables to close: what a goto leaves is closed once, and nothing else is
local function C(n)
  return setmetatable({}, {__close = function(_, e) print('close', n, e) end})
end
local plain = C 'a value that no variable to close holds'

local function skipped()
  do
    if true then local t = plain goto continue end
    local b <close> = C 'b'
    ::continue::
  end
  print 'skipped'
end
skipped()

local function loop(kind)
  local i = 0
  local function step() i = i + 1 return i end
  if kind == 'while' then
    while step() <= 4 do
      local a <close> = C(kind .. i)
      if i % 2 == 0 then local t, u = plain, plain goto continue end
      local b <close> = C('second ' .. i)
      if i == 3 then goto continue end
      print('body', i)
      ::continue:: ;;
    end
  elseif kind == 'for' then
    for j = 1, 4 do
      local t <const> = plain
      if j == 2 then local t = plain goto continue end
      local b <close> = C('for ' .. j)
      local function get() return b, j end
      if j == 3 then goto continue end
      print('body', j, get() == b)
      ::first:: ::continue::
    end
  elseif kind == 'in' then
    for k in (function(n) return function() n = n + 1 if n < 5 then return n end end end)(0) do
      if k == 2 then local t = plain goto continue end
      local b <close> = C('in ' .. k)
      if k == 3 then break end
      print('body', k)
      ::continue::
    end
  else
    repeat
      do
        if i == 1 then local t = plain goto continue end
        local b <close> = C('repeat ' .. i)
        ::continue::
      end
      print('body', i)
    until step() > 2
  end
end
for _, kind in ipairs {'while', 'for', 'in', 'repeat'} do loop(kind) end

local function back()
  local n, made = 0, {}
  ::top::
  local a <close> = C('top ' .. n)
  do
    n = n + 1
    local v = n
    made[n] = function() v = v + 10 return v end
    local b <close> = C('inner ' .. n)
    if n < 3 then goto top end
  end
  for _, f in ipairs(made) do print(f(), f()) end
  return 'back'
end
print(back())

local function nested()
  for i = 1, 3 do
    local o <close> = C('outer ' .. i)
    for j = 1, 3 do
      local p <close> = C('pair ' .. i .. j)
      if j == 2 then local t = plain goto next end
      if i == 3 then goto out end
    end
    local q <close> = C 'never'
    ::next::
  end
  ::out::
  do return print 'nested' end
end
nested()

print(pcall(function()
  do
    if true then local t = plain goto e end
    local b <close> = C 'b'
    ::e::
  end
  error('after', 0)
end))
print(coroutine.wrap(function()
  for i = 1, 2 do
    if i == 1 then local t = plain goto e end
    local b <close> = C 'in a coroutine'
    coroutine.yield()
    print 'on'
    ::e::
  end
  return 'end'
end)())

local function try(s)
  local f, m = load(s, '=s')
  print(f and 'fn' or m)
end
try 'goto a local x ::a:: x = 1'
try 'goto a local x ::a::'
try 'goto a local x ::a:: ::b:: ;'
try 'do goto a end local x, y do local z ::a:: end'
try 'do do goto a end end local x local y ::a:: print(x)'
try 'goto a'
try 'do goto b end goto a'
try 'while 1 do goto a end goto b ::b::'
try '::a:: ::a::'
try '::a:: do ::a:: end'
try 'do ::a:: end ::a::'
try 'do ::a:: end goto a'
try '::a:: local function f() goto a end'
try '::a:: local function f() ::a:: goto a end'
try 'repeat goto a local x ::a:: until x'
try 'repeat local x goto a ::a:: until x'
try 'break'
try 'for i = 1, 2 do local function f() break end end'
try 'goto a; do ::b:: end goto b'
