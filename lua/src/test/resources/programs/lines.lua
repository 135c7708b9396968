-- The lines that a hook sees, in their order, and those that can have a hook.
local function trace(text)
  local seen = {}
  a, b, c, x, y, z, f, t = nil
  local f = load(text)
  debug.sethook(function(_, line) seen[#seen + 1] = line end, "l")
  pcall(f)
  debug.sethook()
  seen[#seen] = nil -- the call of sethook
  print(table.concat(seen, ","))
end
trace("if\nmath.sin(1)\nthen\n  a=1\nelse\n  a=2\nend\n")
trace("local function f()\nend\nf()\nA = 1\nA = 2\nA = 3\n")
trace("for i=1,3 do\n  a=i\nend\n")
trace("a=1\nwhile a<=3 do\n  a=a+1\nend\n")
trace("if not (1 == 1) then a=1 else\na=2 end\n-- end\n")
trace("\n\nlocal t = tostring(1)\n\n\n")
trace("local x = {}\nx.a\n.b\n(\n1\n)")
trace("local x = {}\nfor i = 1, 2 do\nif i == 1 then\nbreak\nend\nend")
trace("local x = {}\nfor i = 1, 2 do\nif i == 1 then\nbreak;\nelse\nx=1\nend\nend\nx=1")
trace("local x\nlocal y\nlocal z = 1")
trace("local f\nfunction f()\n\nend\nf()")
trace("function f()\n\nend\nf()")
trace("local function f()\n\nend\nf()")
trace("local a = {\n1,\n2\n,\n3,\nx = 1,\n['y']=\n2,\n[100]\n=\n4}\nreturn a")
trace("local a, b =\n1\n+\n2,\n3\na =\na\n..\nb\n..\na\nreturn\na\n,\nb\n")
trace("local a = {}\na\n[\n1000\n]\n=\n5\nx\n[\n1]=2")
trace("local a = not\nb\nlocal c = -\n5\nc = -\nc\n c = #\n{\n}")
trace("local a = 1 <\n2\na = a\n==\n5\na = (\na\n)\n")
trace("local a = (\nmath\n.\nabs\n)\n\n")
trace("local a = 1\nand\n2\nor\n3\na = a\nand\nb\nor\nc\n")
trace("while\na\ndo\nx=1\nend\nrepeat\nlocal z = 1\nuntil\nz\n==\n1\n")
trace("for i\n=\n1\n,\n2\n,\n1\ndo\nx\n=\ni\nend\n")
trace("do\ngoto\nx\nend\n::\nx\n::\nlocal i = 0\n::\ny::\ni\n=\ni + 1\nif i < 3\nthen\ngoto\ny\nend\n")
trace("do\nlocal z <close> = nil\nlocal x =\n1\nend\nx=3")
trace("local function f(a)\nreturn function()\na = 3\nend\nend\nf(1)()")
trace("if\nfalse\nthen\nx=1\nelseif\nx\n==\n2\nthen\nx=3\nelse\nx=4\nend")
trace("a.b.c = 1")
trace("a = {b={}}\na\n.\nb\n.\nc\n,\nd\n=\n1\n,\n2\n")
trace("a = {b={}}\nfunction\na.\nb.\nc()\nend\nfunction a\n.b\n:d()\nend")
trace("f = function()\n\nend\nlocal g = {\nfunction()\nend\n,\nfunction()\nend\n}")
trace("if\nnot\nx\nthen\ny = 1\nelse\ny = 2\nend\nif x\nand\ny\nthen\nz = 1\nend")
trace("if x ==\n1 then z = 1\nelse z = 2 end\nlocal b = x\n==\n1\n")
trace("local x = print\nx(\n1\n,\n2\n)")
trace("local s = 'x'\nlocal y = s:rep(\n1\n,\n2\n)")
trace("local a = math\n.\nabs\n;\nx =\na(\n-1\n)\nx\n=\na(\n2)\n")
trace("for i\nin\npairs{\n1\n}\ndo\nx\n=\ni\nend\n")
trace("local function f(a)\na = a + 1\nreturn function()\nreturn a\nend\nend\nf(1)()")
trace("for i = 1, 2 do\nlocal f = function()\ni = 3\nend\nf()\nend")
trace("local t = setmetatable({}, {\n__index = function(_, k)\nreturn k\nend})\nlocal a = t.x\n.. t.y")
trace("local x\ndo\nlocal y <close> = setmetatable({}, {__close = function()\nx = 1\nend})\nx = 2\nend\nx = 3")
trace("local n = 0\nrepeat\nlocal m = n\nn = n + 1\nif m == 1 then goto on end\nn = n\n::on::\nuntil n == 4")
trace("local co = coroutine.wrap(function()\ncoroutine.yield()\nend)\nco()\nco()")

local function active(f)
  local first, lines = debug.getinfo(f, "S").linedefined, {}
  for line in pairs(debug.getinfo(f, "L").activelines) do
    lines[#lines + 1] = line - first
  end
  table.sort(lines)
  print(table.concat(lines, ","))
end
active(function()

  -- a comment
  local x = 1
  local function inner()
    return x
  end
end)
active(function(...)
  local a
  local b, c = ...

  return function() a = b end
end)
active(function(...) end)
active(load("\n\n\nreturn 1"))

-- An instruction whose hook counted begins a line.
local seen = {}
debug.sethook(function(e) seen[#seen + 1] = e end, "l", 1)
local x = seen.x
debug.sethook()
for i = 1, #seen, 2 do io.write(i < 5 and seen[i] .. " " .. seen[i + 1] .. " " or "") end
print()

-- Blocks whose locals closures have end by an instruction, where a jump goes.
trace("for i = 1, 2 do\nlocal x = i\nlocal f = function()\nreturn x\nend\nif x == 1 then\ngoto on\nend\nf()\n::on::\nend")
trace("for i = 1, 3 do\nlocal x = i\nif x == 2\nthen break\nend\nlocal f = function() return x end\nend\nlocal y = 1")
trace("while true do\nlocal x = {}\nlocal f = function() return x end\nif f() then\nbreak\nend\nend\nlocal y = 1")
trace("local n = 0\nwhile n < 2 do\nn = n + 1\nif n == 1 then\nn = n\nelse\nn = 3\nend\nend\nn = 4")
trace("local x = 1\nif x == 2 then\nx = 3\nelseif false\nthen\nx = 4\nend\nlocal f = function()\nx = 5\nend\nx = x\nf()")
trace("local f = tostring(1,\n2)\nlocal function g()\nf = 2\nend\nlocal y = f")

-- constants that PUC Lua computes when it compiles, and those that it leaves
for _, op in ipairs{"+", "-", "*", "/", "//", "%", "^", "&", "|", "~", "<<", ">>"} do
  for _, pair in ipairs{"7 3", "7.5 2", "2.0 3", "0 0", "1 0", "0 5", "-8 64", "-1 -1"} do
    local x, y = pair:match("(%S+) (%S+)")
    trace("x =\n(" .. x .. ")\n" .. op .. "\n(" .. y .. ")\nreturn\nx\n")
  end
end
for _, e in ipairs{"~\n(2^53)", "~\n1.5", "~\n(2^63)", "-\n(0.0)", "-\n(1 << 62)", "not\nnil", "#\n'x'"} do
  trace("x =\n" .. e .. "\nreturn\nx\n")
end
trace("local a = nil\nlocal b\nlocal c = nil\nlocal d = 1\n")
trace("print2 = type\nprint2(\nnil,\nnil,\nnil\n)")
trace("local a\nrepeat\nlocal b = nil\nlocal c = nil\na = 1\nuntil a")
trace("local a = nil\ngoto l\n::l::\nlocal b = nil\n")
for _, e in ipairs{"1\n==\n2", "'a'\n~=\n'b'", "nil\n==\n1", "1\n<\n2", "1.0\n>=\n1"} do
  trace("x =\n" .. e .. "\nreturn\nx\n")
end

-- A break that never happens has no code; a constant that is not nil or false is true.
for _, e in ipairs{"false", "nil", "not true", "not 1", "not 'x'", "(not 1.5)"} do
  trace("for i in function(_, i) if not i then return 1 end end do\nx = 1\nif " .. e .. " then break end\nx = 2\nend")
  trace("while x ~= 2 do\nlocal y <close> = nil\nif\n" .. e .. " then\nbreak\nend\nx = 2\nend")
end

-- Where variables are closed by a jump out of their block, and where conditions end in another line.
C = function() return setmetatable({}, {__close = function() end}) end
for _, v in ipairs{"<close> = C()", "<close> = nil", "= 1 local g = function() v = 2 end"} do
  v = "local v " .. v
  for _, c in ipairs{"x", "x == 1", "not x", "x and\nx", "x or\nx", "true", "f()", "f() or x"} do
    for _, loop in ipairs{"for i = 1, 2 do\n%s\nend", "while a == nil do\n%s\na = 1\nend",
        "repeat\n%s\na = 1\nuntil\na", "for k in pairs{1, 2} do\n%s\nend"} do
      local test = "if " .. c .. "\nthen\n"
      for _, body in ipairs{
        v .. "\n" .. test .. "break end\nx = 3",
        v .. "\nif " .. c .. " then break end\nx = 3",
        v .. "\n" .. test .. "x = 5\nbreak\nelse\nx = 7\nend\nx = 3",
        v .. "\n" .. test .. "goto l\nend\nx = 3\n::l::",
        "do\n" .. v .. "\n" .. test .. "goto l\nend\nx = 3\nend\n::l::\nx = 4",
        v .. "\nif nil then x = 6 elseif\n" .. c .. "\nthen\nbreak\nelse\nx = 7\nend\nx = 3",
        test .. v .. "\nbreak\nend\nx = 3\n",
        "do\n" .. v .. "\ndo break end\nx = 3\nend\nx = 5\n",
      } do
        local text = "local x = 1\nlocal function f() return x end\n" .. loop:format(body)
        trace(text)
        trace(text .. "\nx = 4")
      end
    end
  end
end

-- The jump of a loop that never runs does not go further at once.
trace("if x then\nx = 1\nelseif not x then\nfor i = 1, 0 do\nx = 2\nend\nelse\nx = 3\nend\nx = 4")
trace("local n = 0\nwhile n < 2 do\nn = n + 1\nfor i = 1, 0 do\nn = 9\nend\nend")
trace("for j = 1, 2 do\nfor i = 1, 0 do\nx = 2\nend\nend")
