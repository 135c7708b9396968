-- the debug library: stacks, variables, upvalues, hooks
local function show(...)
  local t = table.pack(...)
  for i = 1, t.n do
    t[i] = type(t[i]) == 'string' and t[i] or tostring(t[i]):gsub('0x%x+', 'ADDRESS')
  end
  print(table.concat(t, ' ', 1, t.n))
end

local function fields(t)
  local names = {}
  for k, v in pairs(t) do
    if k ~= 'activelines' and k ~= 'ftransfer' and k ~= 'ntransfer' then names[#names + 1] = k end
  end
  table.sort(names)
  for i, k in ipairs(names) do
    names[i] = k .. '=' .. tostring(t[k]):gsub('0x%x+', 'ADDRESS'):gsub('builtin: ', '')
  end
  print(table.concat(names, ' '))
end

-- getinfo
local function f(a, b, ...)
  local x = 1
  fields(debug.getinfo(1))
  return (fields(debug.getinfo(1, 'Sl')))
end
f(1, 2)
fields(debug.getinfo(f, 'SuL'))
fields(debug.getinfo(print, 'Slu'))
fields(debug.getinfo(1, 'Sl'))
fields(debug.getinfo(f, ''))
show(debug.getinfo(f, 'f').func == f, debug.getinfo(50), debug.getinfo(-1))
show(pcall(debug.getinfo, f, '>S'))
show(pcall(debug.getinfo, f, 'X'))
show(pcall(debug.getinfo))
show(pcall(debug.getinfo, 'x'))
local t = {}
function t.field() fields(debug.getinfo(1, 'n')) end
function t:method() fields(debug.getinfo(1, 'n')) end
t.field() t:method()
function global() fields(debug.getinfo(1, 'n')) end
global()
local function tail() return (fields(debug.getinfo(1, 'nt'))) end
local function caller() return tail() end
caller()
setmetatable(t, {__index = function() fields(debug.getinfo(1, 'n')) end,
  __add = function() fields(debug.getinfo(1, 'n')) end})
local _ = t.x, t + 1
for _ in function() fields(debug.getinfo(1, 'n')) end do end
pcall(function() fields(debug.getinfo(1, 'n')) end)
local lines = {}
for l in pairs(debug.getinfo(function()
  local a = 1

  return a
end, 'L').activelines) do lines[#lines + 1] = l end
table.sort(lines)
show(table.unpack(lines))

-- variables
local function variables(a, b, ...)
  local x, y = 10, 'y'
  do local hidden = 1 end
  for i = 1, 1 do
    local z = {}
    local n = 1
    while true do
      local name, value = debug.getlocal(1, n)
      if not name or name == 'n' then break end
      show(n, name, value)
      n = n + 1
    end
  end
  show(debug.getlocal(1, -1)) show(debug.getlocal(1, -2)) show(debug.getlocal(1, -3))
  show(debug.setlocal(1, -1, 'changed'), ...)
  show(debug.setlocal(1, 1, 'new a'), a)
  show(debug.setlocal(1, 3, 'new x'), x, y)
  show(debug.setlocal(1, 77, 'new x'))
end
variables('A', 'B', 'extra', 'more')
show(debug.getlocal(variables, 1), debug.getlocal(variables, 2), debug.getlocal(variables, 3))
show(debug.getlocal(print, 1))
show(pcall(debug.getlocal, 50, 1))
show(pcall(debug.getlocal, -1, 1))
show(pcall(debug.setlocal, 50, 1, 1))
do
  local shared = 1
  local function inner() shared = shared + 1 return shared end
  local function outer()
    local mine, other = 5, 6
    local function set() return debug.setlocal(2, 1, 50), debug.getlocal(2, 1) end
    show(set()) show(mine, other)
    local function change() mine = mine + 1 end
    change()
    show(mine, debug.setlocal(1, 1, 70), mine) change() show(mine)
    pcall(function() debug.setlocal(3, 2, 'lost') error() end)
    show(other)
    return mine
  end
  show(outer(), inner())
end

-- upvalues
do
  local a, b = 1, 2
  local function one() a = a + 1 return a end
  local function two() return a, b end
  show(debug.getupvalue(one, 1)) show(debug.getupvalue(two, 1)) show(debug.getupvalue(two, 2))
  show(debug.getupvalue(one, 2)) show(debug.getupvalue(one, 0))
  show(debug.setupvalue(one, 1, 10), one(), two()) show(debug.setupvalue(one, 5, 10))
  show(debug.upvalueid(one, 1) == debug.upvalueid(two, 1),
    debug.upvalueid(two, 1) == debug.upvalueid(two, 2), type(debug.upvalueid(one, 1)),
    debug.upvalueid(two, 2) == debug.upvalueid(two, 2), debug.upvalueid(one, 3))
  local c = 100
  local function three() c = c + 1 return c end
  debug.upvaluejoin(one, 1, three, 1)
  show(one(), three(), one(), two())
  show(pcall(debug.upvaluejoin, one, 4, three, 1)) show(pcall(debug.upvaluejoin, one, 1, three, 4))
  show(pcall(debug.upvaluejoin, one, 1, print, 1))
  show(pcall(debug.getupvalue, 1, 1)) show(pcall(debug.setupvalue, one, 1))
  local env = {x = 'of the environment'}
  local chunk = load('return x')
  show(debug.getupvalue(chunk, 1) , debug.setupvalue(chunk, 1, env), chunk())
end

-- user values
show(debug.getuservalue(1)) show(debug.getuservalue(io.stdout, 1)) show(debug.setuservalue(io.stdout, 1, 5))
show(pcall(debug.setuservalue, 1, 1))

-- coroutines
do
  local co = coroutine.create(function(x)
    local y = x * 2
    local z = coroutine.yield(y)
    local w <const> = z
    error('of the coroutine')
  end)
  show(debug.getinfo(co, 0), debug.traceback(co)) show(debug.traceback(co, 'message', 0))
  coroutine.resume(co, 21)
  fields(debug.getinfo(co, 0, 'Sl')) fields(debug.getinfo(co, 1, 'Slnt')) show(debug.getinfo(co, 2))
  show(debug.traceback(co)) show(debug.traceback(co, 'with a message')) show(debug.traceback(co, nil, 1))
  show(debug.getlocal(co, 1, 1)) show(debug.getlocal(co, 1, 2)) show(debug.getlocal(co, 1, 3))
  show(debug.setlocal(co, 1, 1, 'x is new')) show(debug.getlocal(co, 1, 1))
  show(coroutine.resume(co, 'z'))
  show(coroutine.status(co), debug.traceback(co, 'dead'))
  show(debug.getlocal(co, 1, 3))
  show(coroutine.close(co), debug.traceback(co))
  local set = coroutine.wrap(function(a) coroutine.yield(coroutine.running()) return a end)
  local inside = set('old')
  show(debug.setlocal(inside, 1, 1, 'new'), set())
end

-- hooks
local function events(mask, count, f)
  local seen = {}
  debug.sethook(function(event, line)
    local info = debug.getinfo(2, 'nSl')
    local what = info.what == 'C' and 'C' or info.linedefined
    seen[#seen + 1] = event .. ':' .. tostring(line) .. ':' .. what
    if event == 'line' then assert(line == info.currentline) end
  end, mask, count)
  f()
  debug.sethook()
  print(table.concat(seen, ' '))
end
local function work(n)
  local s = 0
  for i = 1, n do
    s = s + i
    if i == 2 then
      s = math.max(s, 2)
    end
  end
  while s > 3 do
    s = s - 3
  end
  repeat s = s + 1 until s > 4
  return s
end
events('l', 0, function() work(3) end)
events('c', 0, function() work(3) end)
events('r', 0, function() work(3) end)
events('cr', 0, function() pcall(work, 1) pcall(error, 'x') select('#', string.byte('abc', 1, -1)) end)
events('crl', 0, function()
  local function tail() return math.abs(-1) end
  local function through() return tail() end
  through()
  local t = setmetatable({}, {__index = function(_, k) return k end})
  local _ = t.x
  do local c <close> = setmetatable({}, {__close = function() return 1 end}) end
end)
events('l', 0, function()
  local co = coroutine.wrap(function() coroutine.yield(1)
    return 2
  end)
  co() co()
end)
do
  local counted = 0
  debug.sethook(function(e) assert(e == 'count') counted = counted + 1 end, '', 10)
  show(type(debug.gethook()), select(2, debug.gethook()))
  for i = 1, 1000 do local _ = i * 2 end
  debug.sethook()
  show(counted > 100, debug.gethook())
  show(pcall(function()
    debug.sethook(function() debug.sethook() error('stopped') end, 'l')
    local x = 1
  end))
  debug.sethook()
  local co = coroutine.create(function() local a = 1
    local b = 2
    coroutine.yield()
    return a + b
  end)
  local seen = {}
  debug.sethook(co, function(_, line) seen[#seen + 1] = line - 0 end, 'l')
  show(select(2, debug.gethook(co)), debug.gethook())
  coroutine.resume(co) coroutine.resume(co)
  show(#seen, seen[2] - seen[1], seen[4] - seen[1])
  local names = {}
  local function named() end
  debug.sethook(function() local i = debug.getinfo(2, 'n') names[#names + 1] = tostring(i.name)
    local j = debug.getinfo(1, 'n') names[#names + 1] = j.namewhat .. j.name end, 'c')
  named()
  debug.sethook()
  show(table.concat(names, ' '))
  debug.sethook(function() end, 'l', 7) show(select(2, debug.gethook())) debug.sethook(nil)
  debug.sethook(function(_, l) local n, v = debug.getlocal(2, 1) if n == 'watched' and v == 2 then
    debug.setlocal(2, 1, 20) end end, 'l')
  do (function(watched)
    watched = watched + 1
    watched = watched + 1
    debug.sethook()
    show(watched)
  end)(1) end
end
show(debug.setcstacklimit(300), type(debug.getregistry()), debug.getregistry()._LOADED == package.loaded)

-- light userdata
do
  local x
  local id = debug.upvalueid(function() return x end, 1)
  print(pcall(debug.setuservalue, id, 1)) print(pcall(debug.setuservalue, id)) print(pcall(debug.getuservalue, id))
  print(pcall(string.rep, id)) print(pcall(io.close, id)) print(io.type(id), pcall(io.lines, id))
  print(pcall(function() return #id end)) print(pcall(setmetatable, id, {})) print(debug.setmetatable(id, nil) == id)
end

-- arguments of the running library function
do
  local co = coroutine.running()
  for n = -1, 4 do print(n, debug.getlocal(0, n)) end
  print(select('#', debug.getlocal(0, 3)), debug.getlocal(0, 3, 'more'))
  print(select(2, debug.getlocal(co, 0, 1)) == co, debug.getlocal(co, 0, 2), debug.getlocal(co, 0, 3))
  print(debug.setlocal(0, 1, 'x'), debug.setlocal(0, 3, 'x'), debug.setlocal(0, 4, 'x'))
  print(pcall(debug.getlocal, 0, 1), pcall(debug.getlocal, 0, 5))
end

-- What the call of a function with varargs leaves in the caller: the function, and its arguments.
do
  local function show(level)
    for k = 1, 20 do
      local name, value = debug.getlocal(level + 1, k)
      if not name then break end
      print(k, name, math.type(value) and value or type(value))
    end
  end
  local function v(a, b, ...)
    print "caller"
    show(2)
    print "own"
    local x = (function() return show(2) end)()
    return ...
  end
  local function fixed(a) local r = show(2) return r end
  local function caller(...)
    v()
    v(1)
    v(1, "2", {}, 4)
    local a = v(v(1, 2, 3, 4))
    fixed(1)
    for _ in v, 1, 2 do break end
    local b = v(...)
    return b
  end
  local function main() caller(1, 2, 3) caller() end
  main()
  local co = coroutine.create(function(a)
    local function g(b, ...) coroutine.yield() end
    g(1, 2, {})
  end)
  coroutine.resume(co)
  for level = 1, 2 do
    for k = 1, 6 do print(level, k, (debug.getlocal(co, level, k))) end
  end
end
