-- Suites with passes, failures and errors in each format, and the package's own tests.
local lu = require "luaunit"
local function examples()
  TestMath = {}
  function TestMath:setUp() self.a, self.t = 1, {1, 2, x = {3}} end
  function TestMath:testEqual() lu.assertEquals(self.a, 1) lu.assertEquals(self.t, {1, 2, x = {3}}) end
  function TestMath:testFails() lu.assertEquals(self.t, {1, 2, x = {4}}) end
  function TestMath:testError() error("an error", 0) end
  function TestMath:testSkip() lu.skip "not now" end
  function TestMath:testAlmost() lu.assertAlmostEquals(1, 1.05, 0.1) lu.assertNotAlmostEquals(1, 2, 0.5) end
  function TestMath:testStrings() lu.assertStrContains("abc", "b") lu.assertStrMatches("a12", "%a%d+") lu.assertStrIContains("ABC", "z") end
  function TestMath:testErrors()
    lu.assertErrorMsgContains("text", function() error "some text" end)
    lu.assertErrorMsgEquals({code = 1}, function() error {code = 1} end)
    lu.assertError(function() end)
  end
  function TestMath:testItems() lu.assertItemsEquals({1, 2, 3}, {3, 1, 2}) lu.assertItemsEquals({1, 2}, {1, 3}) end
  function TestMath:testTypes() lu.assertIsNumber(1) lu.assertIsTable {} lu.assertIsString(1) end
  function TestMath:testNan() lu.assertIsNaN(0 / 0) lu.assertIsInf(1 / 0) lu.assertIsMinusZero(-0.0) lu.assertIsPlusZero(-0.0) end
  function testFunction() lu.assertTrue(true) lu.assertNil(nil) lu.assertIs(1, 1) lu.assertNotIs({}, {}) end
  function TestMath:tearDown() self.a = nil end
end
examples()
local function hide(text)
  return (text:gsub("0x%x+", "ADDRESS"):gsub("%d+%.%d+ seconds", "TIME"):gsub("Started on [^\n]*", "Started")
    :gsub('time%w*="[^"]*"', "TIME"):gsub("[^%s\"]-%.lua:%d+:", "LINE:"))
end
local write, show, exit = io.stdout.write, print, os.exit
for _, format in ipairs {"text", "tap", "nil"} do
  local out = {}
  local real = io.stdout
  io.stdout = {write = function(_, ...) for _, v in ipairs {...} do out[#out + 1] = tostring(v) end end}
  print = function(...) for _, v in ipairs {...} do out[#out + 1] = tostring(v) end out[#out + 1] = "\n" end
  local runner = lu.LuaUnit.new()
  runner:setOutputType(format)
  local result = runner:runSuite("-v", "-p", "Test", "-p", "testF")
  io.stdout, print = real, show
  -- Traces differ in the names of functions of C.
  local text, lines = hide(table.concat(out)), {}
  for line in text:gmatch "[^\n]*" do
    if not line:find "%[C%]" and not line:find "LINE: in " and not line:find "stack traceback:" then lines[#lines + 1] = line end
  end
  print(format, result)
  print(table.concat(lines, "\n"))
end
print(hide(lu.prettystr {1, "a\"b", {x = 1, ["y z"] = {}}, true, 1.5}))
print(lu.prettystr("it's", true))
TestMath, testFunction = nil, nil
-- The package's own tests.
local file = io.open "/usr/share/doc/lua-unit/examples/test_luaunit.lua"
if not file then print "no tests" return end
package.loaded.luaunit = nil
local source = file:read "a"
file:close()
assert(load(source, "@test_luaunit.lua"))()
lu = require "luaunit"
local runner = lu.LuaUnit.new()
local lines = {}
local real = io.stdout
io.stdout = {write = function(_, ...) for _, v in ipairs {...} do lines[#lines + 1] = tostring(v) end end}
print = function(...) for _, v in ipairs {...} do lines[#lines + 1] = tostring(v) end lines[#lines + 1] = "\n" end
runner:setOutputType "tap"
local result = runner:runSuite()
io.stdout, print = real, show
for line in hide(table.concat(lines)):gmatch "[^\n]+" do
  if line:find "^ok" or line:find "^not ok" then print(line) end
end
print(result)
