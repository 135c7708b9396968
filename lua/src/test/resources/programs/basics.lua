-- arithmetic and numbers
print(1 + 2, 7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 % -3, 2^10, 7 / 2)
print(1e15, 1e16, 0.1, -0.0, 1/0, -1/0, 3.0, 100000000000000)
print(math.maxinteger + 1 == math.mininteger, math.maxinteger * 2, math.mininteger // -1)
print(5 & 3, 5 | 3, 5 ~ 3, ~5, 1 << 62, 1 << 63, 1 << 64, -1 >> 1, 3.0 | 1)
print("10" + 5, "0x10" * 2, "3.5" - 1, 10 .. 20)
print(1 == 1.0, "1" == 1, 0.1 + 0.2 == 0.3, math.type(1), math.type(1.0), math.type("1"))
print(1 < 2, 1 <= 1.0, "a" < "b", "a" < "B", "" < "a", 2^53 == 2^53 + 1)
print(9007199254740993 < 9007199254740992.0, 9007199254740993 == 9007199254740992.0)
print(#"hello", #{1, 2, 3, nil, 5} >= 3, -2 ^ 2, not nil, not 0)
print(5 // 0.0, -5 // 0.0, 0/0 ~= 0/0, 5 % math.huge, -5 % math.huge)
print(pcall(function() return 1 // 0 end))
print(pcall(function() return 1 % 0 end))
print(tostring(1e100), 2^63, math.tointeger(3.0), 1e308 * 10)
print(0x7fffffffffffffff, 0xffffffffffffffff, 0x1p4, 1e2, .5, 3., 0xA.8p0)
-- locals, scopes, closures
local x = 1
do local x = 2; print(x) end
print(x)
local function counter()
  local n = 0
  return function() n = n + 1; return n end, function() return n end
end
local inc, get = counter()
inc(); inc()
print(get())
local fs = {}
for i = 1, 3 do fs[i] = function() i = i + 10; return i end end
print(fs[1](), fs[1](), fs[2](), fs[3]())
local a, b, c = (function() return 1, 2, 3 end)()
print(a, b, c)
print((function() return 1, 2, 3 end)())
print(((function() return 1, 2, 3 end)()))
local t = {(function() return 1, 2, 3 end)(), (function() return 1, 2, 3 end)()}
print(#t)
-- varargs
local function v(...)
  local a, b = ...
  return select('#', ...), a, b, ...
end
print(v())
print(v(1))
print(v(1, nil, 3))
print(select(-1, 1, 2, 3), select(2, "a", "b", "c"))
print(table.pack(v(nil, nil)).n)
-- loops
for i = 10, 1, -3 do io.write(i, " ") end print()
for i = 1, 3 do local j = i; i = 100; io.write(j, " ") end print()
for i = 1.0, 2, 0.25 do io.write(i, " ") end print()
for i = math.maxinteger - 1, math.maxinteger do io.write(i, " ") end print()
for i = 1, 0 do print("never") end
local n = 0
while true do n = n + 1; if n == 5 then break end end
repeat local z = n; n = n - 1 until z <= 2
print(n)
for k, val in pairs({10, 20, 30}) do io.write(k, "=", val, " ") end print()
for k, val in ipairs({10, 20, nil, 30}) do io.write(k, "=", val, " ") end print()
for w in string.gmatch("one two three", "%a+") do io.write(w, ".") end print()
-- goto
for i = 1, 3 do
  for j = 1, 3 do
    if j == 2 then goto continue end
    io.write(i, ":", j, " ")
    ::continue::
  end
end
print()
do local i = 1
  ::top:: if i <= 3 then io.write(i, " "); i = i + 1; goto top end print()
end
-- logic
print(nil and 1, false or 2, 1 and 2, nil or false, 1 or error("no"))
local y = nil
y = y and y.z or "default"
print(y)
x = x and 5 or 6
print(x, not not x)
print(1 < 2 and 2 < 3, 1 == 2 or 2 == 2, (1 < 2) == true)
-- multiple assignment
local p, q = 1, 2
p, q = q, p
print(p, q)
local arr = {1, 2, 3}
local i = 1
i, arr[i] = i + 1, 20
print(i, arr[1], arr[2])
-- strings
print("a\tb\\n\65\x41\u{48}\z
       end", 'single "quotes"', [[long
string]], [==[with ]] inside]==])
print("abc" .. 1 .. 2.0 .. "d", #("x"):rep(10))
print(("x"):upper(), ("%d %s %5.2f"):format(3, "s", 1.5))
-- integer division and float formats
print(7 // 2.0, 7.5 // 2, 1e15 // 1, 2^31, 2^31 | 0)
print(string.format("%q", 1/3), tostring(-0.0))
goto done
print("skipped")
::done::
print(type(print), type(nil), type({}), type("x"), type(2), type(print) == "function")
print(tostring(nil), tostring(true), tonumber("0x1F"), tonumber("  12  "), tonumber("1e1"), tonumber("abc"), tonumber("10", 2), tonumber("zz", 36), tonumber("8", 8))
print(rawequal("a", "a"), rawlen({1, 2}), rawget({a = 1}, "a"), next({}), #arg)
