-- Names longer than what a heap shares among all strings: fields, methods, globals, upvalues.
local n = tonumber(arg and arg[1]) or 500
local long = ("a_name_of_"):rep(9)
local source = [[
local n = ...
local t = {}
print(t.NAME)
t.NAME = 1
print(t.NAME, rawget(t, "NAME"), next(t) == "NAME", #next(t))
t.NAME, t["NAME2"] = nil, 2
print(t.NAME, t.NAME2)
function t:NAME() return self.NAME2 end
print(t:NAME(), t.NAME == rawget(t, ("a_name_of_"):rep(9)))
NAME = 5
print(NAME, _G.NAME, _ENV[ ("a_name_of_"):rep(9) ])
local c = {NAME = 7, ["NAME with a space"] = 8}
print(c.NAME, c["NAME with a space"], pcall(function() return c.NAME.x.y end))
c["NAME with a space"], c["NAME and more"] = 9, 10
print(c["NAME with a space"], c["NAME and more"])
local noted = {}
local proxy = setmetatable({}, {__newindex = function(_, k, v) noted[#noted + 1] = #k + v end, __index = c})
proxy.NAME = 3
print(noted[1], proxy.NAME)
local sum = 0
for i = 1, n do
  local u = {}
  u.NAME = i
  u.NAME = u.NAME + 1
  sum = sum + u.NAME
end
print(sum)
]]
-- Under the own name each time: the first use of a field is the one that makes its entry.
assert(load(source:gsub("NAME", long)))(n)
print(pcall(load("local t = {} t." .. long .. "x = 1 return t." .. long .. "x")))
