-- Assertions: equality, errors, spies, stubs, mocks, matchers, messages, own assertions.
local assert = require "luassert"
local say, spy, stub, mock, match = require "say", require "luassert.spy", require "luassert.stub", require "luassert.mock", require "luassert.match"
local function try(name, f)
  local ok, message = pcall(f)
  message = type(message) == "table" and message.message or message
  print(name, ok, (tostring(message):gsub("0x%x+", "ADDRESS"):gsub("[^%s]-%.lua:%d+: ", "")))
end
try("true", function() assert.is_true(true) assert.True(true) assert.is.truthy(1) assert.is_not.falsy(1) end)
try("not true", function() assert.is_true "no" end)
try("equal", function() assert.are.equal(1, 2) end)
try("same", function() assert.are.same({1, {a = 2}}, {1, {a = 2}}) end)
try("not same", function() assert.are.same({1, {a = 2, b = {true}}}, {1, {a = 3, b = {true}}}) end)
try("not not same", function() assert.are_not.same({1}, {1}) end)
try("unique", function() assert.is.unique({{1}, {1}}, true) end)
try("near", function() assert.near(1, 1.05, 0.1) assert.is_not.near(1, 1.05, 0.01) end)
try("types", function()
  assert.is_number(1) assert.is_string "x" assert.is_table {} assert.is_nil(nil) assert.is_function(print)
  assert.is_thread(coroutine.create(print)) assert.is_boolean(false)
  assert.is_number "1"
end)
try("matches", function() assert.matches("b+", "abbc") assert.has_no.matches("b+", "abbc") end)
try("error", function()
  assert.has_error(function() error("text", 0) end, "text")
  assert.has.errors(function() error {code = 1} end, {code = 1})
  assert.error_matches(function() error "some text" end, "some")
  assert.has_no.errors(function() error("oops", 0) end)
end)
try("wrong error", function() assert.has_error(function() error("one", 0) end, "two") end)
try("returned", function() assert.returned_arguments(2, 1, nil, 3) end)
local s = spy.new(function(x) return x and x * 2 end)
s(1) s(2, "a") s(nil)
try("called", function() assert.spy(s).was.called(3) assert.spy(s).was.called_with(2, "a") assert.spy(s).was.returned_with(4) end)
try("called twice", function() assert.spy(s).was.called(2) end)
try("called with", function() assert.spy(s).was.called_with(7) end)
try("at least", function() assert.spy(s).called_at_least(3) assert.spy(s).called_less_than(3) end)
try("match", function()
  assert.spy(s).was.called_with(match.is_number(), match._)
  assert.spy(s).was.called_with(match.is_table())
end)
local t = {greet = function() return "hi" end, nested = {f = function() return 1 end}}
local stubbed = stub(t, "greet").returns "stubbed"
print(t.greet(), #stubbed.calls)
stubbed:revert()
print(t.greet())
stub(t, "greet").on_call_with(1).returns "one"
print(t.greet(1), t.greet(2))
t.greet:revert()
local m = mock(t)
m.nested.f() m.greet "x"
try("mock", function() assert.spy(m.nested.f).was.called(1) assert.spy(m.greet).was_not.called_with "y" assert.spy(m.greet).was_not.called() end)
mock.revert(m)
say:set("assertion.has_key.positive", "Expected %s to have key %s")
say:set("assertion.has_key.negative", "Expected %s not to have key %s")
assert:register("assertion", "has_key", function(_, arguments) return arguments[1][arguments[2]] ~= nil end,
  "assertion.has_key.positive", "assertion.has_key.negative")
try("own", function() assert.has_key({name = "jack"}, "name") assert.has_key({name = "jack"}, "age") end)
try("own, not", function() assert.has_no.has_key({name = "jack"}, "name") end)
local snapshot = assert:snapshot()
assert:add_formatter(function(v) if type(v) == "string" then return "<<" .. v .. ">>" end end)
try("formatter", function() assert.are.equal("a", "b") end)
snapshot:revert()
try("array", function() local array = {1, 2, nil, 4} assert.array(array).has.holes(4) assert.array({1, 2}).has.holes() end)
try("message", function() assert.is_true(false, "my own message") end)
try("deep", function()
  local a, b = {}, {}
  a.self, b.self = a, b
  assert.same(a, b)
  b.self = {}
  assert.same(a, b)
end)
try("depth", function() assert:set_parameter("TableFormatLevel", 1) assert.same({{{}}}, {{{1}}}) end)
