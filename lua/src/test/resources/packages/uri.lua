-- The package's own tests, which need modules as Lua 5.1 had them.
local folder = "/usr/share/doc/lua-uri-dev/examples/"
unpack, loadstring = table.unpack, load
local function environment(f, env)
  for i = 1, math.huge do
    local name = debug.getupvalue(f, i)
    if not name then return end
    if name == "_ENV" then
      debug.upvaluejoin(f, i, function() return env end, 1)
      return
    end
  end
end
function setfenv(level, env)
  environment(type(level) == "function" and level or debug.getinfo(level + 1, "f").func, env)
end
function getfenv() return _G end
function module(name, ...)
  local m = package.loaded[name] or {}
  package.loaded[name] = m
  local at, last = _G, nil
  for part in name:gmatch "[^.]+" do
    if last then
      at[last] = at[last] or {}
      at = at[last]
    end
    last = part
  end
  at[last] = m
  m._M, m._NAME, m._PACKAGE = m, name, name:match "^(.*%.)[^.]*$" or ""
  environment(debug.getinfo(2, "f").func, m)
  for _, option in ipairs {...} do option(m) end
end
function package.seeall(m) setmetatable(m, {__index = _G}) end
package.path = package.path .. ";" .. folder .. "?.lua"
local URI = require "uri"
for _, text in ipairs {
  "HTTP://User@Example.COM:80/a/../b/./c%7e?q=1#f", "http://[::1]:8080/", "ftp://anonymous@host/file;type=a",
  "urn:isbn:0-395-36341-1", "urn:issn:1560-1560", "urn:oid:1.3.6.1", "data:text/plain;charset=utf-8,a%20b",
  "file:///etc/passwd", "telnet://u:p@host:23/", "pop://user;auth=*@mail/", "rtsp://media/x", "mailto:x@y",
  "http://a b/", "urn:isbn:1", "http://host:99999x/", "%zz:", "../relative?x#y", "//host/path",
} do
  local ok, uri, message = pcall(URI.new, URI, text)
  if not ok then print(text, (uri:gsub("^.-:%d+: ", "")))
  elseif uri then print(uri, uri._NAME, uri:scheme(), uri:host(), uri:port(), uri:path(), uri:query(), uri:fragment(), uri:is_relative())
  else print(text, message) end
end
for _, reference in ipairs {"g:h", "g", "./g", "g/", "/g", "//g", "?y", "g?y", "#s", "g#s", ";x", "..", "../../g", "../../../../g", "g;x=1/../y"} do
  print(reference, URI:new(reference, "http://a/b/c/d;p?q"))
end
local uri = URI:new "http://example.com/old"
print(uri:path "/new path", uri:query "a=b&c", uri:fragment "x", uri:host "other", uri:port(81), pcall(uri.userinfo, uri, "me") == false)
print(pcall(uri.port, uri, "x") == false, uri:scheme "https", uri)
local file = io.open(folder .. "lunit.lua")
if not file then print "no tests" return end
file:close()
local lunit = require "lunit"
for _, name in ipairs {
  "_generic", "_pristine", "_relative", "_resolve", "_util", "data", "file", "ftp", "http", "pop", "rtsp", "telnet",
  "urn-isbn", "urn-issn", "urn-oid", "urn",
} do
  local chunk, message = loadfile(folder .. "test/" .. name .. ".lua")
  if not chunk then print(name, message) else print(name, pcall(chunk)) end
end
local lines = {}
local function note(name, ...) lines[#lines + 1] = table.concat({name, ...}, " ") end
lunit.setrunner {fail = note, err = note}
local stats = lunit.run()
table.sort(lines)
print(table.concat(lines, "\n"))
for _, key in ipairs {"passed", "failed", "errors"} do print(key, stats[key]) end
