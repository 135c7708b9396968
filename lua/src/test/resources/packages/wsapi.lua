-- Applications called without a server: requests, responses, cookies, forms, files that are sent.
local request, response, util = require "wsapi.request", require "wsapi.response", require "wsapi.util"
print(util.url_encode "a b&c/d\n", util.url_decode "a+b%26c%2Fd", util.sanitize "<b>", util.not_empty "")
local function environment(method, query, body, kind)
  local at = 1
  return {
    REQUEST_METHOD = method, QUERY_STRING = query, CONTENT_LENGTH = body and #body or 0, CONTENT_TYPE = kind or "",
    PATH_INFO = "/path", SCRIPT_NAME = "/app", SERVER_NAME = "host", SERVER_PORT = "8080", HTTP_COOKIE = "a=1; b=two%20words",
    input = {read = function(_, n)
      local part = body and body:sub(at, at + n - 1)
      at = at + n
      return part
    end},
  }
end
local function app(env)
  local req = request.new(env)
  local res = response.new(200, {["Content-Type"] = "text/plain"})
  res:write("method ", req.method, " path ", req.path_info, "\n")
  for _, part in ipairs {"GET", "POST", "cookies"} do
    local keys = {}
    for key in pairs(req[part] or {}) do keys[#keys + 1] = tostring(key) end
    table.sort(keys)
    for _, key in ipairs(keys) do
      local value = req[part][key]
      if type(value) == "table" then value = value.contents or table.concat(value, ",") end
      res:write(part, " ", key, "=", tostring(value), "\n")
    end
  end
  res:write(req:link("/x", {q = "a b"}), " ", req.params.x, "\n")
  res:set_cookie("user", {value = "me & you", path = "/", expires = 0, secure = true})
  res:set_cookie("plain", "v")
  return res:finish()
end
local function show(status, headers, iterator)
  print(status)
  local keys = {}
  for key in pairs(headers) do keys[#keys + 1] = key end
  table.sort(keys)
  for _, key in ipairs(keys) do
    local value = headers[key]
    print(key, type(value) == "table" and table.concat(value, " | ") or value)
  end
  for part in iterator do io.write(part) end
end
show(app(environment("GET", "x=1&y=%41&z=a&z=b&z=c")))
show(app(environment("POST", "q=1", "x=form&long=" .. ("v"):rep(200), "application/x-www-form-urlencoded")))
local parts = "--BOUND\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nfirst\r\n--BOUND\r\n" ..
  "Content-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nthe\r\nfile\r\n--BOUND--\r\n"
show(app(environment("POST", "", parts, "multipart/form-data; boundary=BOUND")))
local redirect = response.new()
show(redirect:redirect "/there")
show(response.new(404, {A = "b"}):finish())
local again = util.make_rewindable(environment("POST", "", "body text"))
print(again.input:read(9), again.input:rewind(), again.input:read(4))
