-- Heaps with and without payloads: insert, update, remove and pop in order.
local binaryheap = require "binaryheap"
local function drain(heap)
  local out = {}
  while heap:size() > 0 do
    local payload, value = heap:pop()
    out[#out + 1] = tostring(payload) .. (value ~= nil and "=" .. value or "")
  end
  return table.concat(out, " ")
end
local seed = 42
local function random(n) seed = (seed * 1103515245 + 12345) % 2147483648 return seed // 65536 % n end
for _, kind in ipairs {"minHeap", "maxHeap"} do
  local heap = binaryheap[kind]()
  for _ = 1, 40 do heap:insert(random(100)) end
  print(heap:peek(), heap:size(), heap:remove(1), heap:remove(100))
  heap:update(3, 55)
  print(drain(heap))
end
for _, kind in ipairs {"minUnique", "maxUnique"} do
  local heap = binaryheap[kind]()
  for i = 1, 30 do heap:insert(random(100), "p" .. i) end
  print(heap:peek())
  print(heap:peekValue(), heap:valueByPayload "p7", heap:remove "p3")
  heap:update("p9", 50)
  print((select(2, pcall(heap.insert, heap, 5, "p9")):gsub("^.-:%d+: ", "")))
  print(drain(heap))
  print(heap:pop(), heap:peek(), heap:remove "p1")
end
local words = binaryheap.minHeap(function(a, b) return #a < #b end)
for word in ("a heap whose order is the length of its elements, then"):gmatch "%a+" do words:insert(word) end
print(#words:pop(), #words:pop(), words:size())
