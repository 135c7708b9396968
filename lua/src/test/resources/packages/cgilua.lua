-- Codes of URLs, pages with Lua in them, values as text.
local urlcode = require "cgilua.urlcode"
print(urlcode.escape "a b&c=d/\u{e9}\n", urlcode.unescape "a+b%26c%3Dd%2F%0D%0A")
local arguments = {}
urlcode.parsequery("name=John+Doe&x=1&x=2&x=3&empty=&sp%20ace=%C3%A9", arguments)
print(arguments.name, table.concat(arguments.x, ","), arguments.empty == "", arguments["sp ace"])
print(urlcode.encodetable {name = "a b"}, urlcode.encodetable {x = {1, 2, "&"}}, urlcode.encodetable {})
local lp = require "cgilua.lp"
local page = [[
<html><%
for i = 1, 3 do %>
<li>Item <%= i %>: <?lua= names[i] ?> it's a 'quote' \ back</li>
<% end %>
<?xml version="1.0"?>
$| #names |$ <!--$$ local hidden = 1 $$-->
</html>
]]
lp.setoutfunc "put"
print(lp.translate(page))
local out = {}
local env = {names = {"one", "two", "three"}, put = function(s) out[#out + 1] = tostring(s) end}
for _ = 1, 2 do lp.compile(page, "page", env)() end
print(table.concat(out))
lp.setcompatmode(false)
print(lp.translate "$| 1 |$ <%= 2 %>")
print((select(2, pcall(lp.compile, "<% for %>", "=bad", {})):gsub("^.-lua:%d+: ", "")))
local serialize = require "cgilua.serialize"
for _, indent in ipairs {"", "  "} do
  serialize.serialize({1, 2, "three", {4, x = {5}}, name = "a \"q\"\n", [true] = false, a = 1, b = 2, [10] = 1.5}, io.write, indent)
  print()
end
local lines, text = require "cgilua.readuntil", ("some text\r\n--BOUND\r\nmore"):rep(3)
local at = 1
local function read()
  if at > #text then return nil end
  at = at + 7
  return text:sub(at - 7, at - 1)
end
local reader = (type(lines) == "table" and lines.iterate or lines)(read)
for _ = 1, 4 do
  io.write("[")
  print("]", reader("\r\n--BOUND", io.write))
end
