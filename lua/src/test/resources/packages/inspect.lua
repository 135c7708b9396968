-- Values as text that people read.
local inspect = require "inspect"
print(inspect({1, 2, 3}))
print(inspect({a = 1, b = 2, ["c d"] = {true, false, nil}}))
print(inspect({1, 2, x = {y = {z = {}}}}, {depth = 2}))
print(inspect("a\tb\n\"c\" 'd' \0 \127"))
local t = {name = "t"}
t.self = t
t.again = {t, {t}}
print(inspect(t))
print(inspect(setmetatable({a = 1}, {__index = "none", __call = {}})))
print(inspect({print = 1, [1.5] = 2, [true] = 3, [-1] = 4}))
print(inspect({a = {b = 1}, secret = 2}, {
  process = function(item, path)
    if path[#path] ~= "secret" then return item end
  end,
}))
print(inspect({1, {2, {3}}}, {newline = "@", indent = ">>"}))
print((inspect({print, function() end, coroutine.create(print)}):gsub("%d+", "N")))
