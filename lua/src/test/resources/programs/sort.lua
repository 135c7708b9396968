-- Sorting: numbers, strings, records by a function of the script's.
local n = tonumber(arg and arg[1]) or 1000
local x = 42
local function random()
  x = (x * 69069 + 12345) % 0x80000000
  return math.floor(x / 16)
end
local numbers, texts, records = {}, {}, {}
for i = 1, n do
  numbers[i] = random()
  texts[i] = "key" .. random() % 10000
  records[i] = {name = "n" .. random() % 100, rank = i}
end
table.sort(numbers)
table.sort(texts)
table.sort(records, function(a, b)
  if a.name ~= b.name then return a.name < b.name end
  return a.rank < b.rank
end)
for i = 2, n do
  assert(numbers[i - 1] <= numbers[i] and texts[i - 1] <= texts[i])
  assert(records[i - 1].name <= records[i].name)
end
print(numbers[1], texts[n], records[1].name, records[1].rank, records[n].rank)
