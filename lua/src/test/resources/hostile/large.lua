-- What hostile calls get: values as large as fit, by names of their own. The argument is the bytes of the longest string.
local size = ...
local makers, order = {}, {}
V = setmetatable({}, {__index = function(_, name) return makers[name]() end})
local function value(name, make) makers[name] = make order[#order + 1] = 'V.' .. name end
local n = size // 64
value('text', function() return ('x'):rep(size) end)
value('same', function() return ('x'):rep(size) end)
value('almost', function() return ('x'):rep(size - 1) .. 'y' end)
value('zeros', function() return ('0'):rep(size) end)
value('spaces', function() return (' '):rep(size) end)
value('bytes', function() return ('\0\xff\x80z'):rep(size // 4) end)
value('wide', function() return ('\u{7FFFFFFF}'):rep(size // 6) end)
value('two', function() return ('\u{e9}'):rep(size // 2) end)
value('lines', function() return ('\n'):rep(size // 4) end)
value('words', function() return ('ab '):rep(size // 12) end)
value('part', function() return ('x'):rep(size // 2) .. 'y' end)
value('formats', function() return ('%d%s%q'):rep(size // 64) end)
value('packs', function() return ('i1i8z'):rep(size // 64) end)
value('xs', function() return ('x'):rep(size // 4) .. 'x' end)
value('times', function() return ('%c'):rep(size // 64) end)
value('dots', function() return ('.-'):rep(90) .. 'y' end)
value('set', function() return '[' .. ('a-b'):rep(size // 16) .. ']' end)
value('not', function() return '[^' .. ('\1'):rep(size // 8) .. ']*y' end)
value('balance', function() return '%bxy' end)
value('capture', function() return '(.-)%1y' end)
value('stars', function() return 'x*x*x*x*y' end)
value('front', function() return '%f[y]' end)
value('chunk', function() return ('local x <close> = nil '):rep(150) .. ('x = x '):rep(size // 64) end)
value('nested', function() return ('('):rep(190) .. '1' .. (')'):rep(190) end)
local function filled(make)
  return function() local t = {} for i = 1, n do make(t, i) end return t end
end
value('array', filled(function(t, i) t[i] = i end))
value('hash', filled(function(t, i) t['k' .. i] = i end))
value('strings', filled(function(t, i) t[i] = 'a' .. i % 100 end))
value('holes', filled(function(t, i) t[i * 7] = i end))
value('tables', filled(function(t, i) t[i] = {i} end))
value('gone', function() local t = makers.hash() for k in pairs(t) do t[k] = nil end return t end)
value('proxy', function()
  return setmetatable({}, {__index = function(_, k) return k end, __len = function() return 1 << 40 end,
    __newindex = function() end, __lt = function() return true end, __concat = makers.text})
end)
value('chain', function()
  local chain = {}
  for i = 1, 1900 do
    chain = setmetatable({}, {__index = chain, __newindex = chain, __len = function() return n end})
  end
  return chain
end)
value('shown', function() return setmetatable({}, {__tostring = makers.text, __name = makers.text()}) end)
local function deep(k) if k == 0 then coroutine.yield(1) error(V.text) end return 1 + deep(k - 1) end
value('stack', function()
  local co = coroutine.create(deep)
  coroutine.resume(co, n // 2)
  return co
end)
value('coroutine', function()
  return coroutine.create(function(...) local x <close> = setmetatable({}, {__close = error}) return ... end)
end)
value('call', function() return function(...) return ... end end)
value('less', function() return function(a, b) return tostring(a) < tostring(b) end end)
value('fails', function() return error end)
value('varargs', function() return function(...) local t = {...} return select('#', ...), t end end)
for name, v in pairs {one = 1, zero = 0, minus = -1, big = 1 << 40, most = math.maxinteger, least = math.mininteger,
  count = n, long = size, float = 1e308, small = 5e-324, yes = true} do
  value(name, function() return v end)
end
table.sort(order)
function values() return table.concat(order, '\n') end

-- Instructions that do much at once.
local many = {}
for i = 1, 190 do many[i] = 'local v' .. i .. ' <close> = c ' end
local closes = load('local c = ... ' .. table.concat(many))
local wide = {}
for i = 1, 240 do wide[i] = 'a' end
wide = table.concat(wide, ', ')
local constants = {}
for i = 1, n // 8 do constants[i] = '"k' .. i .. '"' end
constants = 'return {' .. table.concat(constants, ',') .. '}'
local gotos = {}
for i = 1, n // 64 do gotos[i] = 'do goto l' .. i .. ' ::l' .. i .. ':: end ' end
gotos = table.concat(gotos)
local ops = {
  concat = function(a, b) return a .. b end,
  concats = function(a, b) return a .. b .. a .. b .. a .. b end,
  equal = function(a, b) return a == b end,
  less = function(a, b) return a < b end,
  orEqual = function(a, b) return a <= b end,
  length = function(a) return #a end,
  index = function(a, b) return a[b] end,
  store = function(a, b, c) a[b] = c end,
  key = function(a) local t = {} t[a] = a return t[a .. ''] end,
  add = function(a, b) return a + b end,
  bits = function(a, b) return a | b end,
  negate = function(a) return -a end,
  call = function(a, ...) return a(...) end,
  varargs = function(a) local function f(...) return select('#', ...), ... end return f(table.unpack(a)) end,
  constructor = function(a) return {table.unpack(a)} end,
  constructors = load('local a = ... return {' .. wide .. '}'),
  closed = function(a) local c <close> = a end,
  closes = function() return closes(setmetatable({}, {__close = function() end})) end,
  closesFail = function() return closes(setmetatable({}, {__close = error})) end,
  iterate = function(a) for k, v in pairs(a) do end end,
  sparse = function(a) for k, v in next, V.gone do end end,
  steps = function(a, b, c) for i = a, b, c do end end,
  deep = function(a) local function f(k) if k == 0 then error(a) end return 1 + f(k - 1) end return f(100000) end,
  traced = function(a)
    local function f(k) if k == 0 then error(a) end return 1 + f(k - 1) end
    return xpcall(f, debug.traceback, 100000)
  end,
  raise = function(a) error(a) end,
  handled = function(a) return xpcall(error, function(e) return e .. e end, a) end,
  text = function() return load(V.chunk) end,
  nest = function() return load('return ' .. V.nested) end,
  constants = function() return load(constants) end,
  gotos = function() return load(gotos) end,
  locals = function() return load(('local x = x '):rep(190)) end,
  names = function() return load(('x'):rep(size) .. ' = 1') end,
  literal = function() return load('return "' .. ('\\z \\065'):rep(size // 16) .. '"') end,
  comment = function() return load('--[[' .. ('\n'):rep(size) .. ']]') end,
  numeral = function() return load('return ' .. ('1'):rep(size)) end,
  binary = function(a) return load(string.dump(load(V.chunk))) end,
  collect = function(a) collectgarbage() collectgarbage('step') end,
  coroutines = function() for i = 1, 1000 do coroutine.wrap(function() coroutine.yield() end)() end end,
  finalizers = function() local m = {__gc = rawlen} for i = 1, n // 4 do setmetatable({}, m) end collectgarbage() end,
  weak = function(a) local w = setmetatable({}, {__mode = 'kv'}) for i = 1, n do w[{}] = {} end collectgarbage() end,
  concatAll = function(a) return table.concat(a, V.text) end,
  sorted = function(a) return table.sort(a, rawequal) end,
  gsubs = function(a) return (a:gsub('.', rawlen)) end,
  gsubbed = function(a) return a:gsub('', a) end,
  formats = function(a) return string.format('%q %s %99.99s %-99s', a, a, a, a) end,
  meta = function(a) local m = setmetatable({}, {__index = rawlen, __eq = rawequal, __lt = rawequal}) return m < m, m[a] end,
}

local skip = {['os.exit'] = true, ['io.read'] = true, ['os.execute'] = true, ['io.popen'] = true, ['os.remove'] = true,
  ['os.rename'] = true, ['io.output'] = true, ['io.open'] = true, ['debug.debug'] = true, ['debug.sethook'] = true}
local own = {functions = true, values = true, instructions = true, prepare = true, perform = true}
local callable = {}
for k, f in pairs(_G) do if type(f) == 'function' and not own[k] then callable[k] = f end end
for library, t in pairs(package.loaded) do
  if library ~= '_G' then
    for k, f in pairs(t) do
      if type(f) == 'function' and not skip[library .. '.' .. k] then callable[library .. '.' .. k] = f end
    end
  end
end
local function sorted(t)
  local found = {}
  for k in pairs(t) do found[#found + 1] = k end
  table.sort(found)
  return table.concat(found, '\n')
end
function functions() return sorted(callable) end
function instructions()
  local found = {}
  for k in pairs(ops) do found['op.' .. k] = true end
  return sorted(found)
end
for k, f in pairs(ops) do callable['op.' .. k] = f end
local pack, unpack, select = table.pack, table.unpack, select
local arguments
function prepare(...) arguments = nil arguments = pack(...) end
function perform(name) local a = arguments arguments = nil return select('#', callable[name](unpack(a, 1, a.n))) end
