-- Method calls through a chain of classes.
local n = tonumber(arg and arg[1]) or 3000
local Shape = {}
Shape.__index = Shape
function Shape.new(class, w, h) return setmetatable({w = w, h = h, moved = 0}, class) end
function Shape:area() return 0 end
function Shape:move(d) self.moved = self.moved + d return self end
local function subclass(parent)
  local c = setmetatable({}, {__index = parent})
  c.__index = c
  return c
end
local Box = subclass(Shape)
function Box:area() return self.w * self.h end
local Square = subclass(Box)
function Square.new(class, w) return Shape.new(class, w, w) end
local Circle = subclass(Shape)
function Circle:area() return 3 * self.w * self.w end
local shapes = {}
for i = 1, 30 do
  local class = ({Box, Square, Circle})[i % 3 + 1]
  shapes[i] = class:new(i, i + 1)
end
local sum = 0
for k = 1, n do
  local s = shapes[k % 30 + 1]
  sum = sum + s:move(1):move(2):area() % 97 + s.moved % 5
end
print(sum)
