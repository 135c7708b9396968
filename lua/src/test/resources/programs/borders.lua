-- The length of tables with holes: any border is right, and these are those of lua5.4.

local function fill(t, ...)
  for i = 1, select("#", ...) do
    local k = select(i, ...)
    t[k] = k
  end
  return #t
end

print("one index far away")
print(fill({1, 2}, 300), fill({}, 300), fill({x = 1}, 1000000), fill({1, 2, 3, 4, 5}, 12))
print(#{[300] = 1}, #{1, 2, [4000] = 1}, #{[0] = 1}, #{[-1] = 1, [2] = 2})
print(fill({}, 2), fill({}, 3, 2), fill({1}, 4), fill({1, 2}, 5), fill({1, 2, 3}, 7))
print(fill({1, 2, 3}, 100, 200, 300), fill({1, 2, 3}, 1000, 4), fill({}, 100, 1, 2, 3))

local ids = {}
for i = 1, 40 do ids[i * 1000] = i end
print(#ids, fill(ids, 1), fill(ids, 2), fill(ids, 3))

print("after more of the beginning")
local t = {[100] = 1}
for i = 1, 20 do
  t[#t + 1] = i
  io.write(#t, " ")
end
print()
for _ = 1, 20 do
  t[#t] = nil
  io.write(#t, " ")
end
print(t[100])

print("constructors")
print(#{1, 2, 3, nil, 5}, #{1, nil, 3}, #{nil, nil, 3}, #{nil, 2}, #{nil}, #{nil, nil})
print(#{1, 2, nil}, #{1, nil, nil}, #{nil, 2, nil}, #{1, 2, nil, 4, nil}, #{1, nil, 3, [9] = 1})
local function values(...) return ... end
print(#{values(1, nil, 3)}, #{values(nil, nil)}, #{values(nil, 2)}, #{0, values(nil, nil, 4)})
print(#table.pack(1, nil, 3), #table.pack(nil, nil, 3), #table.pack(nil, nil))
local first = {nil, 2, nil, 4}
print(next(first), first[1], first[3], rawlen(first))
print(#{n = 1, nil, 2}, #{1, nil, 3, [2] = "x"} > 0, ({1, nil, 3, [2] = "x"})[2])

print("holes made")
local a = {1, 2, 3, 4, 5}
a[3] = nil
print(#a)
a[5] = nil
print(#a)
a[4] = nil
print(#a)
a[#a] = nil
print(#a)

print("weak tables")
local w = setmetatable({}, {__mode = "k"})
print(fill(w, 1, 2, 3), fill(w, 300), fill(w, 4))

print("room of constructors")
print(#{1, 2, 3, 4, [7] = "x"}, #{1, 2, 3, 4, 5, 6, 7, 8, [15] = "x"}, #{1, 2, 3, [9] = "x"})
