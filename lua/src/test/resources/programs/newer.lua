-- What Lua 5.4.8 prints, and lua5.4 of older releases does not.
local function trace(text)
  local seen = {}
  local f = load(text)
  debug.sethook(function(_, line) seen[#seen + 1] = line or "none" end, "l")
  pcall(f)
  debug.sethook()
  print(table.concat(seen, ",", 1, #seen - 1))
end

-- A call has the line of its parenthesis.
trace("local x = print\nx\n(\n1\n,\n2\n)")
trace("local s = 'x'\nlocal y = s\n:\nrep\n(\n1\n,\n2\n)")
trace("for i\nin\npairs\n{\n1\n}\ndo\nx\n=\ni\nend\n")
trace("local function g(...)\nreturn select\n(\n'#',\n...\n)\nend\ng(\n1)")
print(pcall(load("local a = {}\na\n.x\n(\n1)", "=c")))

-- Functions without lines.
local function strip(text)
  return load(string.dump(load(text), true))
end
trace("local f = load(string.dump(load('local a = 1\\nreturn a'), true))\nf()")
print(next(debug.getinfo(strip("return 1"), "L").activelines))
print(pcall(strip("error('x', 1)")))
print(pcall(strip("local a; a.b = 1")))
print(pcall(strip("string.rep()")))
print((xpcall(strip("local a; a.b = 1"), function() print(debug.traceback():match("^[^\n]*\n[^\n]*\n[^\n]*\n[^\n]*")) end)))
print(debug.getlocal(strip("return function(a) end")(), 1))

-- the collector's steps, and what is counted while it is stopped
collectgarbage("incremental")
collectgarbage("stop")
print(collectgarbage("step", 20000), collectgarbage("step", 1), collectgarbage("isrunning"))
do
  local before = collectgarbage("count")
  repeat local t = {} until collectgarbage("count") > 3 * before
end
collectgarbage("restart")
collectgarbage()
print(collectgarbage("isrunning"), collectgarbage("generational"))

-- closing a coroutine: calls in a closing method catch errors, and nothing yields
local function closing(f) return setmetatable({}, {__close = f}) end
local co = coroutine.create(function()
  local y <close> = closing(function(_, e)
    print("y", e, pcall(pcall, error, e))
    error("last", 0)
  end)
  local ok = pcall(function()
    local x <close> = closing(function(_, e)
      print("x", e, pcall(error, "z"))
      local z <close> = closing(function(_, e) print("z", e) error("in z", 0) end)
      error("in x", 0)
    end)
    coroutine.yield()
  end)
  print("never", ok)
end)
coroutine.resume(co)
print(coroutine.close(co))
print(coroutine.close(co))
co = coroutine.create(function()
  local x <close> = closing(function() coroutine.yield("in close") end)
  coroutine.yield("y")
end)
print(coroutine.resume(co))
print(coroutine.close(co))
print(coroutine.status(co))

-- as many values as the stack has, and more
for _, n in ipairs {1000000, 1000001, 1 << 31} do
  print(pcall(table.unpack, {}, 1, n))
end

-- the header of a binary chunk
do
  local chunk = string.dump(load("return 1"))
  local header = string.pack("<c4BBc6BBBjn", "\27Lua", 0x54, 0, "\x19\x93\r\n\x1a\n", 4, 8, 8,
    0x5678, 370.5)
  print(chunk:sub(1, #header) == header, load(chunk)())
  for i = 1, #chunk - 1 do
    local f, message = load(chunk:sub(1, i))
    if f or not message:find("truncated") then print(i, f, message) end
  end
  for i = 1, #header do
    local other = chunk:sub(1, i - 1) .. string.char(chunk:byte(i) + 1 & 255) .. chunk:sub(i + 1)
    if load(other) then print("loaded", i) end
  end
end

-- files that begin with the mark of UTF-8
do
  local name = os.tmpname()
  for _, text in ipairs {"return 7", "# a comment\nreturn 8", "", "#", "#\nerror(9)"} do
    local f = assert(io.open(name, "wb"))
    f:write("\xEF\xBB\xBF", text)
    f:close()
    print((tostring((select(2, pcall(dofile, name)))):gsub("^.*:(%d)", "%1")))
  end
  os.remove(name)
end
print((select(2, loadfile("/")):gsub("cannot read /.*", "read")))

print(debug.traceback("x", -1))
print(~(2^53), ~5.0, pcall(load("return ~(2^63)")))
