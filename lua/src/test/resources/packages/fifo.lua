-- A queue: push, pop, insert and remove in the middle, and what an empty one does.
local fifo = require "fifo"
local q = fifo(1, 2, 3, nil, 5)
print(q:length(), #q, q:peek(), q:peek(4), q:peek(9))
print(q:pop(), q:pop(), q:pop(), q:pop(), q:pop())
local function plain(...)
  local ok, message = pcall(...)
  return ok, (tostring(message):gsub("^.-:%d+: ", ""))
end
print(plain(q.pop, q))
print(q:setempty(function(_) return "nothing" end):pop())
for i = 1, 20 do q:push(i) end
q:insert(1, "first")
q:insert(10, "middle")
q:insert(q:length() + 1, "last")
print(q:remove(5), q:remove(15), q:remove(1), q:remove(100))
local out = {}
while #q > 0 do out[#out + 1] = tostring(q:pop()) end
print(table.concat(out, " "))
print(plain(q.insert, q, 0, 1))
print(plain(q.insert, q, 5, 1))
print(plain(q.remove, q, 1.5))
print(plain(q.peek, q, 0.5))
print(plain(function() q.field = 1 end))
local seen = 0
for round = 1, 50 do
  for i = 1, round do q:push(i * round) end
  for _ = 1, round do seen = (seen * 31 + q:pop()) % 1000003 end
end
print(seen, #q)
