-- Files of sections, keys and comments: parsed, changed, and written in the same order.
local inifile = require "inifile"
local text = [[
;A comment before all.
[window]
;The size of it.
width=800
height = 600
title=A title; with more
full=false
[numbers]
hex=0x10
float=1.5
exp=1e3
minus=-7
[last]
yes=true
name=x=y
]]
local ini = inifile.parse(text, "memory")
print(ini.window.width + 1, ini.window.height, ini.window.title, ini.window.full)
print(ini.numbers.hex, ini.numbers.float, ini.numbers.exp, ini.numbers.minus, ini.last.yes, ini.last.name)
print(inifile.save("", ini, "memory"))
ini.window.full = nil
ini.window.width = 1024
ini.numbers = nil
ini.new = {key = "value"}
local saved = inifile.save("", ini, "memory")
print(saved)
print(inifile.save("", inifile.parse(saved, "memory"), "memory") == saved)
print(getmetatable(ini).__inifile.sectionorder[1].name, getmetatable(ini).__inifile.comments.window[1])
print(pcall(inifile.parse, "key=value\n", "memory") == false)
