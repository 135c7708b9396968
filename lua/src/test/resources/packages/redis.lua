-- A client of a database against a socket that is a table: commands, replies, pipelines.
unpack = table.unpack
local redis = require "redis"
local sent, replies = {}, ""
local socket = {
  send = function(_, text) sent[#sent + 1] = text return #text end,
  receive = function(_, size)
    local line
    if size == "*l" then
      line, replies = replies:match "^(.-)\r\n(.*)$"
    else
      line, replies = replies:sub(1, size), replies:sub(size + 1)
    end
    if not line then return nil, "closed" end
    return line
  end,
  shutdown = function() end,
}
local client = redis.connect {socket = socket}
local function show(v)
  if type(v) ~= "table" then return tostring(v) end
  local keys = {}
  for key in pairs(v) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, key in ipairs(keys) do keys[i] = tostring(key) .. "=" .. show(v[key]) end
  return "{" .. table.concat(keys, ",") .. "}"
end
local function try(reply, name, ...)
  replies, sent = reply, {}
  local ok, result, more = pcall(client[name], client, ...)
  if not ok then result = tostring(result):gsub("^.-:%d+: ", "") end
  print(name, ok, show(result), show(more), (table.concat(sent):gsub("\r\n", " ")))
end
try("+PONG\r\n", "ping")
try("+OK\r\n", "set", "key", "value with spaces")
try("$5\r\nvalue\r\n", "get", "key")
try("$-1\r\n", "get", "none")
try(":42\r\n", "incr", "counter")
try("*3\r\n$1\r\na\r\n$-1\r\n:7\r\n", "lrange", "list", 0, -1)
try(":1\r\n", "exists", "key")
try("-ERR unknown\r\n", "get")
try("*4\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$1\r\n2\r\n", "hgetall", "hash")
try("+OK\r\n", "hmset", "hash", {one = 1})
try("*2\r\n$1\r\nx\r\n$-1\r\n", "hmget", "hash", {"one", "two"})
try("+OK\r\n", "mset", {k = "v"})
try("*2\r\n$1\r\n3\r\n$1\r\n1\r\n", "sort", "list", {by = "w*", limit = {0, 2}, sort = "desc", alpha = true, get = "#"})
try("*4\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$3\r\n2.5\r\n", "zrange", "z", 0, -1, "withscores")
try(":2\r\n", "zunionstore", "out", 2, "a", "b", {weights = {1, 2}, aggregate = "max"})
try("$36\r\n# Server\r\nredis_version:2.4.0\r\nup:17\r\r\n", "info")
try("", "get", "closed")
replies, sent = "+PONG\r\n+OK\r\n$1\r\nv\r\n", {}
print(show(table.pack(pcall(client.pipeline, client, function(p) p:ping() end))), (table.concat(sent):gsub("\r\n", " ")))
client = redis.connect {socket = socket}
redis.commands.custom = redis.command("custom", {response = function(reply) return #reply end})
client = redis.connect {socket = socket}
try("$3\r\nabc\r\n", "custom", "x")
replies, sent = "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n$1\r\nv\r\n", {}
print(show(table.pack(pcall(client.transaction, client, function(t) t:set("k", "v") t:get "k" end))), (table.concat(sent):gsub("\r\n", " ")))
