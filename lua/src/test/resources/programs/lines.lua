-- The lines that a hook sees: of "then", and of a chunk's end.
local function trace(text)
  local seen = {}
  local f = load(text)
  debug.sethook(function(_, line) seen[#seen + 1] = line end, "l")
  f()
  debug.sethook()
  print(table.concat(seen, ","))
end
trace("if\nmath.sin(1)\nthen\n  a=1\nelse\n  a=2\nend\n")
trace("local function f()\nend\nf()\nA = 1\nA = 2\nA = 3\n")
trace("for i=1,3 do\n  a=i\nend\n")
trace("a=1\nwhile a<=3 do\n  a=a+1\nend\n")
trace("if not (1 == 1) then a=1 else\na=2 end\n-- end\n")
trace("\n\nlocal t = tostring(1)\n\n\n")
