-- Colors of a terminal: attributes in braces, and the errors of unknown ones.
local colors = require "ansicolors"
local function show(text) print((string.gsub(text, "\27", "<esc>"))) end
show(colors "%{red}hello")
show(colors "%{redbg}hello%{reset}")
show(colors "%{bright red underline}hello")
show(colors("%{bright underline magenta blackbg}a%{reset} plain %{green}b"))
show(colors.noReset "%{red}hello" .. colors.noReset "%{blue}x")
show(colors(12), colors(""))
for _, name in ipairs {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"} do
  show(colors("%{" .. name .. "}1%{" .. name .. "bg}2"))
end
local ok, message = pcall(colors, "%{blah}hello")
print(ok, (message:gsub("^.-:%d+: ", "")))
