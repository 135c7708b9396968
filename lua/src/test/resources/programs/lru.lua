-- A cache that forgets what was used least recently: a table and a list with two links.
local n = tonumber(arg and arg[1]) or 3000
local Cache = {}
Cache.__index = Cache
function Cache.new(capacity)
  local head = {}
  head.before, head.after = head, head
  return setmetatable({capacity = capacity, size = 0, entries = {}, head = head}, Cache)
end
local function unlink(e) e.before.after, e.after.before = e.after, e.before end
function Cache:first(e)
  local head = self.head
  e.before, e.after = head, head.after
  head.after.before = e
  head.after = e
end
function Cache:get(k)
  local e = self.entries[k]
  if e then
    unlink(e)
    self:first(e)
    return e.value
  end
end
function Cache:put(k, v)
  local e = self.entries[k]
  if e then
    e.value = v
    unlink(e)
  else
    if self.size == self.capacity then
      local old = self.head.before
      unlink(old)
      self.entries[old.key] = nil
      self.size = self.size - 1
    end
    e = {key = k, value = v}
    self.entries[k] = e
    self.size = self.size + 1
  end
  self:first(e)
end
local cache, x, hits = Cache.new(100), 42, 0
for i = 1, n do
  x = (x * 69069 + 12345) % 0x80000000
  local k = "k" .. math.floor(x / 16) % 150
  if cache:get(k) then hits = hits + 1 else cache:put(k, i) end
end
print(hits, cache.size, cache.head.after.key)
