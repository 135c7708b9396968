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
